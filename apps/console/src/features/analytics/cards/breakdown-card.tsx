import { t } from "@lingui/core/macro";
import type { UseQueryResult } from "@tanstack/react-query";
import { Button } from "@turnpike/ui/button";
import { BarList } from "@turnpike/ui/charts/bar-list";
import { Skeleton } from "@turnpike/ui/skeleton";
import { useState } from "react";
import { ReportCard } from "#components/usage/report-card.tsx";
import { formatCount } from "#platform/format.ts";
import { formatExactShare } from "#platform/format-measure.ts";
import type { UsageReport } from "#platform/usage-query.ts";
import { type FilterDimension, isFilterValue } from "../analytics-search.view-model.ts";
import { type KeyName, toBreakdown } from "../breakdown.view-model.ts";

export type BreakdownCardProps = {
  title: string;
  description: string;
  report: UseQueryResult<UsageReport>;
  dimension: FilterDimension;
  measure: "requests" | "denied";
  nameHeading: string;
  keyNames: ReadonlyMap<string, KeyName>;
  /** The text shown when the list is empty. */
  emptyText: string;
  isMono?: boolean;
  /** The question that the list answers. */
  ask?: string | undefined;
  selected: readonly string[];
  onSelect: (value: string) => void;
};

/** Longer lists fold, so that neighbouring cards have about the same height. */
const ROWS_SHOWN = 8;
const ROWS = ["first", "second", "third", "fourth", "fifth"];

/** The usage of each value of a dimension. Each line filters the page by its value. */
export function BreakdownCard(props: BreakdownCardProps) {
  return (
    <ReportCard
      title={props.title}
      description={props.description}
      report={props.report}
      ask={props.ask}
      failure={t`${props.title}: these numbers could not be loaded.`}
      skeleton={
        <div className="space-y-1 pt-5">
          {ROWS.map((row) => (
            <Skeleton key={row} className="h-8 w-full opacity-50" />
          ))}
        </div>
      }
    >
      {(report) => <BreakdownTable {...props} data={report} />}
    </ReportCard>
  );
}

function BreakdownTable({ data, ...props }: BreakdownCardProps & { data: UsageReport }) {
  const { dimension, measure, keyNames } = props;
  const [isWhole, setIsWhole] = useState(false);
  const { items, total } = toBreakdown({ report: data, dimension, measure, keyNames });
  if (items.length === 0) {
    return <p className="py-4 text-ink-muted">{props.emptyText}</p>;
  }
  const foldText = isWhole ? t`Show fewer` : t`Show all ${formatCount(items.length)}`;
  // Values that the page is filtered by are never folded away.
  const isChosen = ({ key }: { key: string }) => props.selected.includes(key);
  const shown = isWhole
    ? items
    : items.filter((item, place) => place < ROWS_SHOWN || isChosen(item));
  return (
    <>
      <BarList
        label={props.title}
        nameHeading={props.nameHeading}
        valueHeading={measure === "denied" ? t`Denied` : t`Requests`}
        items={shown.map((item) => ({ ...item, isPlain: !isFilterValue(dimension, item.key) }))}
        total={total}
        formatValue={formatCount}
        formatShare={formatExactShare}
        isMono={props.isMono ?? false}
        selectedKeys={props.selected}
        onSelect={props.onSelect}
      />
      <div className="mt-2 flex min-h-8 flex-wrap items-center justify-between gap-2">
        <p className="text-ink-faint text-xs tabular-nums">
          {data.truncated
            ? t`Showing the first ${formatCount(items.length)}; shares are of all ${formatCount(total)}.`
            : t`${formatCount(total)} in total.`}
        </p>
        {items.length > ROWS_SHOWN && (
          <Button
            size="small"
            look="quiet"
            aria-label={t`${foldText} of ${props.title}`}
            onClick={() => setIsWhole(!isWhole)}
          >
            {foldText}
          </Button>
        )}
      </div>
    </>
  );
}
