import type { JsonValue, Tx } from "@turnpike/db/client";
import type { CallContext } from "@turnpike/domain/access/actor";
import { applyMoney, type PaidShare } from "@turnpike/domain/billing/payments/move-money";
import { AppError } from "@turnpike/domain/errors/app-error";
import { formatMinor } from "@turnpike/domain/money/currency";
import { writeAudit } from "#modules/audit/index.ts";
import { type AccountKey, lockAccount } from "../accounts/accounts.store.ts";
import { changeAccountWithin, noSubscription } from "../accounts/change-account.ts";
import type { BillingDeps } from "../billing-deps.ts";
import { currencyOf } from "../invoices/to-invoice.ts";
import { hurryOpenAttempts } from "./attempts.store.ts";
import type { PaymentProviderName } from "./payment-provider.ts";
import { findByReference, insertReceived, listOpenInvoiceIds } from "./received-payments.store.ts";

/** Money that has arrived for a customer. */
export type Receipt = {
  key: AccountKey;
  provider: PaymentProviderName;
  /** The provider's own name of it: the same one counts once. */
  reference: string;
  /** Minor units. */
  amount: bigint;
  currency: string;
  receivedAt: Date;
  /** Invoices that it pays, in order; left out: open ones, the oldest first. What is beyond becomes balance. */
  invoiceIds?: readonly string[];
  /** What invoices show as the reference; left out: that of the provider. */
  note?: string;
  details?: Record<string, JsonValue>;
};

/** @throws {AppError} `CONFLICT` where the account is in another currency: its invoices can take none of it. */
function assertSameCurrency(ofAccount: string, { currency }: Receipt): void {
  if (ofAccount !== currency) {
    throw new AppError({
      code: "CONFLICT",
      publicMessage: `This customer is billed in ${ofAccount}, and the payment is in ${currency}.`,
      extensions: { reason: "other_currency" },
    });
  }
}

/**
 * Records money that was received, once, and applies it to invoices: account, invoices, standing and rights follow in the caller's
 * transaction, which must be one of the operator role. Also a payment of what is settled already is recorded: it is balance then.
 *
 * @param input.recordedTo - A cut-off of usage, taken before the transaction.
 * @returns The payment's id; `undefined` when it was recorded before, and nothing is changed.
 * @throws {AppError} `CONFLICT` without an account, or with one in another currency.
 */
export async function receivePaymentWithin(
  deps: BillingDeps,
  tx: Tx,
  context: CallContext,
  { receipt, recordedTo }: { receipt: Receipt; recordedTo: Date },
): Promise<string | undefined> {
  const { key, provider, reference, amount, receivedAt, note = reference, details = {} } = receipt;
  // Payments of one account take turns, so the same one is not recorded twice at once.
  const row = await lockAccount(tx, key);
  if (row === undefined) {
    throw noSubscription();
  }
  assertSameCurrency(row.currency, receipt);
  const known = await findByReference(tx, {
    provider,
    environment: key.environment,
    reference,
  });
  if (known !== undefined) {
    return;
  }
  const invoiceIds = receipt.invoiceIds ?? (await listOpenInvoiceIds(tx, key));
  const [only] = invoiceIds.length === 1 ? invoiceIds : [];
  const currency = currencyOf(receipt.currency);
  const text = formatMinor(amount, currency);
  const { actor } = context;
  const paymentId = deps.newId("payment");
  let applied: { shares: readonly PaidShare[]; toBalance: bigint } = { shares: [], toBalance: 0n };
  let paid: { invoiceId: string; number: string }[] = [];
  await changeAccountWithin(deps, tx, context, {
    recordedTo,
    change: {
      isMoney: true,
      key,
      invoiceIds,
      step: (account, { loaded }) => {
        const invoices = invoiceIds.map((invoiceId) => loaded.invoiceIds.indexOf(invoiceId));
        const { after, ...rest } = applyMoney(account, { amount, invoices });
        applied = rest;
        paid = rest.shares.map(({ invoice }) => ({
          invoiceId: loaded.invoiceIds[invoice] ?? "",
          number: loaded.invoiceNumbers[invoice] ?? "",
        }));
        return after;
      },
      events: [
        only === undefined
          ? { kind: "payment.received", details: { amount: text, currency: currency.code } }
          : { kind: "invoice.paid", details: { invoiceId: only } },
      ],
      noteReason: "",
      alsoWrites: async () => {
        await insertReceived(
          tx,
          {
            ...key,
            paymentId,
            provider,
            reference,
            amount: amount.toString(),
            currency: currency.code,
            toBalance: applied.toBalance.toString(),
            receivedAt,
            recordedAt: deps.clock.now(),
            recordedBy: `${actor.type}:${actor.id}`,
          },
          {
            note,
            shares: applied.shares.map((share, place) => ({
              // The first has the payment's own id, as payments had that were of one invoice each.
              shareId: place === 0 ? paymentId : deps.newId("payment"),
              invoiceId: paid[place]?.invoiceId ?? "",
              amount: share.amount.toString(),
              beyond: share.beyond.toString(),
            })),
          },
        );
        await hurryOpenAttempts(tx, { invoiceIds, now: deps.clock.now() });
        await writeAudit(deps, tx, context, {
          tenantId: key.tenantId,
          action: only === undefined ? "payment.received" : "invoice.payment_recorded",
          ...(only === undefined
            ? { entityType: "payment", entityId: paymentId }
            : { entityType: "invoice", entityId: only }),
          details: {
            environment: key.environment,
            amount: text,
            currency: currency.code,
            reference: note,
            invoices: paid.map(({ number }) => number),
            ...details,
          },
        });
      },
    },
  });
  return paymentId;
}
