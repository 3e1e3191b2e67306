import { type Form, formOf, textOf, textsOf } from "./form.fixture.ts";
import {
  ApiError,
  type Charge,
  type Dispute,
  find,
  type Intent,
  type Method,
  type Refund,
  type Refusal,
  type StandInState,
} from "./stand-in-state.fixture.ts";
import { type Behaviour, TEST_CARDS } from "./test-cards.fixture.ts";

const ZERO_DECIMALS = new Set(
  "bif clp djf gnf jpy kmf krw mga pyg rwf vnd vuv xaf xof xpf".split(" "),
);
const THREE_DECIMALS = new Set("bhd jod kwd omr tnd".split(" "));
const WHOLE = new Set(["isk", "ugx"]);
const AMOUNT_MAX = 99_999_999;
/** About half a dollar in any currency; the real one depends on the account. */
const AMOUNT_MIN = 50;

function assertAmount(amount: number, currency: string): void {
  const invalid = (code: string, message: string) =>
    new ApiError(400, { code, message, param: "amount" });
  if (!Number.isSafeInteger(amount) || amount < 1) {
    throw invalid("parameter_invalid_integer", "This value must be greater than or equal to 1.");
  }
  if (THREE_DECIMALS.has(currency) && amount % 10 !== 0) {
    throw invalid("invalid_charge_amount", "The last digit of amounts in this currency must be 0.");
  }
  if (WHOLE.has(currency) && amount % 100 !== 0) {
    throw invalid(
      "invalid_charge_amount",
      "Amounts in this currency must be evenly divisible by 100.",
    );
  }
  if (amount < AMOUNT_MIN && !ZERO_DECIMALS.has(currency)) {
    throw invalid("amount_too_small", "Amount must be at least the minimum charge amount.");
  }
  if (amount > AMOUNT_MAX) {
    throw invalid("amount_too_large", "Amount must be no more than 999,999.99.");
  }
}

/** Makes a payment method of a card number, an IBAN, or one of the named test methods. */
export function makeMethod(state: StandInState, name: string, customer: string | null): Method {
  const card = TEST_CARDS.get(name);
  if (card === undefined) {
    throw new ApiError(402, {
      type: "card_error",
      code: "incorrect_number",
      message: "Your card number is incorrect.",
      param: "number",
    });
  }
  const last4 = /^\w*\d{4}$/.test(name) ? name.slice(-4) : "4242";
  const method: Method = {
    ...state.base("pm", "payment_method"),
    type: card.type,
    customer,
    billing_details: { address: null, email: null, name: null, phone: null },
    ...(card.type === "card"
      ? { card: { brand: "visa", funding: "credit", last4, exp_month: 12, exp_year: 2034 } }
      : { sepa_debit: { last4 } }),
  };
  state.methods.set(method.id, method);
  state.behaviours.set(method.id, card.behaviour);
  return method;
}

function charge(state: StandInState, intent: Intent, isPaid: boolean): Charge {
  const made: Charge = {
    ...state.base("ch", "charge"),
    amount: intent.amount,
    amount_captured: isPaid ? intent.amount : 0,
    amount_refunded: 0,
    currency: intent.currency,
    payment_intent: intent.id,
    customer: intent.customer,
    billing_details: {},
    captured: isPaid,
    paid: isPaid,
    refunded: false,
    disputed: false,
    metadata: { ...intent.metadata },
    status: isPaid ? "succeeded" : "failed",
  };
  state.charges.set(made.id, made);
  intent.latest_charge = made.id;
  return made;
}

function succeed(state: StandInState, intent: Intent): void {
  charge(state, intent, true);
  Object.assign(intent, {
    status: "succeeded",
    amount_received: intent.amount,
    last_payment_error: null,
    next_action: null,
  });
  state.emit("payment_intent.succeeded", intent);
}

/** The 402 of a declined payment, which stays as one that may be confirmed again. */
function refuse(state: StandInState, intent: Intent, refusal: Omit<Refusal, "type">): ApiError {
  const error: Refusal = { type: "card_error", ...refusal };
  const method = find(state.methods, intent.payment_method ?? "");
  Object.assign(intent, {
    status: "requires_payment_method",
    next_action: null,
    last_payment_error: { ...error, payment_method: method },
  });
  state.emit("payment_intent.payment_failed", intent);
  return new ApiError(402, { ...error, payment_intent: structuredClone(intent) });
}

