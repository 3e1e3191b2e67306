import { inspect } from "node:util";
import { afterAll, afterEach, beforeAll, expect, it } from "vitest";
import { type CollectRequest, ProviderDown, ProviderMisconfigured } from "../payment-provider.ts";
import { createStripeProvider, type StripeProvider } from "./stripe-provider.ts";
import {
  closeDispute,
  makeMethod,
  openDispute,
  settleIntent,
} from "./testing/stand-in-payments.fixture.ts";
import { openStripeStandIn, type StripeStandIn } from "./testing/stripe-stand-in.fixture.ts";

const KEY = "rk_test_0123456789abcdefSECRET";
const POOR_KEY = "rk_test_mayNotCollect0000";
/** Long enough for a busy machine, short enough for a test that waits for silence. */
const TIMEOUT_MS = 1_000;
const CUSTOMER = {
  tenantId: "tnt_1",
  environment: "test",
  name: "Ada Ltd",
  email: "ada@example.com",
  customerRef: undefined,
} as const;

let nowMs = Date.UTC(2026, 0, 15);
let standIn: StripeStandIn;
let stripe: StripeProvider;
let attempts = 0;

beforeAll(async () => {
  standIn = await openStripeStandIn({
    now: () => nowMs,
    restricted: { [POOR_KEY]: ["customer_write", "payment_intent_read"] },
  });
  stripe = open(KEY);
});
afterAll(() => standIn.close());
afterEach(() => {
  standIn.requests.length = 0;
});

function open(key: string, more: { timeoutMs?: number; apiUrl?: string } = {}): StripeProvider {
  return createStripeProvider({
    environment: "test",
    key,
    webhookSecrets: [],
    instance: "turnpike",
    apiUrl: standIn.url,
    ...more,
  });
}

/** A customer at Stripe with one of the documented test methods. */
async function addMethod(name: string): Promise<{ customerRef: string; methodRef: string }> {
  const page = {
    returnUrl: "http://shop.test/back",
    cancelUrl: "http://shop.test",
    currency: "EUR",
  };
  const { customerRef } = await stripe.setupMethod(CUSTOMER, page);
  return { customerRef, methodRef: makeMethod(standIn.state, name, customerRef).id };
}

function request(method: { customerRef: string; methodRef: string }): CollectRequest {
  attempts += 1;
  return {
    attemptId: `pat_${String(attempts)}`,
    tenantId: "tnt_1",
    environment: "test",
    invoiceId: "inv_1",
    invoiceNumber: "INV-2026-1",
    amount: 4_900n,
    currency: "EUR",
    ...method,
    onSession: null,
  };
}

const intents = () => [...standIn.state.intents.values()];
const charged = () =>
  intents()
    .filter(({ status }) => status === "succeeded")
    .reduce((sum, { amount_received: amount }) => sum + amount, 0);

it("saves a card on Stripe's page and reads what was saved", async () => {
  const page = {
    returnUrl: "http://shop.test/back",
    cancelUrl: "http://shop.test",
    currency: "EUR",
  };
  const { url, customerRef } = await stripe.setupMethod(CUSTOMER, page);
  const send = (number: string) =>
    fetch(url, { method: "POST", body: new URLSearchParams({ number }), redirect: "manual" });
  expect(await (await send("4242")).text()).toContain("Your card number is incorrect.");
  const saved = await send("4242 4242 4242 4242");
  expect(saved.headers.get("location")).toBe(page.returnUrl);
  const [setup] = standIn.state.setups.values();
  const event = { type: "setup_intent.succeeded", objectRef: setup?.id ?? "" };
  const object = await stripe.notices.fetch(event);
  expect(object).toMatchObject({
    kind: "method",
    tenantId: "tnt_1",
    environment: "test",
    method: { customerRef, type: "card", brand: "visa", last4: "4242", expiresYear: 2034 },
  });
  const method = object.kind === "method" ? object.method : { customerRef, methodRef: "" };
  await stripe.removeMethod(method);
  // A second time finds it removed, which is what was wanted; and a late notice does not bring it back.
  await stripe.removeMethod(method);
  expect(await stripe.notices.fetch(event)).toEqual({ kind: "foreign" });
});

