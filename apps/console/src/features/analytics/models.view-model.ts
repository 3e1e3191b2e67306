import type { UsageReport } from "#platform/usage-query.ts";
import { toDimensionName } from "./breakdown.view-model.ts";
import { type Meter, toMeasure } from "./meters.view-model.ts";
import type { ModelCosts } from "./model-costs.queries.ts";

export type ModelLine = {
  model: string;
  label: string;
  requests: number;
  /** Of each meter of the table, exact decimals. */
  units: readonly string[];
  /** Undefined where no usage of it is on the invoice. */
  cost: string | undefined;
};

export type ModelTable = {
  /** Those that any model cost units of. */
  meters: readonly Meter[];
  lines: readonly ModelLine[];
  /** Undefined while costs are unknown, and for readers who may not see them. */
  currency: string | undefined;
};

/** The calls and units of each model, in the order of the report. Calls without a model are left out. */
export function toModelTable(
  report: UsageReport,
  meters: readonly Meter[],
  costs: ModelCosts | undefined,
): ModelTable {
  const rows = report.rows.filter(({ group }) => (group.model ?? "") !== "");
  const unitsOf = (row: UsageReport["rows"][number], meter: Meter) =>
    row.values[toMeasure(meter)] ?? "0";
  const used = meters.filter((meter) => rows.some((row) => Number(unitsOf(row, meter)) > 0));
  return {
    meters: used,
    currency: costs?.currency,
    lines: rows.map((row) => {
      const model = row.group.model ?? "";
      return {
        model,
        label: toDimensionName("model", model, new Map()).label,
        requests: row.values.requests ?? 0,
        units: used.map((meter) => unitsOf(row, meter)),
        cost: costs?.byModel.get(model),
      };
    }),
  };
}
