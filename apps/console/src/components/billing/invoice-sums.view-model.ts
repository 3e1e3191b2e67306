import { t } from "@lingui/core/macro";
import { toScaled } from "@turnpike/domain/money/decimal";
import type { Invoice, InvoiceTax } from "#platform/billing-queries.ts";
import { formatMoney, isZero } from "#platform/format-money.ts";

/** The sums below the lines of an invoice, a quote or the running invoice. */
export type Sums = {
  currency: string;
  /** With gross prices they sum to the total; left out, prices are net. */
  lines?: readonly { amount: string }[];
  net: string;
  taxes: readonly InvoiceTax[];
  /** The tax in the seller's own currency, where a document states it. */
  accountingTax?: Invoice["accountingTax"];
  total: string;
  fromBalance: string;
  prepaid: string;
  due: string;
  /** Of an issued invoice. */
  paid?: string;
  credited?: string;
  /** What went back to the balance: it settles the invoice no more. */
  toBalance?: string;
};

export type SumRow = { key: string; label: string; amount: string; isStrong: boolean };

/**
 * Lists the sums from top to bottom. What is nothing is left out, but for net, total and due.
 *
 * @param dueLabel - "Due", "Due so far".
 */
export function toSumRows(sums: Sums, dueLabel = t`Due`): readonly SumRow[] {
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
  const hasTaxInside = isGross(sums);
  const inside = hasTaxInside ? ", included" : "";
  const parts = [
    ...(taxes.length > 0 ? [row("net", hasTaxInside ? t`Net of that` : t`Net`, sums.net)] : []),
    ...taxes.map((tax, index) =>
      row(`tax-${String(index)}`, `${toTaxLabel(tax)}${inside}`, tax.amount),
    ),
  ];
  const accounting: readonly SumRow[] =
    sums.accountingTax == null
      ? []
      : [
          {
            key: "accounting",
            label: toAccountingLabel(sums.accountingTax, currency),
            amount: formatMoney(sums.accountingTax.amount, sums.accountingTax.currency),
            isStrong: false,
          },
        ];
  const total = row("total", t`Total`, sums.total);
  return [
    ...(hasTaxInside ? [total, ...parts] : [...parts, total]),
    ...less("balance", t`From your balance`, sums.fromBalance),
    ...less("prepaid", t`From prepaid credit`, sums.prepaid),
    ...less("credited", t`Credit notes`, sums.credited),
    ...less("paid", t`Paid`, sums.paid),
    ...(sums.toBalance === undefined || isZero(sums.toBalance)
      ? []
      : [row("toBalance", t`Back to the balance`, sums.toBalance)]),
    row("due", dueLabel, sums.due, true),
    // It adds to no sum.
    ...accounting,
  ];
}

/** "Tax in EUR (1 USD = 0.92 EUR)". */
function toAccountingLabel(
  { currency: own, rate }: NonNullable<Invoice["accountingTax"]>,
  currency: string,
): string {
  return t`Tax in ${own} (1 ${currency} = ${rate} ${own})`;
}

/** True when the lines come to the total, tax and all, and not to the net. */
function isGross({ lines, net, total }: Sums): boolean {
  if (lines === undefined || toScaled(net) === toScaled(total)) {
    return false;
  }
  return lines.reduce((sum, { amount }) => sum + toScaled(amount), 0n) === toScaled(total);
}

/** "VAT 19%", "Reverse charge". */
function toTaxLabel({ name, rate, category }: InvoiceTax): string {
  return ZERO_RATED[category] ?? `${name ?? t`Tax`} ${rate}%`;
}

/** Categories of EN 16931 that charge nothing, in words. */
const ZERO_RATED: Readonly<Record<string, string>> = {
  AE: t`Reverse charge`,
  E: t`Exempt from tax`,
};

/** Category O is outside the scope of tax: there is none to show. */
function isInScope({ category }: InvoiceTax): boolean {
  return category !== "O";
}