it("reads each way in which a payment ends", async () => {
  const ends = async (name: string, change: Partial<CollectRequest> = {}) => {
    const { reference: _, ...state } = {
      reference: undefined,
      ...(await stripe.collect({ ...request(await addMethod(name)), ...change })),
    };
    return state;
  };
  expect(await ends("pm_card_visa")).toEqual({ state: "succeeded", amount: 4_900n, atMs: nowMs });
  expect(await ends("pm_card_visa_chargeDeclinedInsufficientFunds")).toMatchObject({
    state: "failed",
    reason: "insufficient_funds",
    isHard: false,
  });
  // The holder of a stolen card does not read that it was reported.
  expect(await ends("pm_card_visa_chargeDeclinedStolenCard")).toEqual({
    state: "failed",
    reason: "stolen_card",
    message: "Your card was declined.",
    isHard: true,
  });
  expect(await ends("pm_card_visa_chargeDeclinedLostCard")).toMatchObject({ isHard: true });
  // By the issuer's advice beside a code that says nothing.
  expect(await ends("pm_card_visa_chargeDeclined")).toMatchObject({
    reason: "generic_decline",
    isHard: true,
  });
  expect(await ends("pm_sepa_debit")).toEqual({ state: "processing" });
  expect(await ends("pm_card_authenticationRequired")).toEqual({
    state: "action_required",
    url: null,
  });
  expect(await ends("pm_card_visa", { currency: "UGX", amount: 23_188n })).toMatchObject({
    amount: 23_188n,
  });
  expect(await ends("pm_card_visa", { amount: 20n })).toMatchObject({ reason: "amount_too_small" });
  expect(await ends("pm_card_visa", { currency: "LYD" })).toMatchObject({
    reason: "currency_not_supported",
  });
  expect(await ends("pm_card_visa", { methodRef: "pm_gone" })).toMatchObject({
    state: "failed",
    reason: "resource_missing",
    isHard: true,
  });
});

it("authenticates the same payment on Stripe's page, as often as it takes", async () => {
  const method = await addMethod("pm_card_authenticationRequired");
  const failed = await stripe.collect(request(method));
  if (failed.state !== "action_required") {
    throw new Error("The card asks for authentication");
  }
  const input = { ...method, reference: failed.reference, returnUrl: "http://shop.test/pay" };
  const answer = async (text: string) => {
    const begun = await stripe.authenticate(input);
    // Asked twice, the customer goes to the same page.
    expect(await stripe.authenticate(input)).toEqual(begun);
    const url = begun.state === "action_required" ? (begun.url ?? "") : "";
    const body = new URLSearchParams({ answer: text });
    const back = await fetch(url, { method: "POST", body, redirect: "manual" });
    expect(back.headers.get("location")).toContain(input.returnUrl);
    return await stripe.notices.fetch({ type: "", objectRef: failed.reference });
  };
  expect(await answer("no")).toMatchObject({
    payment: { state: "failed", reason: "payment_intent_authentication_failure" },
  });
  // Stripe lets a payment that was refused be confirmed again, so what must not be paid any more is ended.
  const other = await stripe.collect({
    ...request(method),
    onSession: { returnUrl: input.returnUrl },
  });
  expect(other).toMatchObject({ state: "action_required", url: expect.stringContaining("http") });
  const otherRef = other.state === "action_required" ? other.reference : "";
  expect(await stripe.cancel(otherRef)).toMatchObject({ state: "failed", reason: "canceled" });
  expect(await stripe.authenticate({ ...input, reference: otherRef })).toMatchObject({
    reason: "canceled",
  });
  const again = await stripe.collect(request(method));
  input.reference = again.state === "action_required" ? again.reference : "";
  failed.reference = input.reference;
  expect(await answer("yes")).toMatchObject({ payment: { state: "succeeded" } });
  expect(await stripe.cancel(input.reference)).toMatchObject({ state: "succeeded" });
});

it("charges once when the answer is lost, and looks up what is not known", async () => {
  const hasty = open(KEY, { timeoutMs: TIMEOUT_MS });
  const method = await addMethod("pm_card_visa");
  const before = charged();
  const lose = async (fault: "silentAfter" | "resetsAfter" | "failsAfter" | "fails") => {
    const attempt = request(method);
    // The client tries a closed connection once more in any case.
    const faults = fault === "resetsAfter" ? [fault, fault] : [fault];
    standIn.fail(new RegExp(`POST .* ${attempt.attemptId}$`), ...faults);
    expect(await hasty.collect(attempt), fault).toEqual({ state: "unknown" });
    const known = await stripe.lookUp(attempt);
    // A failure before it was done leaves nothing; the others were charged.
    expect(known?.state, fault).toBe(fault === "fails" ? undefined : "succeeded");
    // Sent again within a day, Stripe answers what it did the first time.
    expect(await stripe.collect(attempt), fault).toMatchObject({ state: "succeeded" });
  };
  await Promise.all((["silentAfter", "resetsAfter", "failsAfter", "fails"] as const).map(lose));
  // A cut connection is tried again by the client, with the same key.
  const cut = request(method);
  standIn.fail(new RegExp(`POST .* ${cut.attemptId}$`), "resetsAfter");
  expect(await stripe.collect(cut)).toMatchObject({ state: "succeeded" });
  expect(charged() - before).toBe(5 * 4_900);
  // Charged, then cut, then refused: the last answer alone would say that nothing has happened.
  const late = request(method);
  standIn.fail(new RegExp(`POST .* ${late.attemptId}$`), "resetsAfter", "rateLimits");
  expect(await stripe.collect(late)).toEqual({ state: "unknown" });
  expect(await stripe.lookUp(late)).toMatchObject({ state: "succeeded" });
  // The same key for another amount is refused there, and is no answer here.
  const attempt = request(method);
  await stripe.collect(attempt);
  expect(await stripe.collect({ ...attempt, amount: 9_900n })).toEqual({ state: "unknown" });
});