function declined({ declineCode, adviceCode, code }: Extract<Behaviour, { does: "declines" }>) {
  return {
    code: code ?? "card_declined",
    decline_code: declineCode,
    message: `Your card was declined (${declineCode}).`,
    ...(adviceCode === undefined ? {} : { advice_code: adviceCode }),
  };
}

function confirm(
  state: StandInState,
  intent: Intent,
  { form, url }: { form: Form; url: string },
): void {
  const method = find(state.methods, textOf(form, "payment_method") ?? intent.payment_method ?? "");
  if (method.customer !== intent.customer) {
    throw new ApiError(400, {
      code: "payment_method_unexpected_state",
      message: "The payment method does not belong to this customer.",
      param: "payment_method",
    });
  }
  intent.payment_method = method.id;
  const isOffSession = textOf(form, "off_session") === "true";
  const returnUrl = textOf(form, "return_url");
  const behaviour = state.behaviours.get(method.id) ?? { does: "succeeds" };
  if (!isOffSession && returnUrl === undefined) {
    throw new ApiError(400, {
      message: "You must provide a `return_url`, as payment methods may redirect.",
      param: "return_url",
    });
  }
  switch (behaviour.does) {
    case "succeeds":
      succeed(state, intent);
      return;
    case "declines":
      charge(state, intent, false);
      throw refuse(state, intent, declined(behaviour));
    case "takesDays":
      Object.assign(intent, { status: "processing", last_payment_error: null });
      state.emit("payment_intent.processing", intent);
      return;
    case "asks": {
      if (isOffSession) {
        const code = "authentication_required";
        const message = "Your card was declined. This transaction requires authentication.";
        throw refuse(state, intent, { code, decline_code: code, message });
      }
      const address = `${url}/authenticate/${intent.id}`;
      Object.assign(intent, {
        status: "requires_action",
        last_payment_error: null,
        next_action: {
          type: "redirect_to_url",
          redirect_to_url: { url: address, return_url: returnUrl },
        },
      });
      state.emit("payment_intent.requires_action", intent);
    }
  }
}

/** `POST /v1/payment_intents`. */
export function createIntent(state: StandInState, form: Form, url: string): Intent {
  const currency = textOf(form, "currency") ?? "";
  const amount = Number(textOf(form, "amount"));
  assertAmount(amount, currency);
  const customer = find(state.customers, textOf(form, "customer") ?? "", "customer");
  const base = state.base("pi", "payment_intent");
  const intent: Intent = {
    ...base,
    amount,
    amount_received: 0,
    currency,
    customer: customer.id,
    payment_method: null,
    payment_method_types: ["card"],
    capture_method: "automatic_async",
    confirmation_method: "automatic",
    client_secret: `${base.id}_secret_stand_in`,
    description: textOf(form, "description") ?? null,
    metadata: textsOf(formOf(form, "metadata")),
    status: "requires_payment_method",
    last_payment_error: null,
    next_action: null,
    latest_charge: null,
  };
  const methodId = textOf(form, "payment_method") ?? "";
  // Wrong parameters make no payment; a declined one does.
  find(state.methods, methodId, "payment_method");
  state.intents.set(intent.id, intent);
  try {
    confirm(state, intent, { form, url });
  } catch (error) {
    if (error instanceof ApiError && error.status === 400) {
      state.intents.delete(intent.id);
    }
    throw error;
  }
  return intent;
}

function unexpectedState(intent: Intent, verb: string): ApiError {
  return new ApiError(400, {
    code: "payment_intent_unexpected_state",
    message: `You cannot ${verb} this PaymentIntent because it has a status of ${intent.status}.`,
    payment_intent: structuredClone(intent),
  });
}

const OPEN = new Set(["requires_payment_method", "requires_confirmation", "requires_action"]);

/** `POST /v1/payment_intents/:id/confirm`. */
export function confirmIntent(state: StandInState, id: string, form: Form, url: string): Intent {
  const intent = find(state.intents, id, "intent");
  if (!OPEN.has(intent.status)) {
    throw unexpectedState(intent, "confirm");
  }
  confirm(state, intent, { form, url });
  return intent;
}

/** `POST /v1/payment_intents/:id/cancel`. */
export function cancelIntent(state: StandInState, id: string): Intent {
  const intent = find(state.intents, id, "intent");
  if (!OPEN.has(intent.status)) {
    throw unexpectedState(intent, "cancel");
  }
  Object.assign(intent, { status: "canceled", next_action: null });
  state.emit("payment_intent.canceled", intent);
  return intent;
}

