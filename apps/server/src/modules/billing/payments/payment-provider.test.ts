import { refusalOf } from "@turnpike/testkit/refusal-of";
import { OPERATOR_CONTEXT } from "@turnpike/testkit/test-services";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { BillingDeps } from "../billing-deps.ts";
import { createCreditNote } from "../invoices/create-credit-note.ts";
import { listInvoices } from "../invoices/list-invoices.ts";
import { recordPayment } from "../invoices/record-payment.ts";
import { act } from "../testing/billing.fixture.ts";
import { collectDue } from "./collect-due.ts";
import { createRefund } from "./create-refund.ts";
import { getInvoiceCollection } from "./get-invoice-collection.ts";
import { listPayments } from "./list-payments.ts";
import { setUpPaymentMethod } from "./manage-method.ts";
import { createManualProvider } from "./manual/manual-provider.ts";
import { settleRefund } from "./manual/settle-refund.ts";
import { payInvoice } from "./pay-invoice.ts";
import type { PayingCustomer } from "./payment-provider.ts";
import { makeMethod } from "./stripe/testing/stand-in-payments.fixture.ts";
import { describeProvider } from "./testing/payment-provider.suite.ts";
import { openPayments, type Payments } from "./testing/payments.fixture.ts";

const BANK = {
  holder: "Acme APIs",
  iban: "DE89370400440532013000",
  bic: null,
  bank: null,
  lines: [],
};
const RETURN_URL = "https://app.test/billings";

let payments: Payments;
/** Takes transfers only. */
let deps: Payments["deps"];
let names = 0;
beforeAll(async () => {
  payments = await openPayments();
  const { deps: all } = payments;
  deps = { ...all, payments: undefined, billing: { ...all.billing, bank: BANK } };
});
afterAll(async () => {
  expect(await payments.findings()).toEqual([]);
  await payments.close();
});

const customer: PayingCustomer = {
  tenantId: "ten_1",
  environment: "live",
  name: "Ada",
  email: null,
  customerRef: undefined,
};
const newId = () => payments.deps.newId("refund");

function subscribe() {
  names += 1;
  return payments.subscribe(`Customer ${String(names)}`);
}

describe("Stripe as a provider", () => {
  describeProvider(async () => {
    const { provider, standIn } = payments;
    const { customerRef } = await provider.setupMethod(customer, {
      ...{ returnUrl: RETURN_URL, cancelUrl: RETURN_URL, currency: "USD" },
    });
    const addCard = (name: string) => makeMethod(standIn.state, name, customerRef).id;
    const intentsOf = (attemptId: string) =>
      [...standIn.state.intents.values()].filter(
        ({ metadata, status }) => metadata["attempt"] === attemptId && status === "succeeded",
      );
    return {
      provider,
      customer,
      newId,
      begin: (waits) =>
        Promise.resolve({
          ...{ attemptId: payments.deps.newId("attempt"), tenantId: "ten_1", environment: "live" },
          ...{ invoiceId: "inv_1", invoiceNumber: "INV-1", amount: 30_000n, currency: "USD" },
          ...{ customerRef, onSession: null },
          methodRef: addCard(waits ? "pm_card_authenticationRequired" : "pm_card_visa"),
        } as const),
      // A card pays when it is asked.
      pay: () => Promise.resolve(),
      countTaken: ({ attemptId }) => Promise.resolve(intentsOf(attemptId).length),
      finishRefund: (refundId) =>
        Promise.resolve(
          [...standIn.state.refunds.values()].find(
            ({ metadata }) => metadata["refund"] === refundId,
          )?.status ?? "none",
        ),
    };
  });
});

describe("transfers as a provider", () => {
  describeProvider(async () => {
    const { tenantId, invoiceId } = await subscribe();
    const wire = async () => {
      await recordPayment(deps, OPERATOR_CONTEXT, { invoiceId, amount: "300", reference: "wire" });
    };
    const received = async () =>
      (await listPayments(deps, OPERATOR_CONTEXT, { environment: "live", tenantId, limit: 5 }))
        .items;
    return {
      provider: createManualProvider(deps),
      customer,
      newId,
      begin: async () => {
        const { attempt } = await payInvoice(deps, OPERATOR_CONTEXT, {
          ...{ tenantId, invoiceId, returnUrl: RETURN_URL },
        });
        return {
          ...{ attemptId: attempt.attemptId, tenantId, environment: "live", invoiceId },
          ...{ invoiceNumber: "INV-2026-000001", amount: 30_000n, currency: "USD" },
          ...{ customerRef: tenantId, methodRef: "transfer", onSession: null },
        } as const;
      },
      pay: wire,
      countTaken: async () => (await received()).length,
      // The operator makes it, and says so.
      finishRefund: async () => {
        const [payment] = await received();
        const made = await createRefund(deps, OPERATOR_CONTEXT, {
          ...{ paymentId: payment?.paymentId ?? "", amount: "10", withCreditNote: false },
          reason: "Agreed.",
        });
        const { refundId = "", state } = made.refunds[0] ?? {};
        expect(state).toBe("processing");
        const said = { refundId, state: "succeeded" as const };
        await settleRefund(deps, OPERATOR_CONTEXT, said);
        const after = await settleRefund(deps, OPERATOR_CONTEXT, said);
        return after.refunds[0]?.state ?? "none";
      },
    };
  });
});

