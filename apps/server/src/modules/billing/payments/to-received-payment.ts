import type { ReceivedPayment, Refund } from "@turnpike/contract/refunds";
import type { Tx } from "@turnpike/db/client";
import { formatMinor } from "@turnpike/domain/money/currency";
import { currencyOf } from "../invoices/to-invoice.ts";
import { listShares, type ReceivedRow } from "./received-payments.store.ts";
import { listRefunds, type RefundRow } from "./refunds.store.ts";

function toRefund(row: RefundRow): Refund {
  const { refundId, kind, state, amount, currency, reason, message, reference, requestedBy } = row;
  return {
    refundId,
    kind,
    state,
    amount: formatMinor(BigInt(amount), currencyOf(currency)),
    reason,
    message,
    reference,
    requestedBy,
    createdAt: row.createdAt.toISOString(),
  };
}

/** Payments as people read them, with what invoices have of them and what was given back. */
export async function toReceivedPayments(
  tx: Tx,
  rows: readonly ReceivedRow[],
): Promise<ReceivedPayment[]> {
  const ids = rows.map(({ paymentId }) => paymentId);
  const shares = await listShares(tx, ids);
  const refunds = await listRefunds(tx, ids);
  return rows.map(({ receivedAt, refunded, toBalance, amount, ...row }) => {
    const currency = currencyOf(row.currency);
    return {
      ...row,
      amount: formatMinor(BigInt(amount), currency),
      receivedAt: receivedAt.toISOString(),
      invoices: shares
        .filter(({ paymentId }) => paymentId === row.paymentId)
        .map(({ invoiceId, number, amount: share }) => ({
          invoiceId,
          number,
          amount: formatMinor(BigInt(share), currency),
        })),
      toBalance: formatMinor(BigInt(toBalance), currency),
      refunded: formatMinor(BigInt(refunded), currency),
      left: formatMinor(BigInt(amount) - BigInt(refunded), currency),
      refunds: refunds.filter(({ paymentId }) => paymentId === row.paymentId).map(toRefund),
    };
  });
}
