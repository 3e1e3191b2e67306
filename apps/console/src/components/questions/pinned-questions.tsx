import { t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { Card } from "@turnpike/ui/card";
import { Skeleton } from "@turnpike/ui/skeleton";
import { readOwnTimeZone } from "#platform/chart-formats.ts";
import type { OwnTenant } from "#platform/current-tenant.ts";
import { usePlatform } from "#platform/platform.tsx";
import { useVerifiedUser } from "#platform/verified-user.ts";
import { type KeptQuestion, questionsQueries } from "./questions.queries.ts";

/** The questions that this person pinned, each with its answer of now; nothing where there are none. */
export function PinnedQuestions({ tenant }: { tenant: OwnTenant }) {
  const { api } = usePlatform();
  const { user } = useVerifiedUser();
  const { tenantId } = tenant;
  const pinned = useQuery(questionsQueries.kept(api, { tenantId, userId: user.userId }, "pinned"));
  if (pinned.data === undefined || pinned.data.length === 0) {
    return null;
  }
  return (
    <Card title={t`Pinned questions`} description={t`Answered now, from all that is recorded.`}>
      <ul className="divide-y divide-line">
        {pinned.data.map((one) => (
          <PinnedQuestion key={one.question} tenantId={tenantId} {...one} />
        ))}
      </ul>
    </Card>
  );
}

type PinnedQuestionProps = KeptQuestion & { tenantId: OwnTenant["tenantId"] };

function PinnedQuestion({ tenantId, question, after }: PinnedQuestionProps) {
  const { api } = usePlatform();
  const timeZone = readOwnTimeZone();
  const asked = { tenantId, question, after, timeZone, edited: undefined, isOfAll: false };
  const reply = useQuery(questionsQueries.ask(api, asked));
  return (
    <li className="py-3 first:pt-0 last:pb-0">
      <Link
        to="/ai-intelligence"
        search={{ ask: question, ...(after.length === 0 ? {} : { after: JSON.stringify(after) }) }}
        className="text-ink-muted text-xs underline-offset-4 hover:underline"
      >
        {question}
      </Link>
      {reply.data === undefined ? (
        reply.isError ? (
          <p className="text-ink-muted">
            <Trans>Not answered now.</Trans>
          </p>
        ) : (
          <Skeleton className="mt-1 h-5 w-2/3" />
        )
      ) : (
        <p className="[overflow-wrap:anywhere]">{reply.data.sentence}</p>
      )}
    </li>
  );
}
