import { t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { useQuery } from "@tanstack/react-query";
import { Card } from "@turnpike/ui/card";
import { MeterBar } from "@turnpike/ui/meter-bar";
import { SegmentedControl } from "@turnpike/ui/segmented-control";
import { Select } from "@turnpike/ui/select";
import { Skeleton } from "@turnpike/ui/skeleton";
import { useState } from "react";
import { FailureNotice } from "#components/failure-notice.tsx";
import { AskLink } from "#components/questions/ask-link.tsx";
import { LazyTimeLines } from "#components/usage/lazy-charts.tsx";
import { createChartFormats, readOwnTimeZone } from "#platform/chart-formats.ts";
import type { OwnTenant } from "#platform/current-tenant.ts";
import { type MeterForecast, usageForecastQuery } from "#platform/forecast-queries.ts";
import { formatCompact, formatQuantity } from "#platform/format-measure.ts";
import { nameMeter } from "#platform/name-meter.ts";
import { usePlatform } from "#platform/platform.tsx";
import { describeAccuracy } from "./accuracy.view-model.ts";
import {
  describeNotes,
  HORIZONS,
  type Horizon,
  listOutlooks,
  listShown,
  toForecastChart,
} from "./usage-forecast.view-model.ts";

const HEIGHT_PX = 280;

/** Usage of each meter: what it was, what it will be, and how far off such forecasts were. */
export function UsageForecastCard({ tenant: { tenantId } }: { tenant: OwnTenant }) {
  const timeZone = readOwnTimeZone();
  const forecast = useQuery(usageForecastQuery(usePlatform().api, tenantId, timeZone));
  const [chosen, setChosen] = useState<string>();
  const meters = listShown(forecast.data?.meters ?? []);
  const meter = meters.find((one) => one.meter === chosen) ?? meters[0];
  return (
    <Card
      title={t`What is coming`}
      description={t`Billable usage with live keys, from the complete days so far.`}
      aside={
        meters.length > 1 && (
          <Select
            label={t`Meter`}
            className="w-48 max-w-full"
            choices={meters.map((one) => ({
              value: one.meter,
              label: nameMeter({ meterId: one.meter, name: one.name }),
            }))}
            value={meter?.meter ?? null}
            onValueChange={setChosen}
          />
        )
      }
    >
      {meter === undefined ? (
        forecast.isError ? (
          <FailureNotice
            what={t`The forecast could not be loaded.`}
            cause={forecast.error}
            onRetry={() => void forecast.refetch()}
          />
        ) : (
          <div role="status" aria-label={t`Loading the forecast`}>
            <Skeleton className="h-80 w-full" />
          </div>
        )
      ) : meter.state === "forecast" ? (
        <>
          <Forecast key={meter.meter} meter={meter} timeZone={timeZone} />
          <div className="mt-3">
            <AskLink question={`forecast ${meter.name} for next month`} />
          </div>
        </>
      ) : (
        <Waiting meter={meter} />
      )}
    </Card>
  );
}

function Waiting({ meter: { history } }: { meter: MeterForecast }) {
  const { days, needed } = history;
  const progress = t`${String(days)} of ${String(needed)} days`;
  return (
    <div className="max-w-sm">
      <p>
        <Trans>
          A forecast takes three of each weekday: {String(needed)} complete days with usage.
        </Trans>
      </p>
      <p className="mt-1 mb-1.5 text-ink-muted text-xs tabular-nums">
        <Trans>{progress} of history</Trans>
      </p>
      <MeterBar share={days / needed} tone="accent" label={t`${progress} of history`} />
    </div>
  );
}

function Forecast({ meter, timeZone }: { meter: MeterForecast; timeZone: string }) {
  const [shown, setShown] = useState<"chart" | "table">("chart");
  const [ahead, setAhead] = useState<Horizon>(HORIZONS[0]);
  const { buckets, series } = toForecastChart(meter, ahead);
  return (
    <>
      <dl className="mb-4 grid grid-cols-2 gap-x-6 gap-y-3 sm:flex sm:flex-wrap sm:gap-x-10">
        {listOutlooks(meter).map(({ label, mean, range }) => (
          <div key={label}>
            <dt className="text-ink-muted text-xs">{label}</dt>
            <dd className="tabular-nums">
              <span className="block font-semibold text-xl">{mean}</span>
              <span className="block text-ink-muted text-xs">{range}</span>
            </dd>
          </div>
        ))}
      </dl>
      <div className="mb-2 flex justify-end">
        <SegmentedControl
          label={t`How far ahead`}
          segments={HORIZONS.map((days) => ({
            value: String(days),
            label: t`${String(days)} days`,
          }))}
          value={String(ahead)}
          onValueChange={(value) => setAhead(value === "90" ? 90 : 30)}
        />
      </div>
      <LazyTimeLines
        label={t`${nameMeter({ meterId: meter.meter, name: meter.name })} by day, with forecast`}
        unit={meter.unit}
        buckets={buckets}
        series={series}
        timeZone={timeZone}
        heightPx={HEIGHT_PX}
        formats={createChartFormats(timeZone, {
          value: formatCompact,
          exact: (value) => formatQuantity(Math.round(value)),
        })}
        view={shown}
        onViewChange={setShown}
        emptyText={t`No usage so far.`}
      />
      <div className="mt-3 max-w-[80ch] space-y-1 text-ink-muted text-sm">
        {describeNotes(meter).map((note) => (
          <p key={note}>{note}</p>
        ))}
        <p>{describeAccuracy(meter.accuracy)}</p>
      </div>
    </>
  );
}
