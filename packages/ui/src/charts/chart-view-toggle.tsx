import { t } from "@lingui/core/macro";
import ChartColumn from "lucide-react/icons/chart-column";
import Table from "lucide-react/icons/table";
import type { ChartView } from "./chart-types.ts";

export type ChartViewToggleProps = {
  /** What is shown, to distinguish several of these on one page. */
  label: string;
  view: ChartView;
  onViewChange: (view: ChartView) => void;
};

/** Switches between a chart and the table of the same numbers. */
export function ChartViewToggle({ label, view, onViewChange }: ChartViewToggleProps) {
  const isTable = view === "table";
  const Icon = isTable ? ChartColumn : Table;
  return (
    <button
      type="button"
      aria-label={t`${label}: view as ${isTable ? t`chart` : t`table`}`}
      onClick={() => onViewChange(isTable ? "chart" : "table")}
      className="flex h-6 shrink-0 cursor-pointer items-center gap-1.5 rounded px-1.5 text-ink-muted text-xs hover:bg-hover hover:text-ink print:hidden"
    >
      <Icon className="size-3.5" aria-hidden="true" />
      <span className="max-sm:sr-only">{isTable ? t`Chart` : t`Table`}</span>
    </button>
  );
}
