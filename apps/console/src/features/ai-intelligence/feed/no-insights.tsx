import { t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { Link } from "@tanstack/react-router";
import { MeterBar } from "@turnpike/ui/meter-bar";
import type { InsightList } from "#components/insights/insights.queries.ts";

/** What can be said from the first day, and what takes history. */
const FROM_THE_FIRST_DAY = [
  t`keys that expire soon or are not used`,
  t`quotas near their end`,
  t`invoices past their day`,
];
const WITH_HISTORY = [
  t`calls, errors, refusals and latency outside of what is usual`,
  t`the key, route or status that explains the change`,
];

/** Nothing to show: what is watched already, and what waits for history. */
export function NoInsights({ list: { history, checkedAt } }: { list: InsightList }) {
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
      {history.hours === 0 && (
        <p className="mt-4 text-ink-muted">
          <Trans>
            No calls so far. The{" "}
            <Link to="/quickstart" className="font-medium text-ink underline underline-offset-4">
              quickstart
            </Link>{" "}
            has one to copy.
          </Trans>
        </p>
      )}
    </div>
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
