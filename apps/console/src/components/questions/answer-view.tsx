import { t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { BarList } from "@turnpike/ui/charts/bar-list";
import { DataTable } from "@turnpike/ui/data-table";
import { inSentence } from "@turnpike/ui/language";
import { useState } from "react";
import { LazyTimeBars, LazyTimeLines } from "#components/usage/lazy-charts.tsx";
import { createChartFormats } from "#platform/chart-formats.ts";
import { formatCompact, formatExactShare } from "#platform/format-measure.ts";
import {
  formatValue,
  isCounted,
  nameGroup,
  type Row,
  toNumber,
  toSeries,
  toShape,
} from "./answer.view-model.ts";
import { toDimensionLabel, toDimensionNoun } from "./dimension-label.view-model.ts";
import type { Answer } from "./questions.queries.ts";

const HEIGHT_PX = 260;
const ROWS_MAX = 100;

export type AnswerViewProps = { label: string; answer: Answer; timeZone: string };

/** The rows of an answer: a chart over time, bars, or a table; nothing where the sentence has the only figure. */
export function AnswerView(props: AnswerViewProps) {
  switch (toShape(props.answer)) {
    case "series":
      return <Series {...props} />;
    case "bars":
      return <Bars {...props} />;
    case "figures":
      return <Figures {...props} />;
    default:
      return <Rows {...props} />;
  }
}

function Series({ label, answer, timeZone }: AnswerViewProps) {
  const [shown, setShown] = useState<"chart" | "table">("chart");
  const { buckets, series, isCut } = toSeries(answer, { timeZone, nowMs: Date.now() });
  const [measure] = answer.measures;
  if (measure === undefined || answer.grain === null) {
    return null;
  }
  const isShare = measure.unit === "share";
  const props = {
    label,
    unit: measure.unitName ?? inSentence(measure.title),
    buckets,
    series,
    timeZone,
    heightPx: HEIGHT_PX,
    formats: createChartFormats(timeZone, {
      value: isShare ? formatExactShare : formatCompact,
      exact: (value: number) => formatValue(measure, value),
    }),
    view: shown,
    onViewChange: setShown,
    emptyText: t`Nothing in this range.`,
  };
  const canStack = isCounted(measure) && answer.dimensions.length > 0;
  return (
    <>
      {canStack || (isCounted(measure) && answer.measures.length === 1) ? (
        <LazyTimeBars {...props} grain={answer.grain} isWhole={measure.unit === "count"} />
      ) : (
        <LazyTimeLines {...props} />
      )}
      {isCut && (
        <p className="mt-2 text-ink-muted text-xs">
          <Trans>The largest seven are drawn.</Trans>
        </p>
      )}
    </>
  );
}

function Bars({ label, answer }: AnswerViewProps) {
  const [measure] = answer.measures;
  const [dimension = ""] = answer.dimensions;
  if (measure === undefined) {
    return null;
  }
  const items = answer.rows.map((row) => ({
    key: row.group[dimension] ?? "",
    label: nameGroup(answer, row),
    value: toNumber(row.values[measure.name]) ?? 0,
  }));
  const sum = items.reduce((total, { value }) => total + value, 0);
  const whole = toNumber(answer.totals?.[measure.name]) ?? 0;
  const canShare = isCounted(measure);
  const largest = Math.max(0, ...items.map(({ value }) => value));
  return (
    <BarList
      label={label}
      nameHeading={toDimensionLabel(dimension)}
      valueHeading={measure.title}
      items={items}
      total={canShare ? Math.max(sum, whole) : largest}
      formatValue={(value) => formatValue(measure, value)}
      {...(canShare ? { formatShare: formatExactShare } : {})}
    />
  );
}

function Figures({ answer }: AnswerViewProps) {
  const { totals, totalsBefore, measures } = answer;
  if (totals === null || measures.length < 2) {
    return null;
  }
  return (
    <dl className="flex flex-wrap gap-x-10 gap-y-3">
      {measures.map((measure) => (
        <div key={measure.name}>
          <dt className="text-ink-muted text-xs">{measure.title}</dt>
          <dd className="font-semibold text-xl tabular-nums">
            {formatValue(measure, totals[measure.name])}
          </dd>
          {totalsBefore !== null && (
            <dd className="text-ink-muted text-xs tabular-nums">
              <Trans>before: {formatValue(measure, totalsBefore[measure.name])}</Trans>
            </dd>
          )}
        </div>
      ))}
    </dl>
  );
}

function Rows({ label, answer }: AnswerViewProps) {
  const isCompared = answer.rows.some(({ before }) => before !== null);
  const rows = answer.rows.slice(0, ROWS_MAX).map((row, at) => ({ ...row, at }));
  type Placed = Row & { at: number };
  return (
    <>
      <DataTable<Placed>
        label={label}
        columns={[
          ...answer.dimensions.map((dimension, at) => ({
            id: dimension,
            header: toDimensionLabel(dimension),
            phone: at === 0 ? ("title" as const) : ("detail" as const),
            cell: ({ group }: Placed) => {
              const value = group[dimension] ?? "";
              const name =
                value === "" ? t`no ${toDimensionNoun(dimension)}` : (answer.names[value] ?? value);
              return <span className="[overflow-wrap:anywhere]">{name}</span>;
            },
          })),
          ...answer.measures.flatMap((measure) => [
            {
              id: measure.name,
              header: measure.title,
              align: "end" as const,
              cell: ({ values }: Placed) => formatValue(measure, values[measure.name]),
            },
            ...(isCompared
              ? [
                  {
                    id: `${measure.name} before`,
                    header: t`Before`,
                    align: "end" as const,
                    cell: ({ before }: Placed) => formatValue(measure, before?.[measure.name]),
                  },
                ]
              : []),
          ]),
        ]}
        rows={rows}
        getRowId={({ at }) => String(at)}
        getRowName={(row) => nameGroup(answer, row)}
        empty={
          <p className="px-4 py-4 text-ink-muted">
            <Trans>Nothing in this range.</Trans>
          </p>
        }
      />
      {(answer.truncated || answer.rows.length > ROWS_MAX) && (
        <p className="mt-2 text-ink-muted text-xs">
          <Trans>There are more rows than these.</Trans>
        </p>
      )}
    </>
  );
}
