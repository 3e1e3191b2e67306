import type { AccountingTaxView } from "@turnpike/contract/invoices";
import type { AccountingTax } from "@turnpike/domain/billing/tax/accounting-tax";
import { findCurrency, formatMinor } from "@turnpike/domain/money/currency";
import { fromScaled } from "@turnpike/domain/money/decimal";
import { fromExactJson, type Json } from "#platform/exact-json.ts";

type Row = { accountingTax: Json };

/** The tax of a stored document in the seller's currency; undefined where it states none. */
export function readAccountingTax({ accountingTax }: Row): AccountingTax | undefined {
  return accountingTax === null ? undefined : fromExactJson<AccountingTax>(accountingTax);
}

/** The same in an answer. */
export function toAccountingTaxView(row: Row): AccountingTaxView | null {
  const stated = readAccountingTax(row);
  if (stated === undefined) {
    return null;
  }
  const { currency, amount, rate, rateFromMs, source } = stated;
  const { digits } = findCurrency(currency) ?? { digits: 2 };
  return {
    currency,
    amount: formatMinor(amount, { code: currency, digits }),
    rate: fromScaled(rate),
    rateFrom: new Date(rateFromMs).toISOString().slice(0, 10),
    source: source ?? null,
  };
}
