import type { SumRow } from "./analytics.store.ts";
import type { OrderTerm, QueryPlan } from "./plan-query.ts";
import { isLatency, toUsageValues } from "./to-usage-values.ts";

type Ordered = Pick<QueryPlan, "order">;

/** True when rows are ordered by a percentile, which the database cannot compute from packed histograms. */
export function isSortedHere(plan: Ordered): boolean {
  return plan.order.some((term) => term.kind === "measure" && isLatency(term.measure));
}

function keyOf(row: SumRow, term: OrderTerm): number | string | null {
  switch (term.kind) {
    case "time":
      return row.bucket;
    case "dimension":
      return row.group_values[term.index] ?? "";
    case "meter": {
      const value = row.meter_values[term.index] ?? null;
      return value === null ? null : Number(value);
    }
    case "measure": {
      const value = toUsageValues([term.measure], row)[term.measure] ?? null;
      return value === null ? null : Number(value);
    }
  }
}

function compare(a: number | string | null, b: number | string | null, isDescending: boolean) {
  if (a === b) {
    return 0;
  }
  if (a === null || b === null) {
    return a === null ? 1 : -1;
  }
  return a < b === isDescending ? 1 : -1;
}

/** Orders all rows of a question as the database would: null last, equal rows in their original order. */
export function sortRows(rows: readonly SumRow[], plan: Ordered): readonly SumRow[] {
  const keys = new Map(rows.map((row) => [row, plan.order.map((term) => keyOf(row, term))]));
  return rows.toSorted((a, b) => {
    for (const [index, { isDescending }] of plan.order.entries()) {
      const keyA = keys.get(a)?.[index] ?? null;
      const keyB = keys.get(b)?.[index] ?? null;
      const order = compare(keyA, keyB, isDescending);
      if (order !== 0) {
        return order;
      }
    }
    return 0;
  });
}
