import { t } from "@lingui/core/macro";
import { Plural, Trans } from "@lingui/react/macro";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { MeterBar } from "@turnpike/ui/meter-bar";
import type { InsightList } from "#components/insights/insights.queries.ts";
import type { OwnTenant } from "#platform/current-tenant.ts";
import { usePlatform } from "#platform/platform.tsx";
import { usageQuery } from "#platform/usage-query.ts";

/** What can be said from the first day, and what takes history. */
const FROM_THE_FIRST_DAY = [
  t`keys that expire soon or are not used`,
  t`quotas near their end`,
  t`overdue invoices`,
];
const WITH_HISTORY = [
  t`calls, errors, denied calls and latency outside of what is usual`,
  t`the key, route or status that explains the change`,
];

const MONTH_MS = 30 * 86_400_000;

/** Nothing to show: what is watched already, and what waits for history. */
export function NoInsights({
  tenant,
  list: { history, checkedAt },
}: {
  tenant: OwnTenant;
  list: InsightList;
}) {
  const isComplete = history.hours >= history.needed;
  return (
    <div>
      {checkedAt !== null && (
        <p className="font-medium">
          <Trans>Nothing needs attention.</Trans>
        </p>
      )}
      <div className="mt-3 grid gap-x-8 gap-y-4 sm:grid-cols-2">
        <Watched title={t`Watched from the first day`} things={FROM_THE_FIRST_DAY} />
        <Watched
          title={isComplete ? t`Watched with your history` : t`Watched once there is history`}
          things={WITH_HISTORY}
        />
      </div>
      {history.hours === 0 && <CallsSoFar tenant={tenant} />}
    </div>
  );
}

/** The history counts whole hours and grows with each check: calls of this hour are not in it. */
function CallsSoFar({ tenant: { tenantId } }: { tenant: OwnTenant }) {
  const { api } = usePlatform();
  const calls = useQuery(
    usageQuery(api, { tenantId, measures: ["requests"], range: { lastMs: MONTH_MS } }),
  );
  if (calls.data === undefined) {
    return null;
  }
  const count = calls.data.totals.requests ?? 0;
  return (
    <p className="mt-4 text-ink-muted">
      {count > 0 ? (
        <Plural
          value={count}
          one="# call so far, not checked yet."
          other="# calls so far, not checked yet."
        />
      ) : (
        <Trans>
          No calls so far. The{" "}
          <Link to="/quickstart" className="font-medium text-ink underline underline-offset-4">
            quickstart
          </Link>{" "}
          has one to copy.
        </Trans>
      )}
    </p>
  );
}

function Watched({ title, things }: { title: string; things: readonly string[] }) {
  return (
    <div>
      <p className="text-ink-muted text-xs">{title}</p>
      <ul className="mt-1 list-disc space-y-0.5 pl-4 marker:text-ink-faint">
        {things.map((thing) => (
          <li key={thing}>{thing}</li>
        ))}
      </ul>
    </div>
  );
}

/** Until there is enough history, what is missing; nothing afterwards. */
export function HistoryProgress({ list: { history } }: { list: InsightList }) {
  const { hours, needed } = history;
  if (hours >= needed) {
    return null;
  }
  const progress = t`${String(hours)} of ${String(needed)} hours`;
  return (
    <div className="mt-4 max-w-sm border-line border-t pt-4">
      <p>
        <Trans>
          Unusual usage is recognised once there is enough history to say what is usual.
        </Trans>
      </p>
      <p className="mt-1 mb-1.5 text-ink-muted text-xs tabular-nums">
        <Trans>{progress} of history</Trans>
      </p>
      <MeterBar share={hours / needed} tone="accent" label={t`${progress} of history`} />
    </div>
  );
}
