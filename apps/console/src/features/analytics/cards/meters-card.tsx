import { t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { keepPreviousData, useQueries, useQuery } from "@tanstack/react-query";
import { Card } from "@turnpike/ui/card";
import { Sparkline } from "@turnpike/ui/charts/sparkline";
import { joinClasses } from "@turnpike/ui/join-classes";
import { Skeleton } from "@turnpike/ui/skeleton";
import { FailureNotice } from "#components/failure-notice.tsx";
import { AskLink } from "#components/questions/ask-link.tsx";
import { KeptNotice } from "#components/usage/kept-notice.tsx";
import { formatCount } from "#platform/format.ts";
import { formatQuantity, toChange } from "#platform/format-measure.ts";
import { nameMeter } from "#platform/name-meter.ts";
import { usePlatform } from "#platform/platform.tsx";
import type { UsageReport } from "#platform/usage-query.ts";
import { readMeasure, toKnownPrevious } from "#platform/usage-series.ts";
import { type AnalyticsScope, analyticsQueries } from "../analytics.queries.ts";
import { type AnalyticsView, openMeter } from "../analytics-search.view-model.ts";
import type { KeyName } from "../breakdown.view-model.ts";
import {
  type Meter,
  pickMeter,
  toAggregationText,
  toMeasure,
  toMeterValues,
} from "../meters.view-model.ts";
import { MeterDetail } from "./meter-detail.tsx";

/** Meters that one page asks about, each with its own request. */
const METERS_MAX = 8;

export type MetersCardProps = {
  scope: AnalyticsScope;
  isReady: boolean;
  against: string;
  /** The range and step of the page in words, where a question can name them. */
  asked?: string | undefined;
  keyNames: ReadonlyMap<string, KeyName>;
  onChange: (view: AnalyticsView) => void;
};

/** What each meter counted, and one meter over time and by the dimensions of its events. */
export function MetersCard(props: MetersCardProps) {
  const { scope, isReady, against, asked, keyNames, onChange } = props;
  const { api } = usePlatform();
  const { view } = scope;
  const meters = useQuery(analyticsQueries.meters(api));
  const listed = meters.data?.items.slice(0, METERS_MAX) ?? [];
  const reports = useQueries({
    queries: listed.map((meter) => ({
      ...analyticsQueries.meter(api, scope, meter),
      placeholderData: keepPreviousData<UsageReport>,
      enabled: isReady,
    })),
  });
  const failed = [meters, ...reports].find((query) => query.isError);
  const left = (meters.data?.items.length ?? 0) - listed.length;
  const totals = reports.map(({ data }) => data?.totals);
  const opened = pickMeter(listed, totals, view.meter);
  return (
    <Card
      title={t`Usage by meter`}
      description={t`What counts against limits and is billed: units of events, and of calls answered with 2xx or 304. Denied calls and errors cost nothing.`}
      aside={
        asked !== undefined &&
        opened !== undefined && <AskLink question={`${opened.name} ${asked}`} />
      }
    >
      {failed !== undefined && (
        <div className="mb-3">
          <FailureNotice
            what={t`Usage by meter: these numbers could not be loaded.`}
            cause={failed.error}
            onRetry={() => void failed.refetch()}
          />
        </div>
      )}
      {meters.data === undefined && !meters.isError && (
        <div role="status" aria-label={t`Loading: Usage by meter`}>
          <Skeleton className="h-12 w-full opacity-50" />
        </div>
      )}
      <div className="space-y-4">
        <div>
          <ul
            aria-label={t`Meters`}
            className="grid gap-2 sm:grid-cols-[repeat(auto-fit,minmax(17rem,1fr))]"
          >
            {listed.map((meter, index) => (
              <MeterLine
                key={meter.meterId}
                meter={meter}
                report={reports[index]?.data}
                hasFailed={reports[index]?.isError === true}
                isOpen={meter === opened}
                onOpen={() => onChange(openMeter(view, meter.meterId))}
              />
            ))}
          </ul>
          <p className="mt-2 text-ink-faint text-xs">
            <Trans>Changes {against}.</Trans>
          </p>
          <KeptNotice report={reports[0]?.data} />
          {left > 0 && (
            <p className="mt-1 text-ink-faint text-xs">
              <Trans>{formatCount(left)} more meters are available through the API.</Trans>
            </p>
          )}
        </div>
        {opened !== undefined && (
          <MeterDetail
            meter={opened}
            scope={scope}
            isReady={isReady}
            keyNames={keyNames}
            onChange={onChange}
          />
        )}
      </div>
    </Card>
  );
}

type MeterLineProps = {
  meter: Meter;
  report: UsageReport | undefined;
  /** Said above all meters: without a report there is no number. */
  hasFailed: boolean;
  isOpen: boolean;
  onOpen: () => void;
};

function MeterLine({ meter, report, hasFailed, isOpen, onOpen }: MeterLineProps) {
  const measure = toMeasure(meter);
  const { unit } = meter;
  const name = nameMeter(meter);
  const value = report?.totals[measure] ?? null;
  const previous = report === undefined ? null : toKnownPrevious(report);
  const change =
    report === undefined
      ? undefined
      : toChange(
          readMeasure(report.totals, measure),
          previous === null ? null : readMeasure(previous.totals, measure),
          "relative",
        );
  return (
    <li>
      <button
        type="button"
        aria-pressed={isOpen}
        onClick={onOpen}
        className={joinClasses(
          "flex h-full min-h-16 w-full cursor-pointer items-center justify-between gap-4 rounded-control border px-3 py-2 text-left",
          isOpen ? "border-line-control bg-selected" : "border-line hover:bg-hover",
        )}
      >
        <span className="min-w-0">
          <span className="block truncate font-medium">{name}</span>
          <span className="block truncate text-ink-muted text-xs">
            {toAggregationText(meter)} · {unit}
          </span>
        </span>
        {report === undefined && hasFailed ? (
          <span className="text-ink-muted">–</span>
        ) : report === undefined ? (
          <Skeleton className="h-6 w-40 opacity-50" />
        ) : (
          <span className="flex items-center gap-4">
            <span className="max-sm:hidden">
              <Sparkline
                widthPx={64}
                label={t`${name}: trend over the range`}
                values={toMeterValues(meter, report)}
              />
            </span>
            <span className="min-w-20 text-right tabular-nums">
              <span className="block font-medium">
                {value === null ? "–" : formatQuantity(Number(value))}
              </span>
              <span className="block text-ink-muted text-xs">{change?.text ?? ""}</span>
            </span>
          </span>
        )}
      </button>
    </li>
  );
}
