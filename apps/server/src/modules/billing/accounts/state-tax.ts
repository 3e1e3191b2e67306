import type { Tx } from "@turnpike/db/client";
import {
  type AccountingTax,
  type AccountingTerms,
  creditAccountingTax,
  toAccountingTax,
} from "@turnpike/domain/billing/tax/accounting-tax";
import { fromExactJson, type Json, toExactJson } from "#platform/exact-json.ts";
import { listAccountingTaxes } from "../invoices/documents.store.ts";
import { currencyOf } from "../invoices/to-invoice.ts";
import type { NewInvoice, NewNote } from "./writes/to-document-writes.ts";

/**
 * States the tax of an invoice in the seller's currency, by the rate of its day of issue.
 *
 * @throws {NoExchangeRate} When the table has none for an invoice that is accounted for.
 */
export function stateTax(
  { tax, currency, issuedAt, environment }: NewInvoice & { issuedAt: string },
  { terms, isDemo }: { terms: AccountingTerms | undefined; isDemo: boolean },
): Json {
  const stated =
    terms === undefined
      ? undefined
      : toAccountingTax(terms, {
          tax: BigInt(tax),
          currency: currencyOf(currency),
          atMs: Date.parse(issuedAt),
          isBinding: environment === "live" && !isDemo,
        });
  return stated === undefined ? null : toExactJson(stated);
}

/** States the tax of credit notes by the rates of their invoices, which are written already. */
export async function stateCreditedTaxes<Note extends NewNote>(
  tx: Tx,
  notes: readonly Note[],
): Promise<(Note & { accountingTax: Json })[]> {
  const rows = await listAccountingTaxes(
    tx,
    notes.map(({ invoiceId }) => invoiceId),
  );
  const creditedOf = new Map(rows.map(({ invoiceId, credited }) => [invoiceId, BigInt(credited)]));
  return notes.map((note) => {
    const { invoiceId } = note;
    const tax = BigInt(note.tax);
    const row = rows.find((each) => each.invoiceId === invoiceId);
    const before = creditedOf.get(invoiceId) ?? 0n;
    creditedOf.set(invoiceId, before + tax);
    const stated =
      row === undefined || tax === 0n
        ? undefined
        : creditAccountingTax(fromExactJson<AccountingTax>(row.accountingTax), {
            ...{ tax, before, currency: currencyOf(row.currency) },
          });
    return { ...note, accountingTax: stated === undefined ? null : toExactJson(stated) };
  });
}
