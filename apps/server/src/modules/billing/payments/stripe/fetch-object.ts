import type { Stripe } from "stripe";
import type { PaymentMethod, ProviderObject } from "../payment-provider.ts";
import { type AskStripe, isStripeRefusal } from "./stripe-client.ts";
import type { StripeSettings } from "./stripe-settings.ts";
import { fromStripeAmount } from "./stripe-units.ts";
import { toPaymentState } from "./to-payment-state.ts";
import { toRefundState } from "./to-refund-state.ts";

const FOREIGN: ProviderObject = { kind: "foreign" };
/** Disputes in these states have not taken the money, or have given it back. docs.stripe.com/api/disputes/object */
const HARMLESS_DISPUTES: ReadonlySet<string> = new Set([
  "won",
  "prevented",
  "warning_needs_response",
  "warning_under_review",
  "warning_closed",
]);

function toMethod(customerRef: string, method: Stripe.PaymentMethod): PaymentMethod {
  const { card, sepa_debit: debit, us_bank_account: account } = method;
  return {
    customerRef,
    methodRef: method.id,
    type: method.type,
    brand: card?.brand ?? account?.bank_name ?? null,
    last4: card?.last4 ?? debit?.last4 ?? account?.last4 ?? null,
    expiresMonth: card?.exp_month ?? null,
    expiresYear: card?.exp_year ?? null,
  };
}

async function isDisputed(stripe: Stripe, intent: string): Promise<boolean> {
  for await (const { status } of stripe.disputes.list({ payment_intent: intent, limit: 100 })) {
    if (!HARMLESS_DISPUTES.has(status)) {
      return true;
    }
  }
  return false;
}

async function fetchPayment(stripe: Stripe, id: string, instance: string): Promise<ProviderObject> {
  const intent = await stripe.paymentIntents.retrieve(id, { expand: ["latest_charge"] });
  const { attempt } = intent.metadata;
  if (intent.metadata["instance"] !== instance || attempt === undefined) {
    return FOREIGN;
  }
  const { latest_charge: charge } = intent;
  const known = charge === null || typeof charge === "string" ? undefined : charge;
  return {
    kind: "payment",
    attemptId: attempt,
    payment: toPaymentState(intent),
    refunded: fromStripeAmount(known?.amount_refunded ?? 0, intent.currency),
    isDisputed: known?.disputed === true && (await isDisputed(stripe, id)),
  };
}

async function fetchMethod(
  stripe: Stripe,
  id: string,
  { instance, environment }: StripeSettings,
): Promise<ProviderObject> {
  const { metadata, status, customer, payment_method } = await stripe.setupIntents.retrieve(id, {
    expand: ["payment_method"],
  });
  const tenantId = metadata?.["tenant"];
  const isOurs = metadata?.["instance"] === instance && tenantId !== undefined;
  if (!isOurs || status !== "succeeded" || customer === null || payment_method === null) {
    return FOREIGN;
  }
  const customerRef = typeof customer === "string" ? customer : customer.id;
  const method =
    typeof payment_method === "string"
      ? await stripe.paymentMethods.retrieve(payment_method)
      : payment_method;
  // Detached meanwhile: it cannot be charged.
  return method.customer === null
    ? FOREIGN
    : { kind: "method", tenantId, environment, method: toMethod(customerRef, method) };
}

async function fetchRefund(stripe: Stripe, id: string, instance: string): Promise<ProviderObject> {
  const refund = await stripe.refunds.retrieve(id);
  const refundId = refund.metadata?.["refund"];
  return refund.metadata?.["instance"] !== instance || refundId === undefined
    ? FOREIGN
    : { kind: "refund", refundId, refund: toRefundState(refund) };
}

/** Fetches what an event is about. What is not there, or was made by others in the same account, is foreign. */
export async function fetchObject(
  ask: AskStripe,
  settings: StripeSettings,
  id: string,
): Promise<ProviderObject> {
  try {
    return await ask(async (stripe) => {
      switch (id.slice(0, id.indexOf("_"))) {
        case "pi":
          return await fetchPayment(stripe, id, settings.instance);
        case "seti":
          return await fetchMethod(stripe, id, settings);
        case "re":
        case "pyr":
          return await fetchRefund(stripe, id, settings.instance);
        default:
          return FOREIGN;
      }
    });
  } catch (error) {
    if (isStripeRefusal(error) && error.code === "resource_missing") {
      return FOREIGN;
    }
    throw error;
  }
}
