import { t } from "@lingui/core/macro";
import { toOutcomeLabel } from "@turnpike/domain/metering/to-outcome-label";
import type { BarListItem } from "@turnpike/ui/charts/bar-list";
import { LANGUAGE } from "@turnpike/ui/language";
import { toOutcomeGroup, toStatusTone } from "#components/usage/outcomes.view-model.ts";
import { inLanguage } from "#platform/server-words/server-words.ts";
import type { UsageDimension, UsageMeasure, UsageReport } from "#platform/usage-query.ts";
import { readMeasure } from "#platform/usage-series.ts";

/** A key as people recognise it. */
export type KeyName = { name: string; detail: string };

export type Breakdown = {
  items: readonly BarListItem[];
  /** The total, including values that are not listed. */
  total: number;
};

/** The usage of each value of a dimension, in the order of the report. Values without usage are left out. */
export function toBreakdown(options: {
  report: UsageReport;
  dimension: UsageDimension;
  measure: UsageMeasure;
  keyNames: ReadonlyMap<string, KeyName>;
}): Breakdown {
  const { report, dimension, measure } = options;
  const items = report.rows.flatMap((row): BarListItem[] => {
    const key = row.group[dimension] ?? "";
    const value = readMeasure(row.values, measure) ?? 0;
    return value === 0 ? [] : [{ key, value, ...toName(dimension, key, options.keyNames) }];
  });
  return {
    items: items.toSorted((a, b) => b.value - a.value || a.label.localeCompare(b.label, LANGUAGE)),
    total: readMeasure(report.totals, measure) ?? 0,
  };
}

function toName(
  dimension: UsageDimension,
  value: string,
  keyNames: ReadonlyMap<string, KeyName>,
): Pick<BarListItem, "label" | "detail" | "tone"> {
  switch (dimension) {
    case "outcome":
      return {
        label: inLanguage(toOutcomeLabel(value)),
        detail: value,
        tone: toOutcomeGroup(value).tone,
      };
    case "status":
    case "status_class":
      return { label: value, tone: toStatusTone(value) };
    default:
      return toDimensionName(dimension, value, keyNames);
  }
}

/** Names the remaining routes, or models, of a tenant that has more than are counted separately. */
const OTHER = "{other}";

/** A dimension value in words, with a detail that distinguishes values of the same name. */
export function toDimensionName(
  dimension: UsageDimension,
  value: string,
  keyNames: ReadonlyMap<string, KeyName>,
): { label: string; detail?: string } {
  if (dimension === "outcome") {
    return { label: inLanguage(toOutcomeLabel(value)) };
  }
  if (value === "") {
    return { label: toUnknownLabel(dimension) };
  }
  if (dimension === "route" && value === OTHER) {
    return { label: t`Other routes` };
  }
  if (dimension === "model" && value === OTHER) {
    return { label: t`Other models` };
  }
  if (dimension === "key") {
    const known = keyNames.get(value);
    return known === undefined ? { label: value } : { label: known.name, detail: known.detail };
  }
  return { label: value };
}

function toUnknownLabel(dimension: UsageDimension): string {
  switch (dimension) {
    case "key":
      return t`Unknown key`;
    case "model":
      return t`Without a model`;
    default:
      return t`Unknown`;
  }
}

/** Names of keys by id, with the characters of each that are safe to show: "tp_live_ab…x7Qz". */
export function toKeyNames(
  keys: readonly { keyId: string; name: string; start: string; lastFour: string }[],
): ReadonlyMap<string, KeyName> {
  return new Map(
    keys.map((key) => [key.keyId, { name: key.name, detail: `${key.start}…${key.lastFour}` }]),
  );
}
