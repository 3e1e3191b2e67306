import type { Seller } from "@turnpike/domain/billing/tax/tax-decision";
import type { TenantId } from "@turnpike/domain/ids/ids";
import { toScaled } from "@turnpike/domain/money/decimal";
import { createTestDatabase, type TestDatabase } from "@turnpike/testkit/test-database";
import {
  createTestServices,
  createTestTenant,
  createTestUser,
  OPERATOR_CONTEXT,
  type TestServices,
} from "@turnpike/testkit/test-services";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { listUntranslatedMails } from "#modules/notifications/testing/untranslated.fixture.ts";
import type { BillingDeps } from "../billing-deps.ts";
import { closeDue } from "../closing/close-due.ts";
import { findHeldAccounts } from "../closing/find-held-accounts.ts";
import { putBillingDetails } from "../details/put-billing-details.ts";
import { findMissingRates } from "../revenue/find-rate-trouble.ts";
import { quoteAction } from "../subscriptions/quote-action.ts";
import { act, publishPricedPlans, recordUsage } from "../testing/billing.fixture.ts";
import { createCustomer, GERMAN_SELLER, toRate, toTaxedDeps } from "../testing/taxed.fixture.ts";
import { createCreditNote } from "./create-credit-note.ts";
import { getInvoice } from "./get-invoice.ts";
import { listInvoices } from "./list-invoices.ts";
import { recordPayment } from "./record-payment.ts";

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;

let database: TestDatabase;
let services: TestServices;
beforeAll(async () => {
  database = await createTestDatabase();
  services = createTestServices(database);
  await createTestTenant(services);
  await publishPricedPlans(services);
});
afterAll(() => database.close());

async function newestOf(deps: BillingDeps, tenantId: TenantId) {
  const page = { tenantId, environment: "live" as const, limit: 1 };
  const { items } = await listInvoices(deps, OPERATOR_CONTEXT, page);
  const invoiceId = items[0]?.invoiceId ?? expect.fail("no invoice");
  return await getInvoice(deps, OPERATOR_CONTEXT, { tenantId, invoiceId });
}

describe("the tax of an invoice", () => {
  const confirmed = { taxId: "FR40303265045", status: "confirmed" } as const;
  it.each<[string, Partial<Seller>, Partial<Parameters<typeof createCustomer>[1]>, string, string]>(
    [
      ["of a customer who has said nothing", {}, {}, "S 19 5.89", "36.89"],
      ["of a business at home with an id", {}, { country: "DE" }, "S 19 5.89", "36.89"],
      ["of a consumer elsewhere in the Union", {}, { country: "FR" }, "S 20 6.20", "37.20"],
      ["of a pending id", {}, { country: "FR", taxId: confirmed.taxId }, "S 20 6.20", "37.20"],
      [
        "of an id that was refused",
        {},
        { country: "FR", ...confirmed, status: "invalid" },
        "S 20 6.20",
        "37.20",
      ],
      [
        "of a confirmed id: reverse charge",
        {},
        { country: "FR", ...confirmed },
        "AE 0 0.00",
        "31.00",
      ],
      ["outside of the Union", {}, { country: "US" }, "O 0 0.00", "31.00"],
      ["of an exempt customer", {}, { country: "FR", exemption: "Art. 151" }, "E 0 0.00", "31.00"],
      ["of a seller who is not registered", { isRegistered: false }, {}, "O 0 0.00", "31.00"],
      ["that prices include", { pricesInclude: "gross" }, { country: "DE" }, "S 19 4.95", "31.00"],
    ],
  )("%s", async (name, seller, customer, tax, total) => {
    const deps = toTaxedDeps(services, seller);
    const tenantId = await createCustomer(deps, { name: name.slice(0, 40), ...customer });
    const action = { do: "subscribe" as const, planId: "metered" };
    const asked = { tenantId, environment: "live" as const, action };
    const quote = await quoteAction(deps, OPERATOR_CONTEXT, asked);
    await act(deps, { tenantId }, action);
    const invoice = await newestOf(deps, tenantId);
    expect(
      invoice.taxes.map(({ category, rate, amount }) => `${category} ${rate} ${amount}`),
    ).toEqual([tax]);
    expect([invoice.total, quote.dueNow]).toEqual([total, total]);
  });

  it("keeps both tax ids and the address that the customer had", async () => {
    const deps = toTaxedDeps(services);
    const tenantId = await createCustomer(deps, { name: "Both ids", country: "FR", ...confirmed });
    await act(deps, { tenantId }, { do: "subscribe", planId: "metered" });
    await putBillingDetails(deps, OPERATOR_CONTEXT, {
      tenantId,
      companyName: "Another name",
      addressLines: [],
      postalCode: null,
      city: null,
      region: null,
      country: null,
      email: null,
      taxId: null,
    });
    expect(await newestOf(deps, tenantId)).toMatchObject({
      seller: { name: "Beispiel GmbH", taxId: "DE136695976" },
      customer: {
        name: "Both ids SA",
        lines: ["1 High Street", "1000 Town"],
        country: "FR",
        taxId: "FR40303265045",
        email: "bills@example.com",
      },
    });
  });

  it("is cut where a rate changes inside the period, and a credit note takes the tax of its part back", async () => {
    const nowMs = services.clock.now().getTime();
    const change = toRate({ country: "FR", percent: "10", fromMs: nowMs + 10 * DAY_MS });
    const deps = toTaxedDeps(services, { taxRates: [...GERMAN_SELLER.taxRates, change] });
    const tenantId = await createCustomer(deps, { name: "Change", country: "FR" });
    await act(deps, { tenantId }, { do: "subscribe", planId: "metered" });
    const invoice = await newestOf(deps, tenantId);
    expect(invoice.lines.map(({ kind, amount }) => `${kind} ${amount}`)).toEqual([
      "base 10.00",
      "base 21.00",
    ]);
    expect(invoice.taxes.map(({ rate, base, amount }) => [rate, base, amount])).toEqual([
      ["20", "10.00", "2.00"],
      ["10", "21.00", "2.10"],
    ]);
    const note = await createCreditNote(deps, OPERATOR_CONTEXT, {
      invoiceId: invoice.invoiceId,
      reason: "Outage.",
      lines: [{ line: 2, amount: "10.50" }],
    });
    expect(note.taxes.map(({ rate, amount }) => [rate, amount])).toEqual([["10", "1.05"]]);
  });
});

