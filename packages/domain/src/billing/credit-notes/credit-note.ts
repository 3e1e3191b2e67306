import { smaller } from "../../money/bounds.ts";
import type { Invoice, TaxGroup, TaxRow, TaxTotals } from "../invoices/invoice.ts";
import type { LineKind, LineOwner, TaxKind } from "../rating/line.ts";
import { toKindKey } from "../tax/tax-lines.ts";
import {
  extractTax,
  groupSums,
  mergeRows,
  type TaxedSum,
  taxOf,
  toGroupKey,
  toRows,
} from "../tax/tax-totals.ts";

export type CreditedLine = {
  /** Index in the lines of the invoice. */
  readonly line: number;
  readonly kind: LineKind;
  readonly owner: LineOwner | undefined;
  /** In the terms of the line: net, or gross with gross prices. Minor units. */
  readonly amount: bigint;
};

/** Takes back a part of an issued invoice. */
export type CreditNote = TaxTotals & {
  readonly number: string;
  /** Index of the invoice that billed the lines. */
  readonly invoice: number;
  readonly issuedAtMs: number;
  readonly lines: readonly CreditedLine[];
  /** The part of the total that lowers what is due on the invoice; the rest goes to the balance. */
  readonly toDue: bigint;
  readonly toBalance: bigint;
};

function sumWhere<Item>(items: readonly Item[], pick: (item: Item) => bigint | undefined): bigint {
  return items.reduce((sum, item) => sum + (pick(item) ?? 0n), 0n);
}

/** A tax is that of an invoice of this sum; the note that takes the rest of a base takes the rest of its tax. */
function creditRow(
  kind: TaxKind,
  base: bigint,
  { invoice, notes }: { invoice: Invoice; notes: readonly CreditNote[] },
): TaxRow {
  const key = toKindKey(kind);
  const find = (rows: readonly TaxRow[]) => rows.find((row) => toKindKey(row) === key);
  const billed = find(invoice.taxes);
  const leftBase = (billed?.base ?? 0n) - sumWhere(notes, ({ taxes }) => find(taxes)?.base);
  const leftTax = (billed?.amount ?? 0n) - sumWhere(notes, ({ taxes }) => find(taxes)?.amount);
  const amount = base === leftBase ? leftTax : smaller(taxOf(base, kind.rate), leftTax);
  return { ...kind, base, amount };
}

function creditGroup(
  taxed: TaxedSum,
  { invoice, notes }: { invoice: Invoice; notes: readonly CreditNote[] },
): TaxGroup {
  const key = toGroupKey(taxed.kinds);
  const find = ({ groups }: TaxTotals) => groups.find(({ kinds }) => toGroupKey(kinds) === key);
  const before = notes.flatMap((note) => find(note) ?? []);
  const billed = find(invoice);
  const group = extractTax(taxed);
  if (billed === undefined) {
    return group;
  }
  const leftSum = billed.sum - sumWhere(before, ({ sum }) => sum);
  const leftNet = billed.net - sumWhere(before, ({ net }) => net);
  const left = billed.amounts.map(
    (amount, index) => amount - sumWhere(before, ({ amounts }) => amounts[index]),
  );
  if (taxed.sum === leftSum) {
    return { ...taxed, net: leftNet, amounts: left };
  }
  // Rounding must not take back more tax, or more net, than the invoice has left.
  const amounts = group.amounts.map((amount, index) => smaller(amount, left[index] ?? 0n));
  const net = taxed.sum - sumWhere(amounts, (amount) => amount);
  return { ...taxed, net, amounts };
}

/** The taxes of a credit note, so that all notes of an invoice together are the invoice. */
export function totalCredit(
  sums: readonly TaxedSum[],
  {
    invoice,
    notes,
    pricesInclude,
  }: {
    invoice: Invoice;
    notes: readonly CreditNote[];
    pricesInclude: "net" | "gross";
  },
): TaxTotals {
  const grouped = groupSums(sums);
  const total = sumWhere(grouped, ({ sum }) => sum);
  if (pricesInclude === "gross") {
    const groups = grouped.map((taxed) => creditGroup(taxed, { invoice, notes }));
    return { net: sumWhere(groups, ({ net }) => net), taxes: toRows(groups), total, groups };
  }
  const bases = mergeRows(
    grouped.flatMap(({ kinds, sum }) => kinds.map((kind) => ({ ...kind, base: sum, amount: 0n }))),
  );
  const taxes = bases.map((row) => creditRow(row, row.base, { invoice, notes }));
  const groups = grouped.map(({ kinds, sum }) => ({ kinds, sum, net: sum, amounts: [] }));
  return { net: total, taxes, total: total + sumWhere(taxes, ({ amount }) => amount), groups };
}
