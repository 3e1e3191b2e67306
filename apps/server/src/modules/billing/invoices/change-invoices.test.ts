import { ROLE_SCOPES } from "@turnpike/domain/access/scopes";
import type { TenantId } from "@turnpike/domain/ids/ids";
import { refusalOf } from "@turnpike/testkit/refusal-of";
import type { TestDatabase } from "@turnpike/testkit/test-database";
import {
  createTestTenant,
  OPERATOR_CONTEXT,
  type TestServices,
} from "@turnpike/testkit/test-services";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { listAudit } from "#modules/audit/index.ts";
import type { BillingDeps } from "../billing-deps.ts";
import { closeDue } from "../closing/close-due.ts";
import { getSubscription } from "../subscriptions/get-subscription.ts";
import { act, openPricedBilling, recordUsage } from "../testing/billing.fixture.ts";
import { addAdjustment } from "./add-adjustment.ts";
import { createCreditNote } from "./create-credit-note.ts";
import { getInvoice } from "./get-invoice.ts";
import { listAllInvoices } from "./list-all-invoices.ts";
import { listInvoices } from "./list-invoices.ts";
import { markUncollectible } from "./mark-uncollectible.ts";
import { recordPayment } from "./record-payment.ts";
import { voidInvoice } from "./void-invoice.ts";

const DAY_MS = 24 * 60 * 60_000;

let database: TestDatabase;
let services: TestServices;
let deps: TestServices & BillingDeps;
beforeAll(async () => {
  ({ database, services, deps } = await openPricedBilling());
});
afterAll(() => database.close());

/** A tenant on a plan for 31.00, with its first invoice. */
async function subscribe(name: string): Promise<{ tenantId: TenantId; invoiceId: string }> {
  const { tenantId } = await createTestTenant(services, name);
  await act(deps, { tenantId }, { do: "subscribe", planId: "metered" });
  const { items } = await list(tenantId);
  return { tenantId, invoiceId: items[0]?.invoiceId ?? expect.fail("no invoice") };
}

const list = (tenantId: TenantId) =>
  listInvoices(deps, OPERATOR_CONTEXT, { tenantId, environment: "live", limit: 50 });

async function balanceOf(tenantId: TenantId): Promise<string> {
  const key = { tenantId, environment: "live" as const };
  return (await getSubscription(deps, OPERATOR_CONTEXT, key)).balance;
}

/** Lets a month pass and closes it. */
async function passMonth(): Promise<void> {
  services.clock.advance(31 * DAY_MS + 2 * 60_000);
  await closeDue(deps);
}

const pay = (invoiceId: string, amount: string, reference: string) =>
  recordPayment(deps, OPERATOR_CONTEXT, { invoiceId, amount, reference });

describe("an old invoice", () => {
  it("that is old and settled is found by what names it", async () => {
    const { invoiceId } = await subscribe("Old");
    await pay(invoiceId, "31", "settled");
    services.clock.advance(450 * DAY_MS);
    await closeDue(deps);
    const input = { invoiceId, reason: "Goodwill." };
    expect(await createCreditNote(deps, OPERATOR_CONTEXT, input)).toMatchObject({
      total: "31.00",
      toBalance: "31.00",
    });
  });
});

describe("a payment", () => {
  it("settles an invoice once its sum is there, in parts too, and what is beyond is balance", async () => {
    const { tenantId, invoiceId } = await subscribe("Pays");
    expect(await pay(invoiceId, "11", "a")).toMatchObject({
      state: "open",
      paid: "11.00",
      due: "20.00",
    });
    expect(await pay(invoiceId, "25.00", "b")).toMatchObject({
      state: "paid",
      paid: "36.00",
      due: "0.00",
      payments: [
        { amount: "11.00", reference: "a" },
        { amount: "25.00", reference: "b" },
      ],
    });
    expect(await balanceOf(tenantId)).toBe("5.00");
    await passMonth();
    const { items } = await list(tenantId);
    expect(items[0]).toMatchObject({ state: "open", total: "31.00", due: "26.00" });
  });

  it("counts once for each reference, however often and at once it is recorded", async () => {
    const { tenantId, invoiceId } = await subscribe("Repeats");
    await Promise.all(["wire 1", "wire 1", "wire 1"].map((name) => pay(invoiceId, "31", name)));
    const last = await pay(invoiceId, "31", "wire 1");
    expect(last).toMatchObject({ state: "paid", paid: "31.00" });
    expect(last.payments).toHaveLength(1);
    expect(await balanceOf(tenantId)).toBe("0.00");
  });

  it("is refused in parts of a cent, as nothing, and in the future", async () => {
    const { invoiceId } = await subscribe("Refused");
    for (const amount of ["10.005", "0", "0.001"]) {
      const refusal = await refusalOf(pay(invoiceId, amount, amount));
      expect(refusal).toMatchObject({ code: "INVALID_REQUEST", errors: [{ pointer: "/amount" }] });
    }
    const paidAt = new Date(services.clock.now().getTime() + DAY_MS).toISOString();
    const early = recordPayment(deps, OPERATOR_CONTEXT, {
      invoiceId,
      amount: "1",
      reference: "x",
      paidAt,
    });
    expect(await refusalOf(early)).toMatchObject({ errors: [{ pointer: "/paidAt" }] });
  });
});

