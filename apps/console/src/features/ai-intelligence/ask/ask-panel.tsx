import { t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { Button } from "@turnpike/ui/button";
import { Card } from "@turnpike/ui/card";
import { SearchField } from "@turnpike/ui/search-field";
import { SegmentedControl } from "@turnpike/ui/segmented-control";
import { Skeleton } from "@turnpike/ui/skeleton";
import { useEffect, useEffectEvent, useState } from "react";
import { FailureNotice } from "#components/failure-notice.tsx";
import type { InsightDialogs } from "#components/insights/insight-dialogs.ts";
import {
  questionsQueries,
  saveKept,
  withQuestion,
} from "#components/questions/questions.queries.ts";
import { readOwnTimeZone } from "#platform/chart-formats.ts";
import type { OwnTenant } from "#platform/current-tenant.ts";
import { mayInTenant } from "#platform/may-in-tenant.ts";
import { usePlatform } from "#platform/platform.tsx";
import { useVerifiedUser } from "#platform/verified-user.ts";
import { AnswerPanel, type AnswerPanelProps } from "./answer-panel.tsx";
import type { AskSearch } from "./ask-search.view-model.ts";
import { type Asked, type OnAsk, toAsked, toAskSearch } from "./asked.view-model.ts";
import { QuestionList } from "./question-list.tsx";

export type AskPanelProps = {
  tenant: OwnTenant;
  search: AskSearch;
  onSearchChange: (search: AskSearch) => void;
  dialogs: InsightDialogs;
};

/** Questions in plain English. What is asked is in the address, so that an answer can be shared. */
export function AskPanel({ tenant, search, onSearchChange, dialogs }: AskPanelProps) {
  const { user } = useVerifiedUser();
  const asked = toAsked(search);
  const [isOfAll, setIsOfAll] = useState(asked?.isOfAll ?? false);
  const ask: OnAsk = (next) =>
    onSearchChange(toAskSearch({ isOfAll, timeZone: asked?.timeZone, ...next }));
  return (
    <Card
      title={t`Ask`}
      description={t`A question in plain English about usage and money. It is read by rules: no model, and nothing leaves this installation.`}
      aside={
        user.isOperator ? (
          <SegmentedControl
            label={t`About whom`}
            segments={[
              { value: "one", label: tenant.name },
              { value: "all", label: t`All tenants` },
            ]}
            value={isOfAll ? "all" : "one"}
            onValueChange={(value) => setIsOfAll(value === "all")}
          />
        ) : undefined
      }
    >
      <QuestionForm
        // What is typed belongs to what was asked.
        key={asked?.question ?? ""}
        asked={asked}
        onAsk={ask}
      />
      {asked === undefined ? (
        <Beginnings tenant={tenant} userId={user.userId} onAsk={ask} />
      ) : (
        <Reply
          key={JSON.stringify(asked)}
          tenant={tenant}
          userId={user.userId}
          asked={asked}
          onAsk={ask}
          dialogs={dialogs}
        />
      )}
    </Card>
  );
}

function QuestionForm({ asked, onAsk }: { asked: Asked | undefined; onAsk: OnAsk }) {
  const [text, setText] = useState("");
  const question = text.trim();
  return (
    <form
      aria-label={t`Ask a question`}
      className="flex flex-wrap gap-2"
      onSubmit={(event) => {
        event.preventDefault();
        if (question !== "") {
          const after = asked === undefined ? [] : [...asked.after, asked.question];
          onAsk({ question, after });
        }
      }}
    >
      <SearchField
        label={t`Question`}
        placeholder={
          asked === undefined
            ? "errors by route last week vs the week before"
            : t`Ask on, such as: and by key?`
        }
        value={text}
        onValueChange={setText}
        maxLength={400}
        className="min-w-0 grow basis-64"
      />
      <Button type="submit" look="primary" disabled={question === ""}>
        <Trans>Ask</Trans>
      </Button>
    </form>
  );
}

/** Questions to start with: from this tenant's own data, and those of before. */
function Beginnings({
  tenant,
  userId,
  onAsk,
}: {
  tenant: OwnTenant;
  userId: string;
  onAsk: OnAsk;
}) {
  const { api } = usePlatform();
  const { tenantId } = tenant;
  const choices = useQuery(questionsQueries.choices(api, tenantId, readOwnTimeZone()));
  const recent = useQuery(questionsQueries.kept(api, { tenantId, userId }, "recent"));
  return (
    <div className="mt-4 grid gap-x-10 gap-y-4 sm:grid-cols-2">
      {choices.isError && choices.data === undefined ? (
        <FailureNotice
          what={t`Questions to begin with could not be loaded.`}
          cause={choices.error}
          onRetry={() => void choices.refetch()}
        />
      ) : (
        <QuestionList
          heading={t`You could ask`}
          questions={choices.data?.suggestions.map((question, at) => ({
            question,
            title: choices.data.titles[at],
            after: [],
          }))}
          onAsk={onAsk}
        />
      )}
      {recent.data !== undefined && recent.data.length > 0 && (
        <QuestionList heading={t`You asked`} questions={recent.data} onAsk={onAsk} />
      )}
    </div>
  );
}

type ReplyProps = Omit<AnswerPanelProps, "reply">;

function Reply({ tenant, userId, asked, onAsk, dialogs }: ReplyProps) {
  const { api } = usePlatform();
  const queryClient = useQueryClient();
  const { tenantId } = tenant;
  const timeZone = asked.timeZone ?? readOwnTimeZone();
  const reply = useQuery(questionsQueries.ask(api, { ...asked, tenantId, timeZone }));
  const kept = questionsQueries.kept(api, { tenantId, userId }, "recent");
  const keep = useMutation({
    mutationFn: async () => {
      const before = await queryClient.ensureQueryData(kept);
      const questions = withQuestion(before, asked);
      await saveKept(api, { tenantId, userId }, { list: "recent", questions });
      queryClient.setQueryData(kept.queryKey, questions);
    },
  });
  const isAnswered = reply.data !== undefined && reply.data.answer !== null;
  const mayKeep = mayInTenant(tenant, "documents:write") && !asked.isOfAll;
  const remember = useEffectEvent(() => {
    if (mayKeep && asked.edited === undefined) {
      keep.mutate();
    }
  });
  // The outside system is the list on the server: what was answered is kept once.
  useEffect(() => {
    if (isAnswered) {
      remember();
    }
  }, [isAnswered]);
  if (reply.data === undefined) {
    return (
      <div className="mt-4 min-h-40">
        {reply.isError ? (
          <FailureNotice
            what={t`The question could not be answered.`}
            cause={reply.error}
            onRetry={() => void reply.refetch()}
          />
        ) : (
          <Skeleton className="h-40 w-full" />
        )}
      </div>
    );
  }
  return (
    <AnswerPanel
      tenant={tenant}
      userId={userId}
      asked={asked}
      reply={reply.data}
      onAsk={onAsk}
      dialogs={dialogs}
    />
  );
}
