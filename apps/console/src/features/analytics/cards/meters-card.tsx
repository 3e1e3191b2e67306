import { keepPreviousData, useQueries, useQuery } from "@tanstack/react-query";
import { Card } from "@turnpike/ui/card";
import { Sparkline } from "@turnpike/ui/charts/sparkline";
import { Skeleton } from "@turnpike/ui/skeleton";
import { FailureNotice } from "#components/failure-notice.tsx";
import { formatCount } from "#platform/format.ts";
import { toChange } from "#platform/format-measure.ts";
import { usePlatform } from "#platform/platform.tsx";
import type { UsageReport } from "#platform/usage-query.ts";
import { readMeasure, toMeasureValues } from "#platform/usage-series.ts";
import { type AnalyticsScope, analyticsQueries } from "../analytics.queries.ts";

/** Meters that one page asks about; each is a question of its own. */
const METERS_MAX = 8;

export type MetersCardProps = { scope: AnalyticsScope; isReady: boolean; against: string };

/** What is billed: units of each meter. */
export function MetersCard({ scope, isReady, against }: MetersCardProps) {
  const { api } = usePlatform();
  const meters = useQuery(analyticsQueries.meters(api));
  const listed = meters.data?.items.slice(0, METERS_MAX) ?? [];
  const reports = useQueries({
    queries: listed.map((meter) => ({
      ...analyticsQueries.meter(api, scope, meter.meterId),
      placeholderData: keepPreviousData<UsageReport>,
      enabled: isReady,
    })),
  });
  const failed = [meters, ...reports].find((query) => query.isError);
  const left = (meters.data?.items.length ?? 0) - listed.length;
  return (
    <Card
      title="Usage by meter"
      description="Billable units; what a denial or a failure cost is not in them."
    >
      {failed !== undefined && (
        <div className="mb-3">
          <FailureNotice
            what="Usage by meter: these numbers could not be loaded."
            cause={failed.error}
            onRetry={() => void failed.refetch()}
          />
        </div>
      )}
      {meters.data === undefined && !meters.isError && (
        <div role="status" aria-label="Loading: Usage by meter">
          <Skeleton className="h-12 w-full opacity-50" />
        </div>
      )}
      <ul className="divide-y divide-line">
        {listed.map((meter, index) => (
          <MeterLine
            key={meter.meterId}
            name={meter.name}
            unit={meter.unit}
            report={reports[index]?.data}
            against={against}
          />
        ))}
      </ul>
      {left > 0 && (
        <p className="mt-2 text-ink-faint text-xs">
          And {formatCount(left)} more meters, through the API.
        </p>
      )}
    </Card>
  );
}

type MeterLineProps = {
  name: string;
  unit: string;
  report: UsageReport | undefined;
  against: string;
};

function MeterLine({ name, unit, report, against }: MeterLineProps) {
  const change =
    report === undefined
      ? undefined
      : toChange(
          readMeasure(report.totals, "billable"),
          report.previous === null ? null : readMeasure(report.previous.totals, "billable"),
          "relative",
        );
  return (
    <li className="flex min-h-14 items-center justify-between gap-4 py-2">
      <div className="min-w-0">
        <p className="truncate font-medium">{name}</p>
        <p className="text-ink-muted text-xs">unit: {unit}</p>
      </div>
      {report === undefined ? (
        <Skeleton className="h-6 w-40 opacity-50" />
      ) : (
        <div className="flex items-center gap-4">
          <div className="max-sm:hidden">
            <Sparkline
              label={`${name}: trend over the range`}
              values={toMeasureValues(report, report.rows, "billable")}
            />
          </div>
          <div className="min-w-24 text-right tabular-nums">
            <p className="font-medium">{formatCount(report.totals.billable ?? "0")}</p>
            <p className="text-ink-muted text-xs">
              {change === undefined ? "" : `${change.text} ${against}`}
            </p>
          </div>
        </div>
      )}
    </li>
  );
}
