import { SCALE } from "../../money/decimal.ts";
import { divideHalfAway } from "../../money/exact.ts";
import type { TaxGroup, TaxRow, TaxTotals } from "../invoices/invoice.ts";
import type { TaxKind } from "../rating/line.ts";
import { compareTaxKinds, toKindKey } from "./tax-lines.ts";

const WHOLE = 100n * SCALE;

/** A sum that is taxed: lines with the same taxes. */
export type TaxedSum = { readonly kinds: readonly TaxKind[]; readonly sum: bigint };

export function toGroupKey(kinds: readonly TaxKind[]): string {
  return kinds.map(toKindKey).join();
}

/** Adds up sums with the same taxes. */
export function groupSums(sums: readonly TaxedSum[]): TaxedSum[] {
  const groups = new Map<string, TaxedSum>();
  for (const { kinds, sum } of sums) {
    const key = toGroupKey(kinds);
    groups.set(key, { kinds, sum: (groups.get(key)?.sum ?? 0n) + sum });
  }
  return [...groups.values()];
}

export function taxOf(base: bigint, rate: bigint): bigint {
  return divideHalfAway(base * rate, WHOLE);
}

/** Takes the tax out of a gross sum: the net is rounded, the tax is the rest, and of several taxes the last takes it. */
export function extractTax({ kinds, sum }: TaxedSum): TaxGroup {
  const rates = kinds.reduce((total, { rate }) => total + rate, 0n);
  const net = divideHalfAway(sum * WHOLE, WHOLE + rates);
  const first = kinds.slice(0, -1).map(({ rate }) => taxOf(net, rate));
  const rest = first.reduce((left, amount) => left - amount, sum - net);
  return { kinds, sum, net, amounts: kinds.length === 0 ? [] : [...first, rest] };
}

/** Adds up rows of one kind and puts them in order. */
export function mergeRows(rows: readonly TaxRow[]): TaxRow[] {
  const merged = new Map<string, TaxRow>();
  for (const row of rows) {
    const key = toKindKey(row);
    const known = merged.get(key);
    merged.set(key, {
      ...row,
      base: row.base + (known?.base ?? 0n),
      amount: row.amount + (known?.amount ?? 0n),
    });
  }
  return [...merged.values()].sort(compareTaxKinds);
}

/** The rows of groups whose taxes are known one by one. */
export function toRows(groups: readonly TaxGroup[]): TaxRow[] {
  return mergeRows(
    groups.flatMap(({ kinds, net, amounts }) =>
      kinds.map((kind, index) => ({ ...kind, base: net, amount: amounts[index] ?? 0n })),
    ),
  );
}

function sumOf(values: readonly bigint[]): bigint {
  return values.reduce((sum, value) => sum + value, 0n);
}

/**
 * Computes the taxes of a document from the sums of its groups. With net prices a tax is of the sum of all its lines and not of each
 * line; with gross prices the total stays what the lines say.
 */
export function totalTaxes(sums: readonly TaxedSum[], pricesInclude: "net" | "gross"): TaxTotals {
  const grouped = groupSums(sums);
  if (pricesInclude === "gross") {
    const groups = grouped.map(extractTax);
    return {
      net: sumOf(groups.map(({ net }) => net)),
      taxes: toRows(groups),
      total: sumOf(groups.map(({ sum }) => sum)),
      groups,
    };
  }
  const groups = grouped.map(({ kinds, sum }) => ({ kinds, sum, net: sum, amounts: [] }));
  const bases = mergeRows(
    groups.flatMap(({ kinds, sum }) => kinds.map((kind) => ({ ...kind, base: sum, amount: 0n }))),
  );
  const taxes = bases.map((row) => ({ ...row, amount: taxOf(row.base, row.rate) }));
  const net = sumOf(groups.map(({ sum }) => sum));
  return { net, taxes, total: net + sumOf(taxes.map(({ amount }) => amount)), groups };
}