describe("an invoice", () => {
  it("that is voided owes nothing, keeps its number, and gives back what it took from the balance", async () => {
    const { tenantId, invoiceId } = await subscribe("Voids");
    await pay(invoiceId, "41", "too much");
    await passMonth();
    const [second] = (await list(tenantId)).items;
    expect(second).toMatchObject({ due: "21.00" });
    expect(await balanceOf(tenantId)).toBe("0.00");
    const voided = await voidInvoice(deps, OPERATOR_CONTEXT, {
      invoiceId: second?.invoiceId ?? "",
      reason: "Agreed by phone.",
    });
    expect(voided).toMatchObject({ state: "void", due: "0.00", number: second?.number });
    expect(await balanceOf(tenantId)).toBe("10.00");
    const { items } = await listAudit(services, OPERATOR_CONTEXT, { tenantId, limit: 10 });
    expect(items[0]).toMatchObject({
      action: "invoice.voided",
      entityId: second?.invoiceId,
      details: { reason: "Agreed by phone.", number: second?.number },
    });
  });

  it("is not voided twice, nor after a payment", async () => {
    const { invoiceId } = await subscribe("Twice");
    const input = { invoiceId, reason: "Wrong." };
    await voidInvoice(deps, OPERATOR_CONTEXT, input);
    const paid = await subscribe("Paid");
    await pay(paid.invoiceId, "1", "part");
    for (const again of [input, { ...input, invoiceId: paid.invoiceId }]) {
      const refusal = await refusalOf(voidInvoice(deps, OPERATOR_CONTEXT, again));
      expect(refusal.code).toBe("CONFLICT");
    }
  });

  it("that is written off can still be paid; only an open one is written off", async () => {
    const { invoiceId } = await subscribe("Late payer");
    const input = { invoiceId, reason: "Insolvent." };
    const writtenOff = await markUncollectible(deps, OPERATOR_CONTEXT, input);
    expect(writtenOff).toMatchObject({ state: "uncollectible", due: "31.00" });
    expect((await refusalOf(markUncollectible(deps, OPERATOR_CONTEXT, input))).code).toBe(
      "CONFLICT",
    );
    expect(await pay(invoiceId, "10", "estate")).toMatchObject({ state: "uncollectible" });
    expect(await pay(invoiceId, "21", "rest")).toMatchObject({ state: "paid", due: "0.00" });
  });
});

describe("credit notes", () => {
  it("are at most the invoice together: by line, by amount, then the rest, then nothing", async () => {
    const { tenantId } = await subscribe("Credits");
    const at = new Date(services.clock.now().getTime() + DAY_MS);
    await recordUsage(services, { tenantId, at, quantity: 1_000 });
    await passMonth();
    const invoiceId = (await list(tenantId)).items[0]?.invoiceId ?? "";
    const credit = (input: object) =>
      createCreditNote(deps, OPERATOR_CONTEXT, { invoiceId, reason: "Outage.", ...input });
    expect(await credit({ lines: [{ line: 2, amount: "4.00" }] })).toMatchObject({
      number: expect.stringMatching(/^CN-\d{4}-\d{6}$/),
      total: "4.00",
      toDue: "4.00",
      toBalance: "0.00",
      reason: "Outage.",
      lines: [{ invoiceLine: 2, amount: "4.00" }],
    });
    expect(await credit({ amount: "6" })).toMatchObject({ total: "6.00" });
    const beyond = await refusalOf(credit({ amount: "30.01" }));
    expect(beyond).toMatchObject({
      code: "CONFLICT",
      extensions: { reason: "exceeds_creditable" },
    });
    const notOfLine = await refusalOf(credit({ lines: [{ line: 1, amount: "31" }] }));
    expect(notOfLine.code).toBe("CONFLICT");
    expect(await credit({})).toMatchObject({ total: "30.00" });
    expect((await refusalOf(credit({}))).code).toBe("CONFLICT");
    const invoice = await getInvoice(deps, OPERATOR_CONTEXT, { tenantId, invoiceId });
    expect(invoice).toMatchObject({
      state: "paid",
      total: "40.00",
      credited: "40.00",
      due: "0.00",
    });
    expect(invoice.creditNotes.map(({ total }) => total)).toEqual(["4.00", "6.00", "30.00"]);
  });

  it("name lines that there are, and either lines or an amount", async () => {
    const { invoiceId } = await subscribe("Wrong lines");
    const base = { invoiceId, reason: "Outage." };
    for (const input of [
      { ...base, lines: [{ line: 9, amount: "1" }] },
      { ...base, amount: "1", lines: [{ line: 1, amount: "1" }] },
    ]) {
      const refusal = await refusalOf(createCreditNote(deps, OPERATOR_CONTEXT, input));
      expect(refusal.code).toBe("INVALID_REQUEST");
    }
  });
});

