import type { Stripe } from "stripe";
import type { RefundState } from "../payment-provider.ts";

/** What a refund at Stripe is to us. */
export function toRefundState({ id, status, failure_reason: reason }: Stripe.Refund): RefundState {
  if (status === "failed" || status === "canceled") {
    return {
      state: "failed",
      reason: reason ?? status,
      message: "The bank did not take the refund; the money is back in your account at Stripe.",
    };
  }
  return { state: status === "succeeded" ? "succeeded" : "processing", reference: id };
}
