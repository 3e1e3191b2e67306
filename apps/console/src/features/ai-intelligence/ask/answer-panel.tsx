import { t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { Button } from "@turnpike/ui/button";
import { ButtonLink } from "@turnpike/ui/button-link";
import { CopyButton } from "@turnpike/ui/copy-button";
import { useState } from "react";
import type { InsightDialogs } from "#components/insights/insight-dialogs.ts";
import { toAnalyticsSearch } from "#components/questions/answer.view-model.ts";
import { toAnswerAlert } from "#components/questions/answer-alert.view-model.ts";
import { AnswerView } from "#components/questions/answer-view.tsx";
import {
  type Answer,
  type QuestionReply,
  questionsQueries,
  saveKept,
  withQuestion,
} from "#components/questions/questions.queries.ts";
import type { OwnTenant } from "#platform/current-tenant.ts";
import { toErrorMessage } from "#platform/error-message.ts";
import { mayInTenant } from "#platform/may-in-tenant.ts";
import { usePlatform } from "#platform/platform.tsx";
import { saveView } from "#platform/saved-views.ts";
import { toast } from "#platform/toast.ts";
import type { Asked, OnAsk } from "./asked.view-model.ts";
import { ModelAnswer } from "./model/model-answer.tsx";
import { QueryChips } from "./query-chips.tsx";
import { QuestionList } from "./question-list.tsx";

export type AnswerPanelProps = {
  tenant: OwnTenant;
  userId: string;
  asked: Asked;
  reply: QuestionReply;
  onAsk: OnAsk;
  dialogs: InsightDialogs;
};

/** The answer: a sentence, what was understood and assumed, the figures, and what can be done with them. */
export function AnswerPanel(props: AnswerPanelProps) {
  const { tenant, asked, reply, onAsk } = props;
  const { api } = usePlatform();
  const { kind, sentence, assumed, choices, titles, answer, query, timeZone } = reply;
  const known = useQuery(questionsQueries.choices(api, tenant.tenantId, timeZone));
  const isClarify = kind === "clarify";
  const canEdit = query !== null && (kind === "query" || kind === "explain");
  return (
    <div className="mt-5 space-y-4" aria-live="polite">
      <div>
        <p className="text-ink-muted text-xs [overflow-wrap:anywhere]">
          {[...asked.after, asked.question].join(" → ")}
        </p>
        <p className="mt-1 font-medium text-lg [overflow-wrap:anywhere]">{sentence}</p>
        {assumed.length > 0 && (
          <p className="mt-1 text-ink-muted text-sm">
            <Trans>Assumed: {assumed.join("; ")}.</Trans>
          </p>
        )}
      </div>
      {canEdit && (
        <QueryChips
          query={query}
          choices={known.data}
          timeZone={timeZone}
          onChange={(edited) => onAsk({ question: asked.question, after: asked.after, edited })}
          onTimeZoneChange={(zone) => onAsk({ ...asked, timeZone: zone })}
        />
      )}
      {answer !== null && <AnswerView label={asked.question} answer={answer} timeZone={timeZone} />}
      {choices.length > 0 && (
        <QuestionList
          heading={isClarify ? t`Which one?` : t`You could ask`}
          questions={choices.map((question, at) => ({
            question,
            title: titles[at],
            after: isClarify ? [...asked.after, asked.question] : [],
          }))}
          onAsk={onAsk}
        />
      )}
      <AnswerActions
        tenant={tenant}
        userId={props.userId}
        asked={asked}
        reply={reply}
        dialogs={props.dialogs}
      />
      {!asked.isOfAll && (
        <ModelAnswer
          tenant={tenant}
          question={{ question: asked.question, after: asked.after, timeZone }}
        />
      )}
    </div>
  );
}

function AnswerActions({ tenant, userId, asked, reply, dialogs }: Omit<AnswerPanelProps, "onAsk">) {
  const { answer } = reply;
  const search = answer === null ? undefined : toAnalyticsSearch(answer);
  const canKeep = answer !== null && mayInTenant(tenant, "documents:write") && !asked.isOfAll;
  return (
    <div className="flex flex-wrap items-center gap-2">
      {search !== undefined && (
        <>
          <ButtonLink link={<Link to="/analytics" search={search} />}>
            <Trans>Open in analytics</Trans>
          </ButtonLink>
          {canKeep && <SaveView tenant={tenant} userId={userId} asked={asked} search={search} />}
        </>
      )}
      {answer !== null && !asked.isOfAll && (
        <SaveAlert tenant={tenant} answer={answer} dialogs={dialogs} />
      )}
      {canKeep && asked.edited === undefined && (
        <Pin tenant={tenant} userId={userId} asked={asked} />
      )}
      <CopyButton value={window.location.href} subject={t`Copy the link to this answer`} />
      <Link
        to="/ai-intelligence"
        search={{}}
        className="px-2 text-ink-muted text-sm underline underline-offset-4"
      >
        <Trans>Ask anew</Trans>
      </Link>
    </div>
  );
}

function SaveAlert({
  tenant,
  answer,
  dialogs,
}: Pick<AnswerPanelProps, "tenant" | "dialogs"> & { answer: Answer }) {
  const [isOpen, setIsOpen] = useState(false);
  const proposal = mayInTenant(tenant, "alerts:write") ? toAnswerAlert(answer) : undefined;
  return proposal === undefined ? null : (
    <>
      <Button onClick={() => setIsOpen(true)}>
        <Trans>Save as alert</Trans>
      </Button>
      {isOpen && dialogs.renderAlert({ tenant, proposal, onClose: () => setIsOpen(false) })}
    </>
  );
}

type Kept = Pick<AnswerPanelProps, "tenant" | "userId" | "asked">;

function SaveView({
  tenant,
  userId,
  asked,
  search,
}: Kept & { search: Record<string, string | number> }) {
  const { documents } = usePlatform();
  const queryClient = useQueryClient();
  const save = useMutation({
    mutationFn: async () =>
      saveView(
        await documents(),
        { tenantId: tenant.tenantId, userId },
        {
          viewId: `view-${crypto.randomUUID()}`,
          name: asked.question.slice(0, 60),
          search,
          isShared: false,
        },
      ),
    onSuccess: () => {
      toast.success(t`Saved as a view of analytics`);
      return queryClient.invalidateQueries({ queryKey: ["saved-views", tenant.tenantId] });
    },
    onError: (error) => toast.error(toErrorMessage(error)),
  });
  return (
    <Button progress={save.isPending ? t`Saving…` : undefined} onClick={() => save.mutate()}>
      <Trans>Save as view</Trans>
    </Button>
  );
}

/** Shows the answer on the overview, or no longer. */
function Pin({ tenant, userId, asked }: Kept) {
  const { api } = usePlatform();
  const queryClient = useQueryClient();
  const owner = { tenantId: tenant.tenantId, userId };
  const kept = questionsQueries.kept(api, owner, "pinned");
  const pinned = useQuery(kept);
  const isPinned = pinned.data?.some(({ question }) => question === asked.question) === true;
  const change = useMutation({
    mutationFn: async () => {
      const before = pinned.data ?? [];
      const questions = isPinned
        ? before.filter(({ question }) => question !== asked.question)
        : withQuestion(before, asked);
      await saveKept(api, owner, { list: "pinned", questions });
      queryClient.setQueryData(kept.queryKey, questions);
    },
    onError: (error) => toast.error(toErrorMessage(error)),
  });
  return (
    <Button
      aria-pressed={isPinned}
      disabled={pinned.data === undefined}
      progress={change.isPending ? t`Saving…` : undefined}
      onClick={() => change.mutate()}
    >
      {isPinned ? t`Unpin from overview` : t`Pin to overview`}
    </Button>
  );
}
