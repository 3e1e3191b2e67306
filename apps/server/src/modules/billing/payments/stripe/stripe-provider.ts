import type { Stripe } from "stripe";
import {
  AMOUNT_TOO_SMALL,
  type CollectRequest,
  CURRENCY_NOT_SUPPORTED,
  type MethodSetup,
  type PayingCustomer,
  type PaymentProvider,
  type PaymentState,
  ProviderDown,
  type ProviderEvent,
  type RefundRequest,
  type RefundState,
} from "../payment-provider.ts";
import { fetchObject } from "./fetch-object.ts";
import { EVENT_TYPES, parseStripeEvent, toProviderEvent } from "./parse-stripe-event.ts";
import { readRefusal } from "./read-refusal.ts";
import {
  type AskStripe,
  createStripeClient,
  isStripeRefusal,
  NoAnswer,
  ONCE,
  type StripeRefusal,
} from "./stripe-client.ts";
import type { StripeSettings } from "./stripe-settings.ts";
import { toStripeAmount } from "./stripe-units.ts";
import { toPaymentState } from "./to-payment-state.ts";
import { toRefundState } from "./to-refund-state.ts";

export type StripeProvider = Omit<PaymentProvider, "setupMethod"> &
  Required<Pick<PaymentProvider, "removeMethod" | "authenticate" | "notices">> & {
    setupMethod(
      ...input: Parameters<PaymentProvider["setupMethod"]>
    ): Promise<Extract<MethodSetup, { kind: "page" }>>;
  };

const PAGE = 100;
/** Payments of one customer that are looked through for an attempt, newest first. */
const LOOK_UP_MAX = 1_000;
const CHARGE = "latest_charge";

/** What is wrong with the request itself, such as a method that was removed at Stripe. */
const MISSING_METHOD: ReadonlySet<string> = new Set([
  "resource_missing",
  "payment_method_unexpected_state",
  "payment_method_unactivated",
]);

/** A refused call as a state: of a payment that was made and declined, or of one that was never made. */
function toRefused(refusal: StripeRefusal): PaymentState {
  if (refusal.payment_intent !== undefined) {
    return toPaymentState(refusal.payment_intent);
  }
  const refused = readRefusal(refusal);
  return {
    state: "failed",
    reference: undefined,
    ...refused,
    isHard: refused.isHard || MISSING_METHOD.has(refusal.code ?? ""),
  };
}

/** Reads what a call that moves money came to; what is not known is `unknown`. */
async function toState(call: Promise<Stripe.PaymentIntent>): Promise<PaymentState> {
  try {
    return toPaymentState(await call);
  } catch (error) {
    if (error instanceof NoAnswer) {
      return { state: "unknown" };
    }
    if (isStripeRefusal(error)) {
      return toRefused(error);
    }
    throw error;
  }
}

/** A call that only reads may be made again: no answer is as good as no connection. */
async function read<Answer>(call: Promise<Answer>): Promise<Answer> {
  try {
    return await call;
  } catch (error) {
    throw error instanceof NoAnswer ? new ProviderDown(error.message) : error;
  }
}

function ownMetadata(settings: StripeSettings, more: Record<string, string>) {
  return { instance: settings.instance, environment: settings.environment, ...more };
}

async function ensureCustomer(
  ask: AskStripe,
  settings: StripeSettings,
  { tenantId, name, email, customerRef }: PayingCustomer,
): Promise<string> {
  if (customerRef !== undefined) {
    return customerRef;
  }
  const customer = await ask((stripe) =>
    stripe.customers.create({
      name,
      ...(email === null ? {} : { email }),
      metadata: ownMetadata(settings, { tenant: tenantId }),
    }),
  );
  return customer.id;
}

async function collect(
  ask: AskStripe,
  settings: StripeSettings,
  request: CollectRequest,
): Promise<PaymentState> {
  const { attemptId, onSession, invoiceId: invoice, tenantId: tenant } = request;
  const amount = toStripeAmount(request.amount, request.currency);
  if (amount === undefined || amount === 0n) {
    const code = amount === 0n ? AMOUNT_TOO_SMALL : CURRENCY_NOT_SUPPORTED;
    const message = `${request.currency} is not charged here: transfer the money, with the reference of the invoice.`;
    return { state: "failed", reference: undefined, ...readRefusal({ code, message }) };
  }
  return await toState(
    ask(
      (stripe) =>
        stripe.paymentIntents.create(
          {
            amount: Number(amount),
            currency: request.currency.toLowerCase(),
            customer: request.customerRef,
            payment_method: request.methodRef,
            confirm: true,
            ...(onSession === null ? { off_session: true } : { return_url: onSession.returnUrl }),
            description: request.invoiceNumber,
            metadata: ownMetadata(settings, { tenant, invoice, attempt: attemptId }),
            expand: [CHARGE],
          },
          { ...ONCE, idempotencyKey: attemptId },
        ),
      attemptId,
    ),
  );
}

