import type { TenantId } from "@turnpike/domain/ids/ids";
import { refusalOf } from "@turnpike/testkit/refusal-of";
import { OPERATOR_CONTEXT } from "@turnpike/testkit/test-services";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { getEntitlement } from "#modules/entitlements/index.ts";
import { closeDue } from "../closing/close-due.ts";
import { addAdjustment } from "../invoices/add-adjustment.ts";
import { createCreditNote } from "../invoices/create-credit-note.ts";
import { listInvoices } from "../invoices/list-invoices.ts";
import { markUncollectible } from "../invoices/mark-uncollectible.ts";
import { recordPayment } from "../invoices/record-payment.ts";
import { voidInvoice } from "../invoices/void-invoice.ts";
import { applyProviderObject } from "./apply-provider-object.ts";
import { collectDue } from "./collect-due.ts";
import { createRefund } from "./create-refund.ts";
import { findPaymentTrouble } from "./events/find-payment-trouble.ts";
import { getInvoiceCollection } from "./get-invoice-collection.ts";
import { listPayments } from "./list-payments.ts";
import { getPaymentMethod, removePaymentMethod, setUpPaymentMethod } from "./manage-method.ts";
import { payInvoice } from "./pay-invoice.ts";
import type { PaymentProvider } from "./payment-provider.ts";
import { finishAuthentication } from "./stripe/testing/stand-in-payments.fixture.ts";
import { DAY_MS, MINUTE_MS, openPayments, type Payments } from "./testing/payments.fixture.ts";

const LOW = "pm_card_visa_chargeDeclinedInsufficientFunds";
const RETURN_URL = "https://app.test/billings";

let payments: Payments;
beforeAll(async () => {
  payments = await openPayments();
});
// A fault that no call has met is not for the next case.
afterEach(() => payments.standIn.forgetFaults());
afterAll(async () => {
  // After all of it, money is where it went.
  expect(await payments.findings()).toEqual([]);
  await payments.close();
});

/** Lets time pass, as the jobs of an installation do. */
async function liveMinutes(minutes: number): Promise<void> {
  const { services, deps } = payments;
  services.clock.advance(minutes * MINUTE_MS);
  await closeDue(deps);
  await collectDue(deps);
}

const live = (days: number) => liveMinutes((days * DAY_MS) / MINUTE_MS + 1);

const pay = (of: { tenantId: TenantId; invoiceId: string }) =>
  payInvoice(payments.deps, OPERATOR_CONTEXT, { ...of, returnUrl: RETURN_URL });
const standingOf = async ({ tenantId }: { tenantId: TenantId }) =>
  (await getEntitlement(payments.deps, OPERATOR_CONTEXT, { tenantId })).standing;
const collectionOf = (of: { tenantId: TenantId; invoiceId: string }) =>
  getInvoiceCollection(payments.deps, OPERATOR_CONTEXT, of);
const statesOf = async (of: { tenantId: TenantId; invoiceId: string }) =>
  (await collectionOf(of)).attempts.map(({ cause, state }) => `${cause} ${state}`);

