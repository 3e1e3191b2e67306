import { refusalOf } from "@turnpike/testkit/refusal-of";
import { OPERATOR_CONTEXT } from "@turnpike/testkit/test-services";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { closeDue } from "../closing/close-due.ts";
import { addAdjustment } from "../invoices/add-adjustment.ts";
import { createCreditNote } from "../invoices/create-credit-note.ts";
import { listInvoices } from "../invoices/list-invoices.ts";
import { recordPayment } from "../invoices/record-payment.ts";
import { getSubscription } from "../subscriptions/get-subscription.ts";
import { applyProviderObject } from "./apply-provider-object.ts";
import { applyRefund } from "./apply-refund.ts";
import { collectDue } from "./collect-due.ts";
import { createRefund } from "./create-refund.ts";
import { listPayments } from "./list-payments.ts";
import { payInvoice } from "./pay-invoice.ts";
import { previewRefund } from "./preview-refund.ts";
import { sendDueRefunds } from "./send-refund.ts";
import {
  closeDispute,
  failRefund,
  openDispute,
  createRefund as refundAtStripe,
} from "./stripe/testing/stand-in-payments.fixture.ts";
import { DAY_MS, MINUTE_MS, openPayments, type Payments } from "./testing/payments.fixture.ts";

let payments: Payments;
beforeAll(async () => {
  payments = await openPayments();
});
afterAll(async () => {
  expect(await payments.findings()).toEqual([]);
  await payments.close();
});

/** A tenant whose invoice over 300.00 was paid by card. */
async function payByCard(name: string) {
  const acme = await payments.subscribe(name, { card: "pm_card_visa" });
  await collectDue(payments.deps);
  return { ...acme, ...(await newestPayment(acme)) };
}

async function newestPayment({ tenantId }: Pick<Payer, "tenantId">) {
  const { items } = await listPayments(payments.deps, OPERATOR_CONTEXT, {
    environment: "live",
    tenantId,
    limit: 10,
  });
  return items[0] ?? expect.fail("no payment");
}

type Payer = Awaited<ReturnType<Payments["subscribe"]>>;

const refund = (
  of: { paymentId: string },
  { amount, withCreditNote = true }: { amount?: string; withCreditNote?: boolean } = {},
) =>
  createRefund(payments.deps, OPERATOR_CONTEXT, {
    paymentId: of.paymentId,
    amount,
    withCreditNote,
    reason: "Agreed.",
  });

const balanceOf = async ({ tenantId }: Pick<Payer, "tenantId">) =>
  (await getSubscription(payments.deps, OPERATOR_CONTEXT, { tenantId, environment: "live" }))
    .balance;