/** What the customer does on the page of 3-D Secure. */
export function finishAuthentication(state: StandInState, id: string, isGiven: boolean): Intent {
  const intent = find(state.intents, id, "intent");
  if (intent.status !== "requires_action") {
    return intent;
  }
  if (isGiven) {
    succeed(state, intent);
    return intent;
  }
  // The page goes back to the shop; the refusal is on the payment.
  refuse(state, intent, {
    code: "payment_intent_authentication_failure",
    message: "The payment was not authenticated.",
  });
  return intent;
}

/** Ends a payment that takes days. */
export function settleIntent(state: StandInState, id: string, isPaid: boolean): void {
  const intent = find(state.intents, id, "intent");
  if (intent.status !== "processing") {
    return;
  }
  if (isPaid) {
    succeed(state, intent);
    return;
  }
  const message = "The customer's account has not enough funds.";
  refuse(state, intent, { code: "insufficient_funds", message });
}

/** Disputes of a charge that hold money, or have it for good. */
function disputesOf(state: StandInState, charge: string): Dispute[] {
  return [...state.disputes.values()].filter(
    (dispute) => dispute.charge === charge && dispute.status !== "won",
  );
}

/** `POST /v1/refunds`. */
export function createRefund(state: StandInState, form: Form): Refund {
  const intent = find(state.intents, textOf(form, "payment_intent") ?? "", "payment_intent");
  const paid = find(state.charges, intent.latest_charge ?? "", "payment_intent");
  const left = paid.amount - paid.amount_refunded;
  const amount = Number(textOf(form, "amount") ?? left);
  if (disputesOf(state, paid.id).length > 0) {
    const message = `Charge ${paid.id} has been charged back; cannot issue a refund.`;
    throw new ApiError(400, { code: "charge_disputed", message });
  }
  if (left === 0) {
    const message = `Charge ${paid.id} has already been refunded.`;
    throw new ApiError(400, { code: "charge_already_refunded", message });
  }
  if (!(amount >= 1 && amount <= left)) {
    const message = `Refund amount (${String(amount)}) is greater than unrefunded amount on charge (${String(left)})`;
    throw new ApiError(400, { message, param: "amount" });
  }
  const refund: Refund = {
    ...state.base("re", "refund"),
    amount,
    currency: paid.currency,
    charge: paid.id,
    payment_intent: intent.id,
    metadata: textsOf(formOf(form, "metadata")),
    status: "succeeded",
  };
  state.refunds.set(refund.id, refund);
  paid.amount_refunded += amount;
  paid.refunded = paid.amount_refunded === paid.amount;
  state.emit("charge.refunded", paid);
  return refund;
}

/**
 * A customer who tells the bank that it was not them; the bank decides later.
 *
 * @param part - How much of it; left out: all that is left.
 */
export function openDispute(state: StandInState, intentId: string, part?: number): Dispute {
  const intent = find(state.intents, intentId);
  const paid = find(state.charges, intent.latest_charge ?? "");
  const taken = disputesOf(state, paid.id).reduce((sum, { amount }) => sum + amount, 0);
  const left = paid.amount - paid.amount_refunded - taken;
  const amount = part ?? left;
  if (!(amount >= 1 && amount <= left)) {
    throw new ApiError(400, { message: "There is nothing, or nothing more, to dispute." });
  }
  const dispute: Dispute = {
    ...state.base("du", "dispute"),
    amount,
    currency: paid.currency,
    charge: paid.id,
    payment_intent: intentId,
    balance_transactions: [],
    evidence: {},
    evidence_details: {
      due_by: null,
      has_evidence: false,
      past_due: false,
      submission_count: 0,
    },
    is_charge_refundable: false,
    metadata: {},
    reason: "fraudulent",
    status: "needs_response",
  };
  state.disputes.set(dispute.id, dispute);
  paid.disputed = true;
  state.emit("charge.dispute.created", dispute);
  return dispute;
}

/** A refund that the customer's bank sends back: the money is with the operator again. */
export function failRefund(state: StandInState, id: string): void {
  const refund = find(state.refunds, id);
  const paid = find(state.charges, refund.charge);
  if (refund.status === "failed") {
    return;
  }
  Object.assign(refund, { status: "failed", failure_reason: "lost_or_stolen_card" });
  paid.amount_refunded -= refund.amount;
  paid.refunded = false;
  state.emit("refund.failed", refund);
}

export function closeDispute(state: StandInState, id: string, status: "won" | "lost"): void {
  const dispute = find(state.disputes, id);
  dispute.status = status;
  state.emit("charge.dispute.closed", dispute);
}