describe("what a provider cannot charge", () => {
  const waits = async (of: { tenantId: TenantId; invoiceId: string }) => {
    await live(60);
    expect(await standingOf(of)).toBe("current");
    expect(await collectionOf(of)).toMatchObject({ calendar: null });
    const reminded = await payments.database.sql`
      select from billing_events where tenant_id = ${of.tenantId} and kind like 'invoice.%' and kind not in ('invoice.issued', 'invoice.paid')`;
    expect(reminded).toHaveLength(0);
  };
  const charge = ({ tenantId }: { tenantId: TenantId }, amount: string) =>
    addAdjustment(payments.deps, OPERATOR_CONTEXT, {
      ...{ tenantId, environment: "live", amount, when: "now" },
      ...{ description: "Training", taxClass: "standard", reason: "Agreed." },
    });

  it("because it is too little stops nothing, and is charged with the next invoice", async () => {
    const acme = await payments.subscribe("Little", { card: LOW });
    await collectDue(payments.deps);
    expect((await collectionOf(acme)).calendar).not.toBeNull();
    await payments.putCard(acme.tenantId, "pm_card_visa");
    const wired = { invoiceId: acme.invoiceId, amount: "299.80", reference: "wire" };
    await recordPayment(payments.deps, OPERATOR_CONTEXT, wired);
    await collectDue(payments.deps);
    expect((await collectionOf(acme)).attempts.at(-1)).toMatchObject({
      state: "failed",
      reason: "amount_too_small",
    });
    await waits(acme);
    await charge(acme, "0.10");
    await live(1);
    expect(await payments.read(acme)).toMatchObject({ state: "open", due: "0.20" });
    await charge(acme, "0.45");
    await collectDue(payments.deps);
    expect(payments.charges(acme.tenantId).at(-1)).toEqual({ amount: 75, status: "succeeded" });
    const of = { tenantId: acme.tenantId, environment: "live" as const, limit: 5 };
    const { items } = await listInvoices(payments.deps, OPERATOR_CONTEXT, of);
    expect(items.map(({ state }) => state)).toEqual(["paid", "paid", "paid"]);
    expect(payments.charges(acme.tenantId)).toHaveLength(2);
  });

  it("is charged once, with one of two invoices that are collected at once", async () => {
    const acme = await payments.subscribe("At once", { card: "pm_card_visa" });
    await recordPayment(payments.deps, OPERATOR_CONTEXT, {
      ...{ invoiceId: acme.invoiceId, amount: "299.80", reference: "wire" },
    });
    await collectDue(payments.deps);
    await charge(acme, "3");
    await charge(acme, "4");
    await Promise.all([collectDue(payments.deps), collectDue(payments.deps)]);
    const charges = payments.charges(acme.tenantId).map(({ amount }) => amount);
    expect(charges.toSorted((a, b) => a - b)).toEqual([320, 400]);
    const of = { tenantId: acme.tenantId, environment: "live" as const, limit: 5 };
    const { items } = await listInvoices(payments.deps, OPERATOR_CONTEXT, of);
    expect(items.map(({ state }) => state)).toEqual(["paid", "paid", "paid"]);
  });

  it("of more than it was is waited for again", async () => {
    const acme = await payments.subscribe("More", { card: "pm_card_visa" });
    await recordPayment(payments.deps, OPERATOR_CONTEXT, {
      ...{ invoiceId: acme.invoiceId, amount: "299.80", reference: "wire" },
    });
    await collectDue(payments.deps);
    const page = { tenantId: acme.tenantId, environment: "live" as const, limit: 1 };
    const [payment] = (await listPayments(payments.deps, OPERATOR_CONTEXT, page)).items;
    await createRefund(payments.deps, OPERATOR_CONTEXT, {
      ...{ paymentId: payment?.paymentId ?? "", amount: "100", withCreditNote: false },
      reason: "Agreed.",
    });
    await live(60);
    expect(await standingOf(acme)).toBe("blocked");
  });

  it("of three decimals is the last digit, which waits as well", async () => {
    const acme = await payments.subscribe("Dinars", { card: "pm_card_visa", planId: "kuwait" });
    await collectDue(payments.deps);
    await collectDue(payments.deps);
    expect(await payments.read(acme)).toMatchObject({ paid: "90.120", due: "0.005" });
    expect(await statesOf(acme)).toEqual(["issued succeeded", "issued failed"]);
    await waits(acme);
  });

  it("because it does not take the currency is transferred: no attempts follow, and health says so", async () => {
    const acme = await payments.subscribe("Libya", { card: "pm_card_visa", planId: "libya" });
    await collectDue(payments.deps);
    expect(await collectionOf(acme)).toMatchObject({
      attempts: [{ reason: "currency_not_supported" }],
      calendar: { begins: "due_date", nextAttempts: [] },
    });
    expect(await findPaymentTrouble(payments.deps)).toMatch(/is in LYD, .* has to transfer it/);
    await recordPayment(payments.deps, OPERATOR_CONTEXT, {
      ...{ invoiceId: acme.invoiceId, amount: "90", reference: "wire" },
    });
    expect(await findPaymentTrouble(payments.deps)).toBeUndefined();
  });
});