describe("a refund", () => {
  it("with a credit note leaves the invoice paid, and the preview says so before", async () => {
    const acme = await payByCard("Credited");
    const input = { paymentId: acme.paymentId, amount: "100", withCreditNote: true };
    const preview = await previewRefund(payments.deps, OPERATOR_CONTEXT, input);
    expect(preview).toMatchObject({
      amount: "100.00",
      left: "300.00",
      fromBalance: "100.00",
      balanceAfter: "0.00",
      invoices: [],
      creditNotes: [{ number: acme.number, total: "100.00" }],
    });
    expect(await payments.read(acme)).toMatchObject({ credited: "0.00" });
    const after = await refund(acme, input);
    expect(after).toMatchObject({ refunded: "100.00", left: "200.00" });
    expect(after.refunds).toMatchObject([{ state: "succeeded", kind: "operator" }]);
    expect(await payments.read(acme)).toMatchObject({ state: "paid", credited: "100.00" });
    expect([...payments.standIn.state.refunds.values()].at(-1)).toMatchObject({ amount: 10_000 });
    // The rest of it, and no more.
    expect(await refund(acme)).toMatchObject({ left: "0.00", refunded: "300.00" });
    expect(await refusalOf(refund(acme, { amount: "0.01" }))).toMatchObject({ code: "CONFLICT" });
    expect(await balanceOf(acme)).toBe("0.00");
  });

  it("without one makes the invoice due again, and it is not charged by itself", async () => {
    const acme = await payByCard("Reopened");
    const preview = await previewRefund(payments.deps, OPERATOR_CONTEXT, {
      paymentId: acme.paymentId,
      amount: "40.50",
      withCreditNote: false,
    });
    expect(preview.invoices).toEqual([
      { invoiceId: acme.invoiceId, number: acme.number, dueAfter: "40.50" },
    ]);
    await refund(acme, { amount: "40.50", withCreditNote: false });
    expect(await payments.read(acme)).toMatchObject({ state: "open", due: "40.50" });
    await payments.putCard(acme.tenantId, "pm_card_visa");
    await collectDue(payments.deps);
    expect(payments.charges(acme.tenantId)).toHaveLength(1);
  });

  it("of what was paid after a failure charges nothing anew: the calendar of attempts is over", async () => {
    const acme = await payments.subscribe("Failed before", {
      card: "pm_card_visa_chargeDeclinedInsufficientFunds",
    });
    await collectDue(payments.deps);
    await payments.putCard(acme.tenantId, "pm_card_visa");
    await collectDue(payments.deps);
    const payment = await newestPayment(acme);
    payments.services.clock.advance(3 * DAY_MS);
    await refund(payment, { withCreditNote: false });
    for (const days of [0, 5, 8]) {
      payments.services.clock.advance(days * DAY_MS + 2 * MINUTE_MS);
      await closeDue(payments.deps);
      await collectDue(payments.deps);
    }
    expect(await payments.read(acme)).toMatchObject({ state: "open", due: "300.00" });
    expect(payments.charges(acme.tenantId)).toHaveLength(2);
  });

  it("of money that was too much comes out of the balance, and credits nothing", async () => {
    const acme = await payments.subscribe("Generous");
    const { invoiceId } = acme;
    await recordPayment(payments.deps, OPERATOR_CONTEXT, {
      invoiceId,
      amount: "350",
      reference: "wire",
    });
    expect(await balanceOf(acme)).toBe("50.00");
    const payment = await newestPayment(acme);
    expect(payment).toMatchObject({ toBalance: "50.00", invoices: [{ amount: "300.00" }] });
    await refund(payment, { amount: "50" });
    expect(await balanceOf(acme)).toBe("0.00");
    expect(await payments.read(acme)).toMatchObject({ state: "paid", credited: "0.00" });
  });

  it("that is asked for twice at once gives back no more than is left", async () => {
    const acme = await payByCard("Twice");
    const asked = await Promise.allSettled([1, 2, 3].map(() => refund(acme, { amount: "200" })));
    expect(asked.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
    expect((await newestPayment(acme)).refunded).toBe("200.00");
  });

  it("without an answer is asked for again with its id, and is made once", async () => {
    const acme = await payByCard("Silent");
    payments.standIn.fail(/POST \/v1\/refunds/, "resetsAfter", "resetsAfter");
    expect((await refund(acme, { amount: "10" })).refunds).toMatchObject([{ state: "unknown" }]);
    payments.services.clock.advance(5 * MINUTE_MS);
    await sendDueRefunds(payments.deps);
    expect((await newestPayment(acme)).refunds).toMatchObject([{ state: "succeeded" }]);
    const made = [...payments.standIn.state.refunds.values()].filter(
      ({ payment_intent }) => payment_intent === acme.reference,
    );
    expect(made).toHaveLength(1);
  });

  it("of all that was paid twice makes the invoice due by all of it", async () => {
    const acme = await payments.subscribe("Twice paid");
    const { invoiceId } = acme;
    for (const reference of ["first", "second"]) {
      payments.services.clock.advance(MINUTE_MS);
      await recordPayment(payments.deps, OPERATOR_CONTEXT, { invoiceId, amount: "300", reference });
      const payment = await newestPayment(acme);
      expect(payment).toMatchObject({ toBalance: reference === "first" ? "0.00" : "300.00" });
    }
    const of = { environment: "live" as const, tenantId: acme.tenantId, limit: 2 };
    const { items } = await listPayments(payments.deps, OPERATOR_CONTEXT, of);
    for (const payment of items) {
      await refund(payment, { withCreditNote: false });
    }
    expect(await payments.read(acme)).toMatchObject({ state: "open", due: "300.00" });
    expect(await balanceOf(acme)).toBe("0.00");
  });

  it("after a credit note that went to the balance makes due what is left of the invoice", async () => {
    const acme = await payByCard("Credited before");
    const credit = { invoiceId: acme.invoiceId, amount: "100", reason: "Agreed." };
    await createCreditNote(payments.deps, OPERATOR_CONTEXT, credit);
    expect(await balanceOf(acme)).toBe("100.00");
    await refund(acme, { withCreditNote: false });
    expect(await payments.read(acme)).toMatchObject({ state: "open", due: "200.00" });
    expect(await balanceOf(acme)).toBe("0.00");
  });

  it("that cannot be finished holds up no other", async () => {
    const payers = [await payByCard("Stuck"), await payByCard("Behind")];
    for (const acme of payers) {
      payments.standIn.fail(/POST \/v1\/refunds/, "resetsAfter", "resetsAfter");
      await refund(acme, { amount: "10" });
    }
    payments.services.clock.advance(5 * MINUTE_MS);
    let begun = 0;
    const { transact } = payments.deps;
    const asOperator: typeof transact.asOperator = (work, share) => {
      begun += 1;
      return begun === 2 ? Promise.reject(new Error("Broken.")) : transact.asOperator(work, share);
    };
    await sendDueRefunds({ ...payments.deps, transact: { ...transact, asOperator } });
    const statesOf = async () =>
      (await Promise.all(payers.map(newestPayment))).map(({ refunds }) => refunds[0]?.state);
    expect((await statesOf()).toSorted()).toEqual(["succeeded", "unknown"]);
    payments.services.clock.advance(60 * MINUTE_MS);
    await sendDueRefunds(payments.deps);
    expect(await statesOf()).toEqual(["succeeded", "succeeded"]);
  });

  it("that fails at the provider is put back as it was", async () => {
    const acme = await payByCard("Failed");
    const { refunds } = await refund(acme, { amount: "30", withCreditNote: false });
    expect(await payments.read(acme)).toMatchObject({ state: "open", due: "30.00" });
    const failed = { state: "failed" as const, reason: "lost", message: "Account closed." };
    const refundId = refunds[0]?.refundId ?? "";
    await applyRefund(payments.deps, { refundId, refund: failed });
    await applyRefund(payments.deps, { refundId, refund: failed });
    expect(await payments.read(acme)).toMatchObject({ state: "paid", due: "0.00" });
    expect(await newestPayment(acme)).toMatchObject({ left: "300.00", refunded: "0.00" });
  });
});

describe("money that the provider gives back by itself", () => {
  const learn = async ({ reference }: { reference: string }) => {
    const object = await payments.provider.notices.fetch({ type: "any", objectRef: reference });
    await applyProviderObject(payments.deps, { provider: "stripe", object });
  };

  it("in a dispute makes the invoice due again, once, and comes back when it is won", async () => {
    const acme = await payByCard("Disputed");
    const dispute = openDispute(payments.standIn.state, acme.reference);
    await learn(acme);
    await learn(acme);
    expect(await payments.read(acme)).toMatchObject({ state: "open", due: "300.00" });
    closeDispute(payments.standIn.state, dispute.id, "won");
    await learn(acme);
    await learn(acme);
    expect(await payments.read(acme)).toMatchObject({ state: "paid", due: "0.00" });
    expect((await newestPayment(acme)).refunds).toMatchObject([
      { kind: "dispute", state: "failed" },
    ]);
  });

  it("takes each disputed part, and gives back exactly that when it is won", async () => {
    const acme = await payByCard("Disputed twice");
    const [first, second] = [12_000, 5_000].map((part) =>
      openDispute(payments.standIn.state, acme.reference, part),
    );
    await learn(acme);
    await learn(acme);
    expect(await payments.read(acme)).toMatchObject({ state: "open", due: "170.00" });
    closeDispute(payments.standIn.state, first?.id ?? "", "won");
    closeDispute(payments.standIn.state, second?.id ?? "", "lost");
    await learn(acme);
    await learn(acme);
    expect(await payments.read(acme)).toMatchObject({ state: "open", due: "50.00" });
    expect(await newestPayment(acme)).toMatchObject({ refunded: "50.00", left: "250.00" });
  });

  it("is recorded when a refund of ours is refused for it, wherever the process ends", async () => {
    const { deps, database, standIn, services } = payments;
    const { transact } = deps;
    let isWhole = false;
    for (let endsAfter = 1; !isWhole; endsAfter += 1) {
      const acme = await payByCard(`Taken ${String(endsAfter)}`);
      openDispute(standIn.state, acme.reference);
      let begun = 0;
      const asOperator: typeof transact.asOperator = (work, share) => {
        begun += 1;
        return begun > endsAfter
          ? Promise.reject(new Error("Killed."))
          : transact.asOperator(work, share);
      };
      const killed = { ...deps, transact: { ...transact, asOperator } };
      const input = { paymentId: acme.paymentId, amount: "100", withCreditNote: false };
      const asked = { ...input, reason: "Agreed." };
      await createRefund(killed, OPERATOR_CONTEXT, asked).catch(() => undefined);
      isWhole = begun <= endsAfter;
      services.clock.advance(5 * MINUTE_MS);
      await sendDueRefunds(deps);
      const { refunds, refunded } = await newestPayment(acme);
      expect(refunds.map(({ kind, state }) => `${kind} ${state}`)).toEqual([
        "operator failed",
        "dispute succeeded",
      ]);
      expect(refunded).toBe("300.00");
    }
    const due = await database.sql`
      select from payment_refunds where check_at is not null and state = 'failed'`;
    expect(due).toHaveLength(0);
  });

  it("is not charged again by an attempt that another amount replaces", async () => {
    const acme = await payments.subscribe("Given back");
    await recordPayment(payments.deps, OPERATOR_CONTEXT, {
      ...{ invoiceId: acme.invoiceId, amount: "100", reference: "wire" },
    });
    await payments.putCard(acme.tenantId, "pm_card_visa");
    // The rest is about to be charged when money is given back.
    payments.standIn.fail(/POST \/v1\/payment_intents /, "rateLimits");
    await collectDue(payments.deps);
    await refund(await newestPayment(acme), { withCreditNote: false });
    expect(await payments.read(acme)).toMatchObject({ state: "open", due: "300.00" });
    payments.services.clock.advance(DAY_MS);
    await collectDue(payments.deps);
    await collectDue(payments.deps);
    expect(payments.charges(acme.tenantId)).toEqual([]);
    // A person may.
    const input = { ...acme, returnUrl: "https://app.test" };
    await payInvoice(payments.deps, OPERATOR_CONTEXT, input);
    expect(payments.charges(acme.tenantId)).toEqual([{ amount: 30_000, status: "succeeded" }]);
  });

  it("and was spent from the balance makes the invoices due again that had it", async () => {
    const acme = await payByCard("Spent");
    const credit = { invoiceId: acme.invoiceId, amount: "300", reason: "Agreed." };
    await createCreditNote(payments.deps, OPERATOR_CONTEXT, credit);
    const charge = (amount: string) =>
      addAdjustment(payments.deps, OPERATOR_CONTEXT, {
        ...{ tenantId: acme.tenantId, environment: "live", amount, when: "now" },
        ...{ description: "Training", taxClass: "standard", reason: "Agreed." },
      });
    await charge("180");
    payments.services.clock.advance(MINUTE_MS);
    await charge("120");
    expect(await balanceOf(acme)).toBe("0.00");
    const dues = async () => {
      const of = { tenantId: acme.tenantId, environment: "live" as const, limit: 5 };
      const { items } = await listInvoices(payments.deps, OPERATOR_CONTEXT, of);
      return items.map(({ due }) => due);
    };
    expect(await dues()).toEqual(["0.00", "0.00", "0.00"]);
    const dispute = openDispute(payments.standIn.state, acme.reference);
    await learn(acme);
    await learn(acme);
    // The newest first, and never the one that was credited.
    expect(await dues()).toEqual(["120.00", "180.00", "0.00"]);
    expect(await payments.findings()).toEqual([]);
    // One is paid anew: of what comes back it needs nothing, and the balance has it.
    const [newest] = (
      await listInvoices(payments.deps, OPERATOR_CONTEXT, {
        ...{ tenantId: acme.tenantId, environment: "live", limit: 1 },
      })
    ).items;
    await recordPayment(payments.deps, OPERATOR_CONTEXT, {
      ...{ invoiceId: newest?.invoiceId ?? "", amount: "120", reference: "anew" },
    });
    closeDispute(payments.standIn.state, dispute.id, "won");
    await learn(acme);
    expect(await dues()).toEqual(["0.00", "0.00", "0.00"]);
    expect(await balanceOf(acme)).toBe("120.00");
  });

  it("as a refund there that fails comes back", async () => {
    const acme = await payByCard("Sent back");
    const at = payments.standIn.state;
    const made = refundAtStripe(at, { payment_intent: acme.reference, amount: "4000" });
    await learn(acme);
    expect(await payments.read(acme)).toMatchObject({ due: "40.00" });
    failRefund(at, made.id);
    await learn({ reference: made.id });
    expect(await payments.read(acme)).toMatchObject({ state: "paid", due: "0.00" });
    expect(await newestPayment(acme)).toMatchObject({ refunded: "0.00" });
  });

  it("as a refund of the operator there is recorded, and one of ours is not counted again", async () => {
    const acme = await payByCard("Dashboard");
    await refund(acme, { amount: "20" });
    await payments.provider.refund({
      refundId: "made-at-stripe",
      paymentReference: acme.reference,
      amount: 5_000n,
      currency: "USD",
    });
    await learn(acme);
    await learn(acme);
    expect(await newestPayment(acme)).toMatchObject({
      refunded: "70.00",
      refunds: [{ kind: "operator" }, { kind: "provider", amount: "50.00" }],
    });
  });

  it("is nothing of a payment that was made by others", async () => {
    const object = await payments.provider.notices.fetch({ type: "any", objectRef: "pi_unknown" });
    expect(await applyProviderObject(payments.deps, { provider: "stripe", object })).toBe(false);
  });
});
