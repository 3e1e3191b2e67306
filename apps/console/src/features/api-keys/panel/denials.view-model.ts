import { toOutcomeLabel } from "@turnpike/domain/metering/to-outcome-label";
import type { BarListItem } from "@turnpike/ui/charts/bar-list";
import { LANGUAGE } from "@turnpike/ui/language";
import { toOutcomeGroup } from "#components/usage/outcomes.view-model.ts";
import { inLanguage } from "#platform/server-words/server-words.ts";
import type { UsageReport } from "#platform/usage-query.ts";
import { readMeasure } from "#platform/usage-series.ts";

/** The reasons for denied calls, the most frequent first. Empty when none were denied. */
export function toDenials(report: UsageReport): { items: readonly BarListItem[]; total: number } {
  const byOutcome = Map.groupBy(report.rows, (row) => row.group.outcome ?? "");
  const items = [...byOutcome].flatMap(([outcome, rows]): BarListItem[] => {
    const value = rows.reduce((sum, row) => sum + (readMeasure(row.values, "denied") ?? 0), 0);
    return value === 0
      ? []
      : [
          {
            key: outcome,
            label: inLanguage(toOutcomeLabel(outcome)),
            detail: outcome,
            value,
            tone: toOutcomeGroup(outcome).tone,
          },
        ];
  });
  return {
    items: items.toSorted((a, b) => b.value - a.value || a.label.localeCompare(b.label, LANGUAGE)),
    total: readMeasure(report.totals, "denied") ?? 0,
  };
}