describe("a way to pay", () => {
  it("is the one that was entered last, however late and in which order the notices come", async () => {
    const { tenantId } = await payments.subscribe("Two cards");
    const of = { tenantId, environment: "live" as const };
    const open = () =>
      setUpPaymentMethod(payments.deps, OPERATOR_CONTEXT, { ...of, returnUrl: RETURN_URL });
    const pages = [await open(), await open()];
    const enter = async (page: { url: string | null } | undefined, number: string) => {
      payments.services.clock.advance(MINUTE_MS);
      const body = new URLSearchParams({ number });
      await fetch(page?.url ?? "", { method: "POST", body, redirect: "manual" });
      return [...payments.standIn.state.setupAttempts.values()].at(-1)?.setup_intent ?? "";
    };
    // The page that was opened last is left first.
    const older = await enter(pages[1], "4242424242424242");
    const newer = await enter(pages[0], "4000000000000341");
    const learn = async (objectRef: string) => {
      const object = await payments.provider.notices.fetch({
        type: "setup_intent.succeeded",
        objectRef,
      });
      await applyProviderObject(payments.deps, { provider: "stripe", object });
    };
    const last4 = async () =>
      (await getPaymentMethod(payments.deps, OPERATOR_CONTEXT, of)).method?.last4;
    for (const objectRef of [newer, older, newer]) {
      await learn(objectRef);
      expect(await last4()).toBe("0341");
    }
    await removePaymentMethod(payments.deps, OPERATOR_CONTEXT, of);
    for (const objectRef of [newer, older]) {
      await learn(objectRef);
      expect(await last4()).toBeUndefined();
    }
  });
});

describe("an issued invoice", () => {
  it("does not wait for another customer's, of which the provider is slow to answer", async () => {
    const names = ["Slow", "Quick"];
    const payers = [];
    for (const name of names) {
      payers.push(await payments.subscribe(name, { card: "pm_card_visa" }));
    }
    // Each answer waits until the other request has come: one after the other, none would ever come.
    const { promise, resolve } = Promise.withResolvers<void>();
    let asked = 0;
    const { collect } = payments.provider;
    const slow: PaymentProvider = {
      ...payments.provider,
      collect: async (request) => {
        asked += 1;
        if (asked === names.length) {
          resolve();
        }
        await promise;
        return await collect(request);
      },
    };
    await collectDue({ ...payments.deps, payments: { live: slow, test: undefined } });
    for (const acme of payers) {
      expect((await payments.read(acme)).state).toBe("paid");
    }
  });

  it("is collected once, by any number of workers, and not again", async () => {
    const acme = await payments.subscribe("Once", { card: "pm_card_visa" });
    await Promise.all([1, 2, 3].map(() => collectDue(payments.deps)));
    await collectDue(payments.deps);
    expect(payments.charges(acme.tenantId)).toEqual([{ amount: 30_000, status: "succeeded" }]);
    expect(await payments.read(acme)).toMatchObject({ state: "paid", due: "0.00" });
    expect(await statesOf(acme)).toEqual(["issued succeeded"]);
  });

  it("waits without a way to pay, and is collected once there is one", async () => {
    const acme = await payments.subscribe("Later");
    await collectDue(payments.deps);
    expect(payments.charges(acme.tenantId)).toEqual([]);
    await payments.putCard(acme.tenantId, "pm_card_visa");
    await collectDue(payments.deps);
    expect((await payments.read(acme)).state).toBe("paid");
  });

  it("of which the answer was lost is looked up and never charged again", async () => {
    const acme = await payments.subscribe("Lost", { card: "pm_card_visa" });
    payments.standIn.fail(/POST \/v1\/payment_intents /, "resetsAfter", "resetsAfter");
    await collectDue(payments.deps);
    expect(await statesOf(acme)).toEqual(["issued unknown"]);
    await liveMinutes(3);
    expect(payments.charges(acme.tenantId)).toHaveLength(1);
    expect(await statesOf(acme)).toEqual(["issued succeeded"]);
  });

  it("that the provider never received is tried anew after an hour, and nothing has failed", async () => {
    const acme = await payments.subscribe("Unheard", { card: "pm_card_visa" });
    payments.standIn.fail(/POST \/v1\/payment_intents /, "resets", "resets");
    await collectDue(payments.deps);
    payments.standIn.forgetFaults();
    await liveMinutes(3);
    expect(payments.charges(acme.tenantId)).toEqual([]);
    await liveMinutes(60);
    expect(await statesOf(acme)).toEqual(["issued failed"]);
    expect(await standingOf(acme)).toBe("current");
    expect((await collectionOf(acme)).calendar).toMatchObject({ begins: "due_date" });
    await collectDue(payments.deps);
    expect(payments.charges(acme.tenantId)).toHaveLength(1);
    expect(await statesOf(acme)).toEqual(["issued failed", "issued succeeded"]);
    expect(await standingOf(acme)).toBe("current");
  });

  it("is paid later while the provider is down: that is no failed payment", async () => {
    const acme = await payments.subscribe("Down", { card: "pm_card_visa" });
    payments.standIn.fail(/POST \/v1\/payment_intents /, "rateLimits", "rateLimits");
    await collectDue(payments.deps);
    expect(await statesOf(acme)).toEqual(["issued pending"]);
    await liveMinutes(1);
    await liveMinutes(10);
    expect(await statesOf(acme)).toEqual(["issued succeeded"]);
  });
});