/** By the customer's own list: a search may not have the payment yet that was just made, docs.stripe.com/search. */
async function lookUp(
  ask: AskStripe,
  settings: StripeSettings,
  { attemptId, customerRef }: CollectRequest,
): Promise<PaymentState | undefined> {
  const found = await read(
    ask(async (stripe) => {
      const intents = stripe.paymentIntents.list({
        customer: customerRef,
        limit: PAGE,
        expand: [`data.${CHARGE}`],
      });
      let seen = 0;
      for await (const intent of intents) {
        const { attempt, instance } = intent.metadata;
        if (attempt === attemptId && instance === settings.instance) {
          return intent;
        }
        seen += 1;
        if (seen === LOOK_UP_MAX) {
          throw new ProviderDown("A customer has too many payments at Stripe to look through");
        }
      }
      return;
    }),
  );
  return found === undefined ? undefined : toPaymentState(found);
}

/** Confirms on Stripe's own page, which comes back to `returnUrl`: no script of Stripe runs on ours. */
async function authenticate(
  ask: AskStripe,
  input: { reference: string; methodRef: string; returnUrl: string },
): Promise<PaymentState> {
  const known = toPaymentState(
    await read(
      ask((stripe) => stripe.paymentIntents.retrieve(input.reference, { expand: [CHARGE] })),
    ),
  );
  if (known.state !== "action_required" || known.url !== null) {
    return known;
  }
  return await toState(
    ask((stripe) =>
      stripe.paymentIntents.confirm(input.reference, {
        payment_method: input.methodRef,
        return_url: input.returnUrl,
        expand: [CHARGE],
      }),
    ),
  );
}

async function cancel(ask: AskStripe, reference: string): Promise<PaymentState> {
  try {
    return toPaymentState(
      await read(ask((stripe) => stripe.paymentIntents.cancel(reference, { expand: [CHARGE] }))),
    );
  } catch (error) {
    if (!isStripeRefusal(error)) {
      throw error;
    }
    return toPaymentState(
      await read(ask((stripe) => stripe.paymentIntents.retrieve(reference, { expand: [CHARGE] }))),
    );
  }
}

/** Looks for the refund first, so that asking again never pays twice, however long ago the first time was. */
async function refund(
  ask: AskStripe,
  settings: StripeSettings,
  request: RefundRequest,
): Promise<RefundState> {
  const { refundId, paymentReference } = request;
  const amount = toStripeAmount(request.amount, request.currency) ?? 0n;
  try {
    return await ask(async (stripe) => {
      for await (const known of stripe.refunds.list({
        payment_intent: paymentReference,
        limit: PAGE,
      })) {
        if (known.metadata?.["refund"] === refundId) {
          return toRefundState(known);
        }
      }
      const made = await stripe.refunds.create(
        {
          payment_intent: paymentReference,
          amount: Number(amount),
          metadata: ownMetadata(settings, { refund: refundId }),
        },
        { ...ONCE, idempotencyKey: refundId },
      );
      return toRefundState(made);
    }, refundId);
  } catch (error) {
    if (error instanceof NoAnswer) {
      return { state: "unknown" };
    }
    if (isStripeRefusal(error)) {
      return { state: "failed", reason: error.code ?? "refused", message: error.message };
    }
    throw error;
  }
}

async function* listEvents(ask: AskStripe, sinceMs: number): AsyncIterable<ProviderEvent> {
  const created = { gte: Math.floor(sinceMs / 1000) };
  const events = await read(
    ask(async (stripe) => {
      const found: ProviderEvent[] = [];
      const types = [...EVENT_TYPES];
      for await (const event of stripe.events.list({ created, types, limit: PAGE })) {
        found.push(toProviderEvent(event));
      }
      return found;
    }),
  );
  // Oldest first, as they happened.
  yield* events.reverse();
}

/** Payments by Stripe: cards and bank accounts are entered and kept there. */
export function createStripeProvider(settings: StripeSettings): StripeProvider {
  const ask = createStripeClient(settings);
  return {
    name: "stripe",
    async setupMethod(customer, { returnUrl, cancelUrl, currency }) {
      const customerRef = await read(ensureCustomer(ask, settings, customer));
      const metadata = ownMetadata(settings, { tenant: customer.tenantId });
      const session = await read(
        ask((stripe) =>
          stripe.checkout.sessions.create({
            mode: "setup",
            customer: customerRef,
            currency: currency.toLowerCase(),
            success_url: returnUrl,
            cancel_url: cancelUrl,
            metadata,
            setup_intent_data: { metadata },
          }),
        ),
      );
      if (session.url === null) {
        throw new ProviderDown("Stripe made a page without an address");
      }
      return { kind: "page", url: session.url, customerRef };
    },
    async removeMethod({ methodRef }) {
      try {
        await read(ask((stripe) => stripe.paymentMethods.detach(methodRef)));
      } catch (error) {
        // Detached before, or deleted at Stripe: it cannot be charged, which is what was wanted.
        if (!isStripeRefusal(error)) {
          throw error;
        }
      }
    },
    collect: (request) => collect(ask, settings, request),
    lookUp: (request) => lookUp(ask, settings, request),
    authenticate: (input) => authenticate(ask, input),
    cancel: (reference) => cancel(ask, reference),
    refund: (request) => refund(ask, settings, request),
    notices: {
      parseEvent: (input) => parseStripeEvent(settings, input),
      listEvents: (sinceMs) => listEvents(ask, sinceMs),
      fetch: ({ objectRef }) => read(fetchObject(ask, settings, objectRef)),
    },
  };
}
