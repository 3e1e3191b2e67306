import type { PaymentAttempt } from "@turnpike/contract/payments";
import { formatMinor } from "@turnpike/domain/money/currency";
import { currencyOf } from "../invoices/to-invoice.ts";
import type { AttemptRow } from "./attempts.store.ts";

/** An attempt as people read it. */
export function toAttempt(row: AttemptRow): PaymentAttempt {
  const { attemptId, provider, cause, state, amount, currency, reason, message, reference } = row;
  return {
    attemptId,
    provider,
    cause,
    state,
    amount: formatMinor(BigInt(amount), currencyOf(currency)),
    currency,
    reason,
    message,
    reference,
    createdAt: row.createdAt.toISOString(),
    updatedAt: row.updatedAt.toISOString(),
  };
}
