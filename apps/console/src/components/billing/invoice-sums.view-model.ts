import type { InvoiceTax } from "#platform/billing-queries.ts";
import { formatMoney, isZero } from "#platform/format-money.ts";

/** The sums below the lines of an invoice, a quote or the running invoice. */
export type Sums = {
  currency: string;
  net: string;
  taxes: readonly InvoiceTax[];
  total: string;
  fromBalance: string;
  prepaid: string;
  due: string;
  /** Of an issued invoice. */
  paid?: string;
  credited?: string;
};

export type SumRow = { key: string; label: string; amount: string; isStrong: boolean };

/**
 * Lists the sums from top to bottom. What is nothing is left out, but for net, total and due.
 *
 * @param dueLabel - "Due", "Due so far".
 */
export function toSumRows(sums: Sums, dueLabel = "Due"): readonly SumRow[] {
  const { currency } = sums;
  const row = (key: string, label: string, amount: string, isStrong = false): SumRow => ({
    key,
    label,
    amount: formatMoney(amount, currency),
    isStrong,
  });
  /** What lowers what is due. */
  const less = (key: string, label: string, amount: string | undefined): readonly SumRow[] =>
    amount === undefined || isZero(amount) ? [] : [row(key, label, `-${amount}`)];
  const taxes = sums.taxes.filter(isInScope);
  return [
    ...(taxes.length > 0 ? [row("net", "Net", sums.net)] : []),
    ...taxes.map((tax, index) => row(`tax-${String(index)}`, toTaxLabel(tax), tax.amount)),
    row("total", "Total", sums.total),
    ...less("balance", "From your balance", sums.fromBalance),
    ...less("prepaid", "From prepaid credit", sums.prepaid),
    ...less("credited", "Credit notes", sums.credited),
    ...less("paid", "Paid", sums.paid),
    row("due", dueLabel, sums.due, true),
  ];
}

/** "VAT 19%", "Reverse charge". */
function toTaxLabel({ name, rate, category }: InvoiceTax): string {
  return ZERO_RATED[category] ?? `${name ?? "Tax"} ${rate}%`;
}

/** Categories of EN 16931 that charge nothing, in words. */
const ZERO_RATED: Readonly<Record<string, string>> = {
  AE: "Reverse charge",
  E: "Exempt from tax",
};

/** Category O is outside the scope of tax: there is none to show. */
function isInScope({ category }: InvoiceTax): boolean {
  return category !== "O";
}