describe("an adjustment", () => {
  const charge = { description: "Migration help", taxClass: "standard", reason: "As ordered." };

  it("is an invoice of its own, or a line of the next one", async () => {
    const { tenantId } = await subscribe("Adjusts");
    const key = { tenantId, environment: "live" as const };
    await addAdjustment(deps, OPERATOR_CONTEXT, { ...key, ...charge, amount: "99.5", when: "now" });
    expect((await list(tenantId)).items[0]).toMatchObject({ total: "99.50" });
    await addAdjustment(deps, OPERATOR_CONTEXT, {
      ...key,
      ...charge,
      amount: "7",
      when: "next_invoice",
    });
    expect((await list(tenantId)).items).toHaveLength(2);
    await passMonth();
    const invoiceId = (await list(tenantId)).items[0]?.invoiceId ?? "";
    const { lines } = await getInvoice(deps, OPERATOR_CONTEXT, { tenantId, invoiceId });
    expect(lines).toMatchObject([
      { kind: "base", amount: "31.00" },
      { kind: "adjustment", description: "Migration help", amount: "7.00" },
    ]);
  });

  it("waits for no invoice that does not come, and needs a plan, now or before", async () => {
    const { tenantId } = await subscribe("Ended");
    const key = { tenantId, environment: "live" as const };
    await act(deps, { tenantId }, { do: "cancel", when: "now" });
    const input = { ...key, ...charge, amount: "7", when: "next_invoice" as const };
    expect((await refusalOf(addAdjustment(deps, OPERATOR_CONTEXT, input))).code).toBe("CONFLICT");
    await addAdjustment(deps, OPERATOR_CONTEXT, { ...input, when: "now" });
    expect((await list(tenantId)).items[0]).toMatchObject({ total: "7.00" });
    const { tenantId: none } = await createTestTenant(services, "None");
    const refusal = await refusalOf(
      addAdjustment(deps, OPERATOR_CONTEXT, { ...input, tenantId: none }),
    );
    expect(refusal.code).toBe("CONFLICT");
  });
});

describe("the list of all invoices", () => {
  it("pages through what matches, with the sums of all of it by currency", async () => {
    const issued = services.clock.now();
    const mine = [await subscribe("Zebra One"), await subscribe("Zebra Two")];
    await pay(mine[0]?.invoiceId ?? "", "31", "paid");
    const ask = (input: object) =>
      listAllInvoices(deps, OPERATOR_CONTEXT, { environment: "live", limit: 1, ...input });
    const first = await ask({ search: "zebra" });
    const second = await ask({ search: "zebra", cursor: first.nextCursor });
    expect([...first.items, ...second.items].map(({ tenantName }) => tenantName)).toEqual([
      "Zebra Two",
      "Zebra One",
    ]);
    expect(second.nextCursor).toBeNull();
    expect(first.sums).toEqual([{ currency: "USD", count: 2, total: "62.00", due: "31.00" }]);
    const number = first.items[0]?.number ?? "";
    const counts = await Promise.all(
      [
        { search: number },
        { search: "zebra", state: "paid" },
        { search: "zebra", isOverdue: true },
        { search: "zebra", currency: "EUR" },
        { search: "zebra%" },
        { tenantId: mine[1]?.tenantId, from: issued.toISOString() },
        { tenantId: mine[1]?.tenantId, to: issued.toISOString() },
        { environment: "test" },
      ].map(async (input) => (await ask(input)).items.length),
    );
    expect(counts).toEqual([1, 1, 0, 0, 0, 1, 0, 0]);
    services.clock.advance(15 * DAY_MS);
    expect((await ask({ search: "zebra", isOverdue: true })).sums).toMatchObject([{ count: 1 }]);
  });

  it("is the operator's: a tenant's own people see their tenant alone", async () => {
    const { tenantId, invoiceId } = await subscribe("Seen");
    const { tenantId: other } = await subscribe("Unseen");
    const context = {
      requestId: "req_test",
      actor: { type: "key" as const, id: "key_1", tenantId, scopes: ROLE_SCOPES.owner },
    };
    expect((await getInvoice(deps, context, { tenantId, invoiceId })).tenantName).toBe("Seen");
    for (const asked of [
      listAllInvoices(deps, context, { environment: "live", limit: 1 }),
      voidInvoice(deps, context, { invoiceId, reason: "Mine." }),
      recordPayment(deps, context, { invoiceId, amount: "31", reference: "mine" }),
    ]) {
      expect((await refusalOf(asked)).code).toBe("INSUFFICIENT_SCOPE");
    }
    const foreign = await refusalOf(getInvoice(deps, context, { tenantId: other, invoiceId }));
    expect(foreign.code).toBe("RESOURCE_NOT_FOUND");
    const crossed = await refusalOf(
      getInvoice(deps, OPERATOR_CONTEXT, { tenantId: other, invoiceId }),
    );
    expect(crossed).toMatchObject({ code: "RESOURCE_NOT_FOUND" });
  });
});
