import type { CreditNote } from "@turnpike/contract/invoices";
import type { Tx } from "@turnpike/db/client";
import type { CallContext } from "@turnpike/domain/access/actor";
import { doStep } from "@turnpike/domain/billing/steps/do-step";
import { StepRefused } from "@turnpike/domain/billing/steps/step";
import { AppError } from "@turnpike/domain/errors/app-error";
import { type Currency, formatMinor } from "@turnpike/domain/money/currency";
import type { BillingDeps } from "../billing-deps.ts";
import { changeInvoice, findForOperator } from "./change-invoice.ts";
import { listCreditNotes, listDescriptions } from "./invoices.store.ts";
import { currencyOf, toCreditNote } from "./to-invoice.ts";
import { toMinorAmount } from "./to-minor-amount.ts";

type CreditNoteInput = {
  invoiceId: string;
  reason: string;
  amount?: string | undefined;
  /** Lines from 1, with what is credited of each. */
  lines?: readonly { line: number; amount: string }[] | undefined;
};

/** What the step of the engine takes: it counts lines from 0. Neither means all that is left. */
function toMembers({ amount, lines }: CreditNoteInput, currency: Currency) {
  if (amount !== undefined && lines !== undefined) {
    const message = "Credit an amount of the whole invoice or of its lines, not both.";
    throw new AppError({
      code: "INVALID_REQUEST",
      publicMessage: message,
      errors: [{ pointer: "/amount", message }],
    });
  }
  const read = (text: string, pointer: string) =>
    formatMinor(toMinorAmount(text, { currency, pointer }), currency);
  return {
    ...(amount === undefined ? {} : { amount: read(amount, "/amount") }),
    ...(lines === undefined
      ? {}
      : {
          lines: lines.map((each, index) => ({
            line: each.line - 1,
            amount: read(each.amount, `/lines/${String(index)}/amount`),
          })),
        }),
  };
}

async function readNewest(tx: Tx, invoiceId: string): Promise<CreditNote> {
  const newest = (await listCreditNotes(tx, [invoiceId])).at(-1);
  if (newest === undefined) {
    throw new Error("A credit note was issued and is not there.");
  }
  const descriptions = await listDescriptions(tx, [invoiceId]);
  return toCreditNote(newest, descriptions.get(invoiceId) ?? new Map());
}

/**
 * Credits an invoice: all that is left of it, an amount that is spread over its lines, or amounts of lines. A note lowers what is due
 * first, and the rest goes to the customer's balance.
 *
 * @throws {AppError} `CONFLICT` for more than is left, `RESOURCE_NOT_FOUND` (invoice), `INVALID_REQUEST`, `INSUFFICIENT_SCOPE`.
 */
export async function createCreditNote(
  deps: BillingDeps,
  context: CallContext,
  input: CreditNoteInput,
): Promise<CreditNote> {
  const { invoiceId, reason } = input;
  const { currency, number } = await findForOperator(deps, context, invoiceId);
  const members = toMembers(input, currencyOf(currency));
  let written: CreditNote | undefined;
  await changeInvoice(deps, context, {
    invoiceId,
    action: "invoice.credited",
    event: "credit_note.issued",
    details: { reason, ...members },
    noteReason: reason,
    step: (account, { index, atMs }) => {
      const after = doStep(account, {
        members: { do: "creditNote", invoice: index, ...members },
        atMs,
      });
      if (after.creditNotes.length === account.creditNotes.length) {
        throw new StepRefused("not_creditable", `Nothing is left to credit of ${number}.`);
      }
      return after;
    },
    alsoWrites: async (tx) => {
      written = await readNewest(tx, invoiceId);
    },
  });
  if (written === undefined) {
    throw new Error("A credit note was issued and not read.");
  }
  return written;
}