describe("a missing rate", () => {
  it("holds its account alone, tells operators once, and the account closes once the rate is there", async () => {
    const withRate = toTaxedDeps(services);
    const without = {
      ...toTaxedDeps(services, {
        taxRates: GERMAN_SELLER.taxRates.filter(({ country }) => country !== "FI"),
      }),
      mail: {
        jobs: { enqueue: () => Promise.resolve() },
        notices: { sendsMail: true, brandName: "Turnpike", consoleUrl: "http://console.test" },
      },
    };
    const operator = { email: "operator@example.com", isOperator: true };
    const { userId } = await createTestUser(services, operator);
    await database.sql`update users set email_verified = true, is_operator = true where user_id = ${userId}`;
    const held = await createCustomer(withRate, { name: "Held", country: "FI" });
    const other = await createCustomer(withRate, { name: "Other", country: "SE" });
    for (const tenantId of [held, other]) {
      await act(withRate, { tenantId }, { do: "subscribe", planId: "metered" });
      const at = new Date(services.clock.now().getTime() + DAY_MS);
      await recordUsage(services, { tenantId, at, quantity: 200 });
    }
    services.clock.advance(32 * DAY_MS);
    await closeDue(without);
    services.clock.advance(6 * MINUTE_MS);
    await closeDue(without);
    expect((await newestOf(without, other)).total).toBe("40.00");
    expect((await newestOf(without, held)).lines).toHaveLength(1);
    const mails = await database.sql<{ body: string }[]>`
      select body from mails where kind = 'billing.held' and recipient = 'operator@example.com'`;
    expect(mails).toHaveLength(1);
    expect(mails[0]?.body).toContain("Add a tax rate for FI, class standard");
    expect(await findHeldAccounts(services)).toContain("1 account waits");
    const marks = () =>
      database.sql`select tenant_id from billing_accounts where held_reason is not null`;
    expect(await marks()).toEqual([{ tenant_id: held }]);
    services.clock.advance(6 * MINUTE_MS);
    await closeDue(withRate);
    expect(await findHeldAccounts(services)).toBeUndefined();
    expect((await newestOf(withRate, held)).total).toBe("40.16");
    expect(await marks()).toEqual([]);
  });

  it("refuses a quote with a reason instead of a price without tax", async () => {
    const deps = toTaxedDeps(services, { taxRates: [] });
    const tenantId = await createCustomer(deps, { name: "No quote", country: "FR" });
    const action = { do: "subscribe" as const, planId: "metered" };
    const quote = quoteAction(deps, OPERATOR_CONTEXT, { tenantId, environment: "live", action });
    await expect(quote).rejects.toMatchObject({
      code: "CONFLICT",
      extensions: { reason: "no_tax_rate" },
    });
  });
});