describe("dunning", () => {
  it("tries at 2, 7, 14 and 21 days, refuses calls a week later, and payment lifts it at once", async () => {
    const acme = await payments.subscribe("Dunned", { card: LOW });
    await collectDue(payments.deps);
    const days: number[] = [];
    let seen = payments.charges(acme.tenantId).length;
    const standings: Record<number, string> = {};
    for (let day = 1; day <= 29; day += 1) {
      await live(1);
      const { length } = payments.charges(acme.tenantId);
      days.push(...(length > seen ? [day] : []));
      seen = length;
      standings[day] = await standingOf(acme);
    }
    expect(days).toEqual([2, 7, 14, 21]);
    expect([1, 20, 22, 27, 29].map((day) => standings[day])).toEqual([
      "overdue",
      "overdue",
      "grace",
      "grace",
      "blocked",
    ]);
    const { calendar } = await collectionOf(acme);
    expect(calendar).toMatchObject({ begins: "failed_payment", standing: "blocked" });
    await payments.putCard(acme.tenantId, "pm_card_visa");
    await pay(acme);
    expect(await standingOf(acme)).toBe("current");
  });

  it("charges what is due by then, and nothing that is settled, void or written off", async () => {
    const [part, whole, gone, lost] = [
      await payments.subscribe("Part", { card: LOW }),
      await payments.subscribe("Whole", { card: LOW }),
      await payments.subscribe("Void", { card: LOW }),
      await payments.subscribe("Written off", { card: LOW }),
    ];
    await collectDue(payments.deps);
    const record = (invoiceId: string, amount: string) =>
      recordPayment(payments.deps, OPERATOR_CONTEXT, { invoiceId, amount, reference: "wire" });
    await record(part.invoiceId, "120");
    await record(whole.invoiceId, "300");
    await voidInvoice(payments.deps, OPERATOR_CONTEXT, { ...gone, reason: "Agreed." });
    await markUncollectible(payments.deps, OPERATOR_CONTEXT, { ...lost, reason: "Bankrupt." });
    for (const days of [2, 5, 7, 7, 8]) {
      await live(days);
    }
    const amounts = [part, whole, gone, lost].map(({ tenantId }) =>
      payments.charges(tenantId).map(({ amount }) => amount),
    );
    expect(amounts).toEqual([
      [30_000, 18_000, 18_000, 18_000, 18_000],
      [30_000],
      [30_000],
      [30_000],
    ]);
    expect(await Promise.all([part, whole, gone, lost].map(standingOf))).toEqual([
      "blocked",
      "current",
      "current",
      "current",
    ]);
  });

  it("stops after a hard decline until there is another way to pay", async () => {
    const acme = await payments.subscribe("Stolen", {
      card: "pm_card_visa_chargeDeclinedStolenCard",
    });
    await collectDue(payments.deps);
    await live(8);
    expect(payments.charges(acme.tenantId)).toHaveLength(1);
    const { calendar } = await collectionOf(acme);
    expect(calendar).toMatchObject({ isStopped: true, nextAttempts: [] });
    await payments.putCard(acme.tenantId, LOW);
    await collectDue(payments.deps);
    expect((await collectionOf(acme)).calendar).toMatchObject({ isStopped: false });
    await live(7);
    expect(await statesOf(acme)).toEqual(["issued failed", "method failed", "calendar failed"]);
  });

  it("of an overdue invoice has the days of its due date: a card that fails postpones nothing", async () => {
    const acme = await payments.subscribe("Postponer");
    await live(14 + 20);
    expect(await standingOf(acme)).toBe("overdue");
    await payments.putCard(acme.tenantId, LOW);
    await collectDue(payments.deps);
    expect(payments.charges(acme.tenantId)).toHaveLength(1);
    await live(9);
    expect(await standingOf(acme)).toBe("blocked");
  });
});

