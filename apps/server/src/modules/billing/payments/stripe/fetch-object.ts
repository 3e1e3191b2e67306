import type { Stripe } from "stripe";
import type { PaymentMethod, ProviderObject, ReturnedMoney } from "../payment-provider.ts";
import { type AskStripe, isStripeRefusal } from "./stripe-client.ts";
import type { StripeSettings } from "./stripe-settings.ts";
import { fromStripeAmount } from "./stripe-units.ts";
import { toPaymentState } from "./to-payment-state.ts";
import { toRefundState } from "./to-refund-state.ts";

const PAGE = 100;
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

function isObject<Value>(expanded: Value | string | null): expanded is Value {
  return expanded !== null && typeof expanded !== "string";
}

/** A payment may be disputed several times, each time by a part of it. */
async function listDisputes(stripe: Stripe, intent: Stripe.PaymentIntent) {
  const found: ReturnedMoney[] = [];
  for await (const dispute of stripe.disputes.list({ payment_intent: intent.id, limit: PAGE })) {
    const { id, status, amount, currency } = dispute;
    // One in another currency, which is rare, counts as one of the whole payment: what is left of it bounds it.
    const isSame = currency === intent.currency;
    found.push({
      reference: id,
      kind: "dispute",
      refundId: undefined,
      amount: fromStripeAmount(isSame ? amount : intent.amount_received, intent.currency),
      isTaken: !HARMLESS_DISPUTES.has(status),
    });
  }
  return found;
}

async function listRefunds(stripe: Stripe, intent: Stripe.PaymentIntent) {
  const found: ReturnedMoney[] = [];
  for await (const refund of stripe.refunds.list({ payment_intent: intent.id, limit: PAGE })) {
    found.push({
      reference: refund.id,
      kind: "refund",
      refundId: refund.metadata?.["refund"],
      amount: fromStripeAmount(refund.amount, intent.currency),
      isTaken: toRefundState(refund).state !== "failed",
    });
  }
  return found;
}

/** @param input.isRefundNews - One of its refunds has changed, perhaps to one that has failed. */
async function fetchPayment(
  stripe: Stripe,
  id: string,
  { instance, isRefundNews = false }: { instance: string; isRefundNews?: boolean },
): Promise<ProviderObject> {
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
    returned: [
      ...(isRefundNews || (known?.amount_refunded ?? 0) > 0
        ? await listRefunds(stripe, intent)
        : []),
      ...(known?.disputed === true ? await listDisputes(stripe, intent) : []),
    ],
  };
}

async function fetchMethod(
  stripe: Stripe,
  id: string,
  { instance, environment }: StripeSettings,
): Promise<ProviderObject> {
  const intent = await stripe.setupIntents.retrieve(id, {
    expand: ["payment_method", "latest_attempt"],
  });
  const { metadata, status, customer, payment_method, latest_attempt: attempt } = intent;
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
    : {
        kind: "method",
        tenantId,
        environment,
        method: toMethod(customerRef, method),
        // When it was entered, which may be long after the page was opened.
        setUpAtMs: (isObject(attempt) ? attempt.created : intent.created) * 1000,
      };
}

async function fetchRefund(stripe: Stripe, id: string, instance: string): Promise<ProviderObject> {
  const refund = await stripe.refunds.retrieve(id);
  const { metadata, payment_intent: intent } = refund;
  const refundId = metadata?.["refund"];
  if (metadata?.["instance"] === instance && refundId !== undefined) {
    return { kind: "refund", refundId, refund: toRefundState(refund) };
  }
  // Made at Stripe, perhaps of a payment of ours.
  const paymentId = typeof intent === "string" ? intent : intent?.id;
  return paymentId === undefined
    ? FOREIGN
    : await fetchPayment(stripe, paymentId, { instance, isRefundNews: true });
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
          return await fetchPayment(stripe, id, settings);
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