describe("the tax in the seller's own currency", () => {
  const rateOf = (day: string, rate: string) => ({
    ...{ currency: "USD", rate: toScaled(rate), fromMs: Date.parse(day) },
  });
  const accountingIn = (
    rates: readonly ReturnType<typeof rateOf>[],
  ): TestServices & BillingDeps => {
    const deps = toTaxedDeps(services);
    const accounting = { currency: { code: "EUR", digits: 2 }, rates, source: "ECB" };
    return { ...deps, billing: { ...deps.billing, accounting } };
  };
  const subscribe = { do: "subscribe", planId: "metered" } as const;

  it("is frozen with the invoice, and its credit notes together state as much, by its rate", async () => {
    const day = services.clock.now().toISOString().slice(0, 10);
    const deps = accountingIn([rateOf(day, "0.9134")]);
    const tenantId = await createCustomer(deps, { name: "Dollars", country: "DE" });
    await act(deps, { tenantId }, subscribe);
    const { invoiceId, accountingTax } = await newestOf(deps, tenantId);
    // 5.89 by 0.9134.
    const stated = { currency: "EUR", rate: "0.9134", rateFrom: day, source: "ECB" };
    expect(accountingTax).toEqual({ ...stated, amount: "5.38" });

    // Another rate by now changes nothing.
    const later = accountingIn([rateOf(day, "1.5")]);
    for (const amount of ["10.00", "7.77", undefined]) {
      const input = { invoiceId, reason: "Outage.", ...(amount !== undefined && { amount }) };
      await createCreditNote(later, OPERATOR_CONTEXT, input);
    }
    const { creditNotes } = await newestOf(later, tenantId);
    expect(creditNotes.map((note) => note.accountingTax?.rate)).toEqual(Array(3).fill("0.9134"));
    const cents = creditNotes.map((note) =>
      BigInt((note.accountingTax?.amount ?? "").replace(".", "")),
    );
    expect(cents.reduce((sum, each) => sum + each, 0n)).toBe(538n);
  });

  it("holds an account that has no rate until there is one, refuses what a person asks for, and lets sandboxes and untaxed invoices be", async () => {
    const from = services.clock.now().toISOString().slice(0, 10);
    const deps = accountingIn([rateOf(from, "0.9")]);
    const tenantId = await createCustomer(deps, { name: "Waiting", country: "DE" });
    await act(deps, { tenantId }, subscribe);
    const first = await newestOf(deps, tenantId);
    services.clock.advance(36 * DAY_MS);
    await closeDue(deps);
    expect((await newestOf(deps, tenantId)).invoiceId).toBe(first.invoiceId);
    expect(await findHeldAccounts(deps)).toContain("Add the rate of USD in EUR");
    expect(await findMissingRates(deps, deps.billing)).toContain("USD has no rate");

    // Money that comes meanwhile is recorded, and the account waits on.
    const { invoiceId, due } = first;
    const reference = "Transfer while waiting";
    await recordPayment(deps, OPERATOR_CONTEXT, { invoiceId, amount: due, reference });
    expect(await newestOf(deps, tenantId)).toMatchObject({ invoiceId, state: "paid", due: "0.00" });
    expect(await findHeldAccounts(deps)).toContain("Add the rate of USD in EUR");

    const other = await createCustomer(deps, { name: "Refused", country: "DE" });
    await expect(act(deps, { tenantId: other }, subscribe)).rejects.toMatchObject({
      code: "CONFLICT",
      extensions: { reason: "no_exchange_rate" },
    });
    const isTest = { tenantId: other, environment: "test" } as const;
    await act(deps, isTest, subscribe);
    const american = await createCustomer(deps, { name: "American", country: "US" });
    await act(deps, { tenantId: american }, subscribe);
    expect((await newestOf(deps, american)).accountingTax).toBeNull();

    const today = services.clock.now().toISOString().slice(0, 10);
    const added = accountingIn([rateOf(from, "0.9"), rateOf(today, "0.8")]);
    services.clock.advance(6 * MINUTE_MS);
    await closeDue(added);
    const second = await newestOf(added, tenantId);
    expect(second.invoiceId).not.toBe(first.invoiceId);
    expect(second.accountingTax?.rate).toBe("0.8");
    expect(await findHeldAccounts(deps)).toBeUndefined();
    expect(await findMissingRates(added, added.billing)).toBeUndefined();
    services.clock.advance(30 * DAY_MS);
    expect(await findMissingRates(added, added.billing)).toMatch(/the rate of USD ends on \d/);
  });
});

it("has German for all that its mails say", async () => {
  const { count, unknown } = await listUntranslatedMails(database.sql);
  expect(count).toBeGreaterThan(0);
  expect(unknown).toEqual([]);
});
