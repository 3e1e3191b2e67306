import { AMOUNT_TOO_SMALL } from "../payment-provider.ts";

/**
 * Codes after which the same card or account is never charged again: the issuer has said that it will not come back, and trying
 * all the same costs fees and trust. Sources: docs.stripe.com/declines/codes, and the hard declines that Stripe's own retries
 * leave alone, docs.stripe.com/billing/revenue-recovery/smart-retries.
 */
const HARD_CODES: ReadonlySet<string> = new Set([
  "incorrect_number",
  "lost_card",
  "pickup_card",
  "stolen_card",
  "revocation_of_authorization",
  "revocation_of_all_authorizations",
  "stop_payment_order",
  "highest_risk_level",
  "transaction_not_allowed",
  "do_not_try_again",
  // Bank debits.
  "account_closed",
  "no_account",
  "debit_not_authorized",
]);
/** What the issuer advises beside its code, docs.stripe.com/declines/card. */
const HARD_ADVICE = "do_not_try_again";

/** The holder of a lost or stolen card must not learn from us that it was reported. */
const SILENT_CODES: ReadonlySet<string> = new Set([
  "fraudulent",
  "highest_risk_level",
  "lost_card",
  "merchant_blacklist",
  "pickup_card",
  "stolen_card",
]);
const SILENT_MESSAGE = "Your card was declined.";
const TOO_SMALL_MESSAGE =
  "This is less than can be charged: it is collected with the next invoice, and nothing stops because of it.";

/** What Stripe says of a refused payment, in an error or on the payment itself. */
export type Refusal = {
  code?: string | null | undefined;
  decline_code?: string | null | undefined;
  advice_code?: string | null | undefined;
  message?: string | null | undefined;
};

/** True when the customer has to be there for this payment. */
export function asksForAuthentication({ code, decline_code }: Refusal): boolean {
  return code === "authentication_required" || decline_code === "authentication_required";
}

function toMessage(reason: string, message: string): string {
  if (reason === AMOUNT_TOO_SMALL) {
    return TOO_SMALL_MESSAGE;
  }
  return SILENT_CODES.has(reason) ? SILENT_MESSAGE : message;
}

/** The issuer's code where there is one, whether it is final, and a sentence that the customer may read. */
export function readRefusal(refusal: Refusal): {
  reason: string;
  message: string;
  isHard: boolean;
} {
  const reason = refusal.decline_code ?? refusal.code ?? "card_declined";
  return {
    reason,
    message: toMessage(reason, refusal.message ?? SILENT_MESSAGE),
    isHard:
      HARD_CODES.has(reason) ||
      HARD_CODES.has(refusal.code ?? "") ||
      refusal.advice_code === HARD_ADVICE,
  };
}