describe("a transfer that was asked for", () => {
  const ask = (of: Awaited<ReturnType<typeof subscribe>>, by: BillingDeps = deps) =>
    payInvoice(by, OPERATOR_CONTEXT, { ...of, returnUrl: RETURN_URL });
  const attemptsOf = async (of: Awaited<ReturnType<typeof subscribe>>) =>
    (await getInvoiceCollection(deps, OPERATOR_CONTEXT, of)).attempts.map(
      ({ provider, state }) => `${provider} ${state}`,
    );
  const look = async () => {
    payments.services.clock.advance(7 * 3_600_000);
    await collectDue({ ...deps, payments: payments.deps.payments });
  };

  it("says where to and with which reference, once, and ends when the money comes", async () => {
    const acme = await subscribe();
    const [first, second] = await Promise.all([ask(acme), ask(acme)]);
    expect(first.attempt.attemptId).toBe(second.attempt.attemptId);
    expect(await ask(acme)).toMatchObject({
      attempt: {
        attemptId: first.attempt.attemptId,
        provider: "manual",
        state: "processing",
        amount: "300.00",
      },
      url: null,
      transfer: { bank: BANK },
    });
    const { reference } = await getInvoiceCollection(deps, OPERATOR_CONTEXT, acme);
    expect((await ask(acme)).transfer?.reference).toBe(reference);
    await recordPayment(deps, OPERATOR_CONTEXT, {
      ...{ invoiceId: acme.invoiceId, amount: "300", reference: "wire" },
    });
    await collectDue(deps);
    expect(await attemptsOf(acme)).toEqual(["manual succeeded"]);
    expect(await payments.read(acme)).toMatchObject({ state: "paid", paid: "300.00" });
  });

  it("gives way to a card, and to nothing once the invoice is settled otherwise", async () => {
    const acme = await subscribe();
    await ask(acme);
    await payments.putCard(acme.tenantId, "pm_card_visa");
    await look();
    await look();
    expect(await attemptsOf(acme)).toEqual(["stripe succeeded"]);
    const other = await subscribe();
    await ask(other);
    await createCreditNote(deps, OPERATOR_CONTEXT, { invoiceId: other.invoiceId, reason: "Gone." });
    await look();
    expect(await attemptsOf(other)).toEqual(["manual failed"]);
    expect(await refusalOf(ask(other))).toMatchObject({ code: "CONFLICT" });
  });

  it("is refunded when the operator says so, or put back, also after it was sent", async () => {
    const acme = await subscribe();
    await recordPayment(deps, OPERATOR_CONTEXT, {
      ...{ invoiceId: acme.invoiceId, amount: "300", reference: "wire" },
    });
    const of = { environment: "live" as const, tenantId: acme.tenantId, limit: 1 };
    const [payment] = (await listPayments(deps, OPERATOR_CONTEXT, of)).items;
    const { refunds } = await createRefund(deps, OPERATOR_CONTEXT, {
      ...{ paymentId: payment?.paymentId ?? "", amount: "30", withCreditNote: false },
      reason: "Agreed.",
    });
    const refundId = refunds[0]?.refundId ?? "";
    const say = (state: "succeeded" | "failed") =>
      settleRefund(deps, OPERATOR_CONTEXT, { refundId, state });
    expect(await payments.read(acme)).toMatchObject({ due: "30.00" });
    expect((await say("succeeded")).refunds).toMatchObject([{ state: "succeeded" }]);
    expect(await say("failed")).toMatchObject({ refunded: "0.00", refunds: [{ state: "failed" }] });
    expect(await payments.read(acme)).toMatchObject({ state: "paid", due: "0.00" });
    expect(await refusalOf(say("succeeded"))).toMatchObject({ code: "CONFLICT" });
  });

  it("is none in the sandbox, where no money moves", async () => {
    const { tenantId } = await subscribe();
    const sandbox = { tenantId, environment: "test" as const };
    await act(deps, sandbox, { do: "subscribe", planId: "yearly" });
    const setUp = setUpPaymentMethod(deps, OPERATOR_CONTEXT, { ...sandbox, returnUrl: RETURN_URL });
    expect(await refusalOf(setUp)).toMatchObject({ code: "CONFLICT" });
    const page = await listInvoices(deps, OPERATOR_CONTEXT, { ...sandbox, limit: 1 });
    const { invoiceId, number } = page.items[0] ?? expect.fail("no invoice");
    const of = { tenantId, context: OPERATOR_CONTEXT, invoiceId, number };
    const byCard = { live: undefined, test: payments.provider };
    for (const by of [deps, { ...deps, payments: byCard }]) {
      expect(await refusalOf(ask(of, by))).toMatchObject({ code: "CONFLICT" });
    }
  });

  it("is what is set up where no cards are taken", async () => {
    const { tenantId } = await subscribe();
    const of = { tenantId, environment: "live" as const, returnUrl: RETURN_URL };
    expect(await setUpPaymentMethod(deps, OPERATOR_CONTEXT, of)).toEqual({ url: null, bank: BANK });
    const none = { ...deps, billing: payments.deps.billing };
    expect(await refusalOf(setUpPaymentMethod(none, OPERATOR_CONTEXT, of))).toMatchObject({
      code: "CONFLICT",
    });
  });
});
