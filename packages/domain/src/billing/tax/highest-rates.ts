import { larger } from "../../money/bounds.ts";
import type { TaxRate } from "./tax-decision.ts";

/**
 * The highest rates that something of any class may have in any country of a table, one for each of its taxes: what to count with
 * while the table has none.
 *
 * @returns `undefined` for an empty table.
 */
export function highestRates(table: readonly TaxRate[]): bigint[] | undefined {
  const classes = new Map<string, Map<string | undefined, bigint>>();
  for (const { country, taxClass, name, rate } of table) {
    const key = `${country} ${taxClass}`;
    const taxes = classes.get(key) ?? new Map<string | undefined, bigint>();
    classes.set(key, taxes.set(name, larger(taxes.get(name) ?? 0n, rate)));
  }
  let highest: bigint[] | undefined;
  let most = -1n;
  for (const taxes of classes.values()) {
    const rates = [...taxes.values()];
    const sum = rates.reduce((total, rate) => total + rate, 0n);
    if (sum > most) {
      most = sum;
      highest = rates;
    }
  }
  return highest;
}
