import { t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import type { UseQueryResult } from "@tanstack/react-query";
import { Badge } from "@turnpike/ui/badge";
import { RelativeTime } from "@turnpike/ui/relative-time";
import { Skeleton } from "@turnpike/ui/skeleton";
import { FailureNotice } from "#components/failure-notice.tsx";
import { inLanguage } from "#platform/server-words/server-words.ts";
import { type NamedMeters, toAlertEventLabel, toMeasuredText } from "./alert.view-model.ts";
import { type Alert, type AlertHistoryPage, HISTORY_PAGE } from "./alerts.queries.ts";

export type AlertHistoryProps = {
  alert: Alert;
  meters: NamedMeters;
  history: UseQueryResult<AlertHistoryPage>;
};

/** The history of one alert, newest first. */
export function AlertHistory({ alert, meters, history }: AlertHistoryProps) {
  if (history.data === undefined) {
    return history.isError ? (
      <FailureNotice
        what={t`The history could not be loaded.`}
        cause={history.error}
        onRetry={() => void history.refetch()}
      />
    ) : (
      <Skeleton className="h-40" />
    );
  }
  const { items, nextCursor } = history.data;
  return (
    <section aria-labelledby="history" className="space-y-3">
      <h3 id="history" className="font-semibold">
        <Trans>History</Trans>
      </h3>
      {alert.lastError !== null && (
        <p className="rounded-control bg-warning-soft px-3 py-2.5">
          <Trans>
            Cannot be evaluated: {inLanguage(alert.lastError)} It is retried every 15 minutes.
          </Trans>
        </p>
      )}
      {items.length === 0 ? (
        <p className="text-ink-muted">
          <Trans>Nothing yet: it has not fired since it was created.</Trans>
        </p>
      ) : (
        <ol className="divide-y divide-line border-line border-y">
          {items.map((item) => {
            const { tone, label } = toAlertEventLabel(item);
            return (
              <li key={item.happeningId} className="space-y-1 py-2.5">
                <div className="flex flex-wrap items-center justify-between gap-x-3 gap-y-1">
                  <span className="flex items-center gap-2">
                    <Badge tone={tone}>{label}</Badge>
                    {item.value !== null && (
                      <span className="tabular-nums">
                        {toMeasuredText(alert, item.value, meters)}
                      </span>
                    )}
                  </span>
                  <span className="text-ink-muted">
                    <RelativeTime at={item.at} />
                  </span>
                </div>
                {item.note !== "" && (
                  <p className="text-ink-muted text-xs [overflow-wrap:anywhere]">{item.note}</p>
                )}
              </li>
            );
          })}
        </ol>
      )}
      <p className="text-ink-muted text-xs">
        {nextCursor === null
          ? t`Kept for 90 days.`
          : t`Showing the newest ${String(HISTORY_PAGE)}; the API has the rest.`}
      </p>
    </section>
  );
}