describe("a customer who pays now", () => {
  it("is charged once, however often and at once it is asked for", async () => {
    const acme = await payments.subscribe("Eager", { card: "pm_card_visa" });
    const asked = await Promise.allSettled([1, 2, 3, 4].map(() => pay(acme)));
    expect(asked.some(({ status }) => status === "fulfilled")).toBe(true);
    expect(payments.charges(acme.tenantId)).toEqual([{ amount: 30_000, status: "succeeded" }]);
    expect(await refusalOf(pay(acme))).toMatchObject({ code: "CONFLICT" });
  });

  it("uses up no attempt and starts no calendar when it fails", async () => {
    const acme = await payments.subscribe("Manual", { card: LOW });
    const { attempt } = await pay(acme);
    expect(attempt).toMatchObject({ cause: "person", state: "failed" });
    expect((await collectionOf(acme)).calendar).toMatchObject({ begins: "due_date" });
    expect(await standingOf(acme)).toBe("current");
  });

  it("is sent to their bank when it asks, and the payment goes on where it was", async () => {
    const acme = await payments.subscribe("Asked", { card: "pm_card_authenticationRequired" });
    await collectDue(payments.deps);
    expect(await statesOf(acme)).toEqual(["issued action_required"]);
    expect(await standingOf(acme)).toBe("current");
    const { url } = await pay(acme);
    expect(url).toMatch(/^http/);
    const [intent] = [...payments.standIn.state.intents.values()].filter(
      ({ metadata }) => metadata["tenant"] === acme.tenantId,
    );
    finishAuthentication(payments.standIn.state, intent?.id ?? "", true);
    await live(1);
    expect(payments.charges(acme.tenantId)).toHaveLength(1);
    expect((await payments.read(acme)).state).toBe("paid");
  });

  it("and transfers meanwhile is not charged as well: the payment is ended at the provider", async () => {
    const acme = await payments.subscribe("Both", { card: "pm_card_authenticationRequired" });
    await collectDue(payments.deps);
    await recordPayment(payments.deps, OPERATOR_CONTEXT, {
      invoiceId: acme.invoiceId,
      amount: "300",
      reference: "wire",
    });
    await collectDue(payments.deps);
    expect(payments.charges(acme.tenantId)).toEqual([{ amount: 30_000, status: "canceled" }]);
  });

  it("confirms no more than is due by then", async () => {
    const acme = await payments.subscribe("Credited", { card: "pm_card_authenticationRequired" });
    await collectDue(payments.deps);
    const credit = { invoiceId: acme.invoiceId, amount: "200", reason: "Agreed." };
    await createCreditNote(payments.deps, OPERATOR_CONTEXT, credit);
    const { attempt, url } = await pay(acme);
    expect(attempt).toMatchObject({ cause: "person", amount: "100.00", state: "action_required" });
    expect(url).toMatch(/^http/);
    expect(payments.charges(acme.tenantId).map(({ amount, status }) => [amount, status])).toEqual([
      [30_000, "canceled"],
      [10_000, "requires_action"],
    ]);
  });

  it("by another card is not asked to confirm the first one: it is ended, and the other one charged", async () => {
    const acme = await payments.subscribe("Replaced", { card: "pm_card_authenticationRequired" });
    await collectDue(payments.deps);
    await payments.putCard(acme.tenantId, "pm_card_visa");
    await collectDue(payments.deps);
    await collectDue(payments.deps);
    expect(payments.charges(acme.tenantId).map(({ status }) => status)).toEqual([
      "canceled",
      "succeeded",
    ]);
    expect(await payments.read(acme)).toMatchObject({ state: "paid", paid: "300.00" });
    expect(await statesOf(acme)).toEqual(["method succeeded"]);
  });

  it("has no way to pay: the refusal says so, and another tenant's invoice is not there", async () => {
    const acme = await payments.subscribe("None");
    const other = await payments.subscribe("Other", { card: "pm_card_visa" });
    expect(await refusalOf(pay(acme))).toMatchObject({ code: "CONFLICT" });
    const foreign = { tenantId: other.tenantId, invoiceId: acme.invoiceId };
    expect(await refusalOf(pay(foreign))).toMatchObject({ code: "RESOURCE_NOT_FOUND" });
  });
});
