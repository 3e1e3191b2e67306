import type { RefundPreview } from "@turnpike/contract/refunds";
import { assertMay, type CallContext } from "@turnpike/domain/access/actor";
import { dueOf } from "@turnpike/domain/billing/invoices/invoice";
import { AppError, resourceNotFound } from "@turnpike/domain/errors/app-error";
import { formatMinor } from "@turnpike/domain/money/currency";
import { lockAccount } from "../accounts/accounts.store.ts";
import { noSubscription, playStep } from "../accounts/change-account.ts";
import { effectiveMs } from "../accounts/effective-ms.ts";
import { loadAccounts } from "../accounts/load-accounts.ts";
import { takeCutOff } from "../accounts/take-cut-off.ts";
import type { BillingDeps } from "../billing-deps.ts";
import { currencyOf } from "../invoices/to-invoice.ts";
import { toMinorAmount } from "../invoices/to-minor-amount.ts";
import { listRefundSources, type PlannedRefund, planRefund } from "./plan-refund.ts";
import { findReceived, type ReceivedRow } from "./received-payments.store.ts";

export type RefundInput = {
  paymentId: string;
  amount?: string | undefined;
  withCreditNote: boolean;
};

/** What is asked for, in minor units. @throws {AppError} `CONFLICT` for more than is left, `INVALID_REQUEST`. */
export function readRefundAmount(row: ReceivedRow, { amount }: RefundInput): bigint {
  const currency = currencyOf(row.currency);
  const left = BigInt(row.amount) - BigInt(row.refunded);
  const asked =
    amount === undefined ? left : toMinorAmount(amount, { currency, pointer: "/amount" });
  if (asked > left || asked === 0n) {
    throw new AppError({
      code: "CONFLICT",
      publicMessage: `${formatMinor(left, currency)} ${currency.code} is left of this payment.`,
      extensions: { reason: "exceeds_refundable" },
    });
  }
  return asked;
}

/**
 * Computes what a refund would do to invoices, balance and credit notes. Nothing is changed or stored.
 *
 * @throws {AppError} `RESOURCE_NOT_FOUND` (payment), `CONFLICT` for more than is left, `INVALID_REQUEST`, `INSUFFICIENT_SCOPE`.
 */
export async function previewRefund(
  deps: BillingDeps,
  context: CallContext,
  input: RefundInput,
): Promise<RefundPreview> {
  assertMay(context.actor, "invoices:read");
  const recordedTo = await takeCutOff(deps);
  return await deps.transact.asOperator(async (tx) => {
    const row = await findReceived(tx, input.paymentId);
    if (row === undefined) {
      throw resourceNotFound("payment");
    }
    const amount = readRefundAmount(row, input);
    const { tenantId, environment } = row;
    const account = await lockAccount(tx, { tenantId, environment });
    const sources = await listRefundSources(tx, row, amount);
    const { invoiceIds } = sources;
    const loading = { settings: deps.billing, recordedTo, invoiceIds };
    const [loaded] = account === undefined ? [] : await loadAccounts(tx, [account], loading);
    if (loaded === undefined) {
      throw noSubscription();
    }
    const nowMs = deps.clock.now().getTime() + (account?.aheadMs ?? 0);
    const atMs = effectiveMs(nowMs, account);
    let planned: PlannedRefund | undefined;
    const after = playStep(loaded, {
      atMs,
      step: (before) => {
        const { withCreditNote } = input;
        planned = planRefund(before, { amount, loaded, sources, withCreditNote, atMs });
        return planned.after;
      },
    });
    const currency = currencyOf(row.currency);
    const text = (minor: bigint) => formatMinor(minor, currency);
    const { taken = [], reclaimed = [] } = planned ?? {};
    const dueAgain = new Set([...taken, ...reclaimed].map(({ invoice }) => invoice));
    const invoices = [...dueAgain].flatMap((index) => {
      const invoice = after.invoices[index];
      return invoice === undefined
        ? []
        : [
            {
              invoiceId: loaded.invoiceIds[index] ?? "",
              number: loaded.invoiceNumbers[index] ?? "",
              dueAfter: text(dueOf(invoice)),
            },
          ];
    });
    const notes = after.creditNotes.slice(loaded.account.creditNotes.length);
    const fromBalance = planned?.fromBalance ?? 0n;
    return {
      amount: text(amount),
      currency: row.currency,
      left: text(BigInt(row.amount) - BigInt(row.refunded)),
      fromBalance: text(fromBalance),
      balanceAfter: text(after.balance),
      invoices,
      creditNotes: notes.map((note) => ({
        invoiceId: loaded.invoiceIds[note.invoice] ?? "",
        number: loaded.invoiceNumbers[note.invoice] ?? "",
        total: text(note.total),
      })),
      texts: [
        ...notes.map(
          (note) =>
            `${loaded.invoiceNumbers[note.invoice] ?? "The invoice"} is credited by ${text(note.total)} ${currency.code}.`,
        ),
        ...(fromBalance > 0n
          ? [`${text(fromBalance)} ${currency.code} comes out of the customer's balance.`]
          : []),
        ...invoices.map(
          ({ number, dueAfter }) =>
            `${number} is due again with ${dueAfter} ${currency.code}, and may refuse calls if its date has passed. It is not charged by itself.`,
        ),
        ...(row.provider === "manual"
          ? ["Transfer the money back yourself, then mark the refund as transferred."]
          : []),
      ],
    };
  });
}
