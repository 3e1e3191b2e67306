import { useQuery } from "@tanstack/react-query";
import { Card } from "@turnpike/ui/card";
import { MeterBar } from "@turnpike/ui/meter-bar";
import { Skeleton } from "@turnpike/ui/skeleton";
import { useState } from "react";
import { FailureNotice } from "#components/failure-notice.tsx";
import { LazyTimeLines } from "#components/usage/lazy-charts.tsx";
import { createChartFormats } from "#platform/chart-formats.ts";
import type { OwnTenant } from "#platform/current-tenant.ts";
import { formatCompact, formatQuantity } from "#platform/format-measure.ts";
import { usePlatform } from "#platform/platform.tsx";
import { usageQuery } from "#platform/usage-query.ts";
import { describeMissed, type ForecastView, toForecastView } from "./forecast.view-model.ts";

/** Enough for every weekday many times over. */
const HISTORY_DAYS = 120;
const TIME_ZONE = "UTC";
const HEIGHT_PX = 260;

/** What is coming: calls of the next weeks with an interval, and how wrong the forecast of last week was. */
export function ForecastCard({ tenant: { tenantId } }: { tenant: OwnTenant }) {
  const history = useQuery({
    ...usageQuery(usePlatform().api, {
      tenantId,
      measures: ["requests"],
      grain: "day",
      timeZone: TIME_ZONE,
      range: { lastMs: HISTORY_DAYS * 86_400_000 },
    }),
    select: toForecastView,
  });
  const { data } = history;
  return (
    <Card
      title="What is coming"
      description="Requests of the next 30 days, from those of each day so far, in UTC."
    >
      {data === undefined ? (
        history.isError ? (
          <FailureNotice
            what="The history could not be loaded."
            cause={history.error}
            onRetry={() => void history.refetch()}
          />
        ) : (
          <Skeleton className="h-72 w-full" />
        )
      ) : data.isEnough ? (
        <Forecast view={data} />
      ) : (
        <Waiting days={data.days} needed={data.needed} />
      )}
    </Card>
  );
}

function Waiting({ days, needed }: { days: number; needed: number }) {
  const progress = `${String(days)} of ${String(needed)} days`;
  return (
    <div className="max-w-sm">
      <p>A forecast is tested on your own history before it is shown, which takes three weeks.</p>
      <p className="mt-1 mb-1.5 text-ink-muted text-xs tabular-nums">{progress} with calls</p>
      <MeterBar share={days / needed} tone="accent" label={`${progress} of history`} />
    </div>
  );
}

function Forecast({ view }: { view: Extract<ForecastView, { isEnough: true }> }) {
  const [shown, setShown] = useState<"chart" | "table">("chart");
  return (
    <>
      <dl className="mb-4 flex flex-wrap gap-x-10 gap-y-3">
        {view.outlooks.map(({ days, mean, low, high }) => (
          <div key={days}>
            <dt className="text-ink-muted text-xs">Next {days} days</dt>
            <dd className="tabular-nums">
              <span className="font-semibold text-xl">{formatQuantity(Math.round(mean))}</span>{" "}
              <span className="text-ink-muted">
                80 %: {formatQuantity(Math.round(low))} to {formatQuantity(Math.round(high))}
              </span>
            </dd>
          </div>
        ))}
      </dl>
      <LazyTimeLines
        label="Requests by day, with forecast"
        unit="requests"
        buckets={view.buckets}
        series={view.series}
        timeZone={TIME_ZONE}
        heightPx={HEIGHT_PX}
        formats={createChartFormats(TIME_ZONE, {
          value: formatCompact,
          exact: (value) => formatQuantity(Math.round(value)),
        })}
        view={shown}
        onViewChange={setShown}
        emptyText="No calls so far."
      />
      {view.missed !== undefined && (
        <p className="mt-3 text-ink-muted">{describeMissed(view.missed)}</p>
      )}
    </>
  );
}