it("finds an attempt among more payments than a page, and none of another installation", async () => {
  const method = await addMethod("pm_card_visa");
  const first = request(method);
  await stripe.collect(first);
  const [template] = intents().slice(-1);
  for (let index = 0; index < 150; index += 1) {
    const base = standIn.state.base("pi", "payment_intent");
    const metadata = { instance: "elsewhere", attempt: first.attemptId };
    standIn.state.intents.set(base.id, {
      ...structuredClone(template),
      ...base,
      metadata,
    } as never);
  }
  expect(await stripe.lookUp(first)).toMatchObject({ state: "succeeded", reference: template?.id });
  expect(await stripe.lookUp({ ...first, attemptId: "pat_other" })).toBeUndefined();
  const foreign = intents().at(-1)?.id ?? "";
  expect(await stripe.notices.fetch({ type: "", objectRef: foreign })).toEqual({ kind: "foreign" });
  expect(await stripe.notices.fetch({ type: "", objectRef: "pi_none" })).toEqual({
    kind: "foreign",
  });
  expect(await stripe.notices.fetch({ type: "", objectRef: "sub_1" })).toEqual({ kind: "foreign" });
});

it("refunds once however often it is asked, and sees refunds and disputes", async () => {
  const paid = await stripe.collect(request(await addMethod("pm_card_visa")));
  const paymentReference = paid.state === "succeeded" ? paid.reference : "";
  const part = { refundId: "rfd_1", paymentReference, amount: 1_900n, currency: "EUR" };
  const done = await stripe.refund(part);
  expect(done).toMatchObject({ state: "succeeded" });
  nowMs += 3 * 24 * 3_600_000;
  expect(await stripe.refund(part)).toEqual(done);
  expect(await stripe.refund({ ...part, refundId: "rfd_2", amount: 3_001n })).toMatchObject({
    state: "failed",
  });
  const reference = done.state === "succeeded" ? done.reference : "";
  expect(await stripe.notices.fetch({ type: "refund.updated", objectRef: reference })).toEqual({
    kind: "refund",
    refundId: "rfd_1",
    refund: done,
  });
  const look = () => stripe.notices.fetch({ type: "charge.refunded", objectRef: paymentReference });
  const refunded = { kind: "refund", refundId: "rfd_1", amount: 1_900n, isTaken: true };
  expect(await look()).toMatchObject({ returned: [refunded], payment: { state: "succeeded" } });
  const dispute = openDispute(standIn.state, paymentReference, 1_000);
  const taken = { kind: "dispute", reference: dispute.id, amount: 1_000n };
  expect(await look()).toMatchObject({ returned: [refunded, { ...taken, isTaken: true }] });
  closeDispute(standIn.state, dispute.id, "won");
  expect(await look()).toMatchObject({ returned: [refunded, { ...taken, isTaken: false }] });
});

it("says what the operator has to do, and when Stripe is down, without the key", async () => {
  const method = await addMethod("pm_card_visa");
  const silent = open(KEY, { timeoutMs: TIMEOUT_MS });
  standIn.fail(/GET .*payment_intents /, "silent", "silent");
  const limited = request(method);
  standIn.fail(new RegExp(` ${limited.attemptId}$`), "rateLimits");
  const failures = await Promise.all(
    [
      open(POOR_KEY).collect(request(method)),
      open("rk_live_0123456789abcdefSECRET").collect(request(method)),
      open(KEY, { apiUrl: "http://127.0.0.1:9" }).collect(request(method)),
      silent.lookUp(request(method)),
      stripe.collect(limited),
    ].map((call) => call.catch((error: unknown) => error)),
  );
  const [poor, wrong, ...down] = failures;
  expect(poor).toBeInstanceOf(ProviderMisconfigured);
  expect(String(poor)).toContain("rak_payment_intent_write");
  expect(String(poor)).toContain('"PaymentIntents: write"');
  expect(wrong).toBeInstanceOf(ProviderMisconfigured);
  expect(down.map((error) => error instanceof ProviderDown)).toEqual([true, true, true]);
  const texts = failures.map((error) => `${inspect(error, { depth: 9 })} ${JSON.stringify(error)}`);
  expect(texts.join()).not.toMatch(/SECRET|mayNotCollect/);
});

it("lists what happened, oldest first, for what never arrived", async () => {
  nowMs += 3_600_000;
  const sinceMs = nowMs;
  const paying = await stripe.collect(request(await addMethod("pm_sepa_debit")));
  const reference = paying.state === "processing" ? paying.reference : "";
  settleIntent(standIn.state, reference, true);
  const seen: string[][] = [];
  for await (const { type, objectRef } of stripe.notices.listEvents(sinceMs)) {
    seen.push([type, objectRef]);
  }
  expect(seen).toEqual([
    ["payment_intent.processing", reference],
    ["payment_intent.succeeded", reference],
  ]);
});
