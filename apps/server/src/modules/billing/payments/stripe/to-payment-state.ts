import type { Stripe } from "stripe";
import type { PaymentState } from "../payment-provider.ts";
import { asksForAuthentication, readRefusal } from "./read-refusal.ts";
import { fromStripeAmount } from "./stripe-units.ts";

function toSucceeded(intent: Stripe.PaymentIntent): PaymentState {
  const { latest_charge: charge } = intent;
  const createdSeconds =
    charge === null || typeof charge === "string" ? intent.created : charge.created;
  return {
    state: "succeeded",
    reference: intent.id,
    amount: fromStripeAmount(intent.amount_received, intent.currency),
    atMs: createdSeconds * 1000,
  };
}

function toUnpaid({ id, last_payment_error: error }: Stripe.PaymentIntent): PaymentState {
  if (error === null) {
    // Made, but not yet confirmed: the call that does both at once is under way.
    return { state: "processing", reference: id };
  }
  return asksForAuthentication(error)
    ? { state: "action_required", reference: id, url: null }
    : { state: "failed", reference: id, ...readRefusal(error) };
}

/** What a payment at Stripe is to us. Nothing but its present state counts, so that it may be read in any order. */
export function toPaymentState(intent: Stripe.PaymentIntent): PaymentState {
  const { id: reference, status, next_action: action } = intent;
  switch (status) {
    case "succeeded":
      return toSucceeded(intent);
    case "requires_action":
      return { state: "action_required", reference, url: action?.redirect_to_url?.url ?? null };
    case "requires_payment_method":
      return toUnpaid(intent);
    case "canceled":
      return {
        state: "failed",
        reference,
        reason: "canceled",
        message: "The payment was ended before it was made.",
        isHard: false,
      };
    default:
      return { state: "processing", reference };
  }
}
