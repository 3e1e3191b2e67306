import { catalogInput } from "@turnpike/contract/catalog";
import { couponInput } from "@turnpike/contract/coupons";
import type { Credits } from "@turnpike/contract/credits";
import type { TenantId } from "@turnpike/domain/ids/ids";
import { refusalOf } from "@turnpike/testkit/refusal-of";
import { createTestDatabase, type TestDatabase } from "@turnpike/testkit/test-database";
import {
  createTestServices,
  createTestTenant,
  createTestUser,
  OPERATOR_CONTEXT,
  type TestServices,
} from "@turnpike/testkit/test-services";
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import { createCoupon } from "#modules/catalog/coupons/manage-coupons.ts";
import { applyCatalog } from "#modules/catalog/index.ts";
import { deleteTenant } from "#modules/tenants/index.ts";
import type { BillingDeps } from "../billing-deps.ts";
import { closeAccounts, closeDue } from "../closing/close-due.ts";
import { putBillingDetails } from "../details/put-billing-details.ts";
import { addAdjustment } from "../invoices/add-adjustment.ts";
import { createCreditNote } from "../invoices/create-credit-note.ts";
import { getInvoice } from "../invoices/get-invoice.ts";
import { getUpcomingInvoice } from "../invoices/get-upcoming-invoice.ts";
import { listInvoices } from "../invoices/list-invoices.ts";
import { reconcileInvoices } from "../invoices/reconcile-invoices.ts";
import { recordPayment } from "../invoices/record-payment.ts";
import { voidInvoice } from "../invoices/void-invoice.ts";
import { collectDue } from "../payments/collect-due.ts";
import { createRefund } from "../payments/create-refund.ts";
import { listPayments } from "../payments/list-payments.ts";
import { payInvoice } from "../payments/pay-invoice.ts";
import { act, publishPricedPlans, recordUsage } from "../testing/billing.fixture.ts";
import { toTaxedDeps } from "../testing/taxed.fixture.ts";
import { buyCredit } from "./buy-credit.ts";
import { getCredits } from "./get-credits.ts";
import { type GrantInput, grantCredit, previewCredit } from "./grant-credit.ts";
import { listCreditEntries } from "./list-credit-entries.ts";
import { revokeCredit } from "./revoke-credit.ts";
import { putAutomaticTopUp } from "./set-automatic-top-up.ts";
import { lapseTopUps, topUpLowAccounts } from "./top-up-low-accounts.ts";

const DAY_MS = 24 * 60 * 60 * 1000;

const PREPAID = catalogInput.parse({
  meters: [],
  plans: [
    {
      planId: "prepaid",
      name: "Prepaid",
      currency: "USD",
      isPrepaid: true,
      phases: [
        {
          rateCards: [
            {
              key: "requests",
              meter: "requests",
              interval: { month: 1 },
              timing: "arrears",
              price: { model: "per_unit", unitAmount: "0.01" },
            },
          ],
        },
      ],
    },
  ],
});

const ABROAD = {
  ...{ companyName: "Moved Inc", addressLines: ["1 Main Street"], postalCode: "10001" },
  ...{ city: "New York", region: "NY", country: "US", email: null, taxId: null },
};

let database: TestDatabase;
let services: TestServices;
let deps: TestServices & BillingDeps;
beforeAll(async () => {
  database = await createTestDatabase();
  services = createTestServices(database);
  deps = sellingCredit(false);
  await createTestTenant(services);
  await publishPricedPlans(services);
});
afterAll(() => database.close());
afterEach(async () => {
  expect((await reconcileInvoices(services, OPERATOR_CONTEXT)).findings).toEqual([]);
});

function sellingCredit(isTaxed: boolean): TestServices & BillingDeps {
  const taxed = toTaxedDeps(services);
  const offers = [{ currency: "USD", amounts: ["50.00", "100.00"], min: "10.00", max: "500.00" }];
  return { ...taxed, billing: { ...taxed.billing, topUps: { isTaxed, offers } } };
}

/** A tenant on a plan that costs 31.00 a month, and 36.89 with the tax. */
async function createSubscriber(name: string): Promise<TenantId> {
  const { tenantId } = await createTestTenant(services, name);
  await act(deps, { tenantId }, { do: "subscribe", planId: "metered" });
  return tenantId;
}

function inDays(days: number): string {
  return new Date(services.clock.now().getTime() + days * DAY_MS).toISOString();
}

async function passDays(days: number): Promise<void> {
  services.clock.advance(days * DAY_MS);
  await closeDue(deps);
}

async function grant(
  tenantId: TenantId,
  input: Partial<GrantInput> & { reference?: string },
): Promise<Credits> {
  return await grantCredit(deps, OPERATOR_CONTEXT, {
    tenantId,
    environment: "live",
    kind: "promotional",
    amount: "10",
    priority: 50,
    reason: "Welcome.",
    ...input,
  });
}

async function read(tenantId: TenantId) {
  const key = { tenantId, environment: "live" as const };
  const { promotional, prepaid, grants } = await getCredits(deps, OPERATOR_CONTEXT, key);
  const { items } = await listCreditEntries(deps, OPERATOR_CONTEXT, { ...key, limit: 100 });
  const entries = items.map(({ kind, amount }) => `${kind} ${amount}`);
  return { promotional, prepaid, entries, left: grants.map(({ left }) => left) };
}

async function newestInvoice(tenantId: TenantId) {
  const { items } = await listInvoices(deps, OPERATOR_CONTEXT, {
    tenantId,
    environment: "live",
    limit: 1,
  });
  return items[0];
}

async function pay(invoiceId: string, amount: string): Promise<void> {
  await recordPayment(deps, OPERATOR_CONTEXT, { invoiceId, amount, reference: `Paid ${amount}` });
}

describe("credit that the operator grants", () => {
  it("lowers the next invoice before its tax, pays the rest of it after, and comes back with its void", async () => {
    const tenantId = await createSubscriber("Burned");
    const key = { tenantId, environment: "live" as const };
    const preview = await previewCredit(deps, OPERATOR_CONTEXT, {
      ...key,
      kind: "promotional",
      amount: "11",
      priority: 50,
    });
    expect([preview.without.total, preview.with.total]).toEqual(["36.89", "23.80"]);
    await grant(tenantId, { amount: "11" });
    await grant(tenantId, { kind: "prepaid", amount: "20", reference: "ticket 7" });
    // The same reference counts once.
    await grant(tenantId, { kind: "prepaid", amount: "20", reference: "ticket 7" });
    const upcoming = await getUpcomingInvoice(deps, OPERATOR_CONTEXT, key);
    expect(upcoming).toMatchObject({ net: "20.00", total: "23.80", prepaid: "20.00", due: "3.80" });
    expect(await read(tenantId)).toMatchObject({ promotional: "11.00", prepaid: "20.00" });
    await passDays(31);
    const invoice = await newestInvoice(tenantId);
    expect(invoice).toMatchObject({ net: "20.00", total: "23.80", due: "3.80" });
    expect(await read(tenantId)).toMatchObject({
      promotional: "0.00",
      prepaid: "0.00",
      entries: ["burned -20.00", "burned -11.00", "granted 20.00", "granted 11.00"],
    });
    const invoiceId = invoice?.invoiceId ?? "";
    await voidInvoice(deps, OPERATOR_CONTEXT, { invoiceId, reason: "A mistake." });
    expect(await read(tenantId)).toMatchObject({ promotional: "11.00", prepaid: "20.00" });
  });

  it("comes after the coupons, of cards first, as the rehearsed story has it", async () => {
    const tenantId = await createSubscriber("Together");
    const key = { tenantId, environment: "live" as const };
    for (const [couponId, percent, cards] of [
      ["calls-20", "20", ["requests"]],
      ["all-10", "10", null],
    ] as const) {
      await createCoupon(
        services,
        OPERATOR_CONTEXT,
        couponInput.parse({ couponId, name: couponId, percent, ...(cards && { cards }) }),
      );
      await act(deps, key, { do: "coupon", couponId });
    }
    // 4,100 requests: 40.00 beyond the first hundred.
    await recordUsage(services, { tenantId, at: services.clock.now(), quantity: 4_100 });
    await grant(tenantId, { amount: "6.70" });
    await grant(tenantId, { kind: "prepaid", amount: "50" });
    await passDays(31);
    const invoiceId = (await newestInvoice(tenantId))?.invoiceId ?? "";
    const invoice = await getInvoice(deps, OPERATOR_CONTEXT, { tenantId, invoiceId });
    // 31 + 40 − 8 − 6.30 − 6.70 = 50.00, and 19 %.
    expect(invoice.lines.map(({ kind, amount }) => `${kind} ${amount}`)).toEqual([
      ...["base 31.00", "usage 40.00", "discount -8.00", "discount -6.30", "promotional -6.70"],
    ]);
    expect(invoice).toMatchObject({
      ...{ net: "50.00", total: "59.50", prepaid: "50.00", due: "9.50" },
      taxes: [{ rate: "19", base: "50.00", amount: "9.50" }],
    });
  });

  it("expires at its instant, is reminded of two weeks before, and stays expired when it comes back", async () => {
    const tenantId = await createSubscriber("Expires");
    await grant(tenantId, { amount: "5", expiresAt: inDays(40) });
    await passDays(31);
    const invoiceId = (await newestInvoice(tenantId))?.invoiceId ?? "";
    await grant(tenantId, { amount: "7", expiresAt: inDays(20) });
    await passDays(7);
    const notices = await database.sql<{ title: string }[]>`
      select title from notifications where tenant_id = ${tenantId} and kind = 'credit.expiring' order by title`;
    expect(notices.map(({ title }) => title)).toEqual([
      expect.stringMatching(/^5\.00 USD of credit expires on /),
      expect.stringMatching(/^7\.00 USD of credit expires on /),
    ]);
    await passDays(13);
    expect(await read(tenantId)).toMatchObject({
      promotional: "0.00",
      entries: ["expired -7.00", "granted 7.00", "burned -5.00", "granted 5.00"],
    });
    await voidInvoice(deps, OPERATOR_CONTEXT, { invoiceId, reason: "A mistake." });
    const { promotional, entries } = await read(tenantId);
    expect(promotional).toBe("0.00");
    expect(entries.slice(0, 2)).toEqual(["expired -5.00", "returned 5.00"]);
  });

  it("can be revoked as far as it is left, by the operator alone", async () => {
    const tenantId = await createSubscriber("Revoked");
    const granted = await grant(tenantId, { amount: "40" });
    await passDays(31);
    const input = {
      tenantId,
      environment: "live" as const,
      grantId: granted.grants[0]?.grantId ?? "",
      reason: "Granted twice.",
    };
    const { context } = await createTestUser(services, { roles: [[tenantId, "owner"]] });
    expect(await refusalOf(revokeCredit(deps, context, input))).toMatchObject({
      code: "INSUFFICIENT_SCOPE",
    });
    await revokeCredit(deps, OPERATOR_CONTEXT, input);
    expect((await read(tenantId)).entries[0]).toBe("revoked -9.00");
    expect(await refusalOf(revokeCredit(deps, OPERATOR_CONTEXT, input))).toMatchObject({
      code: "CONFLICT",
    });
  });

  it("is written once: the database refuses a change, and more than was granted", async () => {
    const tenantId = await createSubscriber("Frozen");
    await grant(tenantId, {});
    for (const change of [
      database.sql`update credit_entries set amount = 1 where tenant_id = ${tenantId}`,
      database.sql`delete from credit_grants where tenant_id = ${tenantId}`,
      database.sql`
        insert into credit_entries (tenant_id, environment, place, kind, amount, happened_at, recorded_at, actor)
        values (${tenantId}, 'live', 0, 'revoked', -1001, now(), now(), 'test')`,
    ]) {
      await expect(change).rejects.toThrow(/written once|less than nothing/);
    }
  });
});

describe("credit that a customer buys", () => {
  const live = (tenantId: TenantId) => ({ tenantId, environment: "live" as const });

  it("is there once its invoice is paid, and pays later invoices after their tax", async () => {
    const tenantId = await createSubscriber("Untaxed");
    const { context } = await createTestUser(services, { roles: [[tenantId, "billing"]] });
    const bought = await buyCredit(deps, context, { ...live(tenantId), amount: "100" });
    expect(bought).toMatchObject({
      total: "100.00",
      due: "100.00",
      taxes: [{ category: "O", amount: "0.00" }],
    });
    expect(await buyCredit(deps, context, { ...live(tenantId), amount: "100" })).toEqual(bought);
    const other = buyCredit(deps, context, { ...live(tenantId), amount: "50" });
    expect(await refusalOf(other)).toMatchObject({ code: "CONFLICT" });
    await pay(bought.invoiceId, "60");
    expect((await read(tenantId)).entries).toEqual([]);
    await pay(bought.invoiceId, "40.00");
    expect(await read(tenantId)).toMatchObject({ prepaid: "100.00", entries: ["granted 100.00"] });
    await passDays(31);
    expect(await newestInvoice(tenantId)).toMatchObject({ total: "36.89", due: "0.00" });
    expect(await read(tenantId)).toMatchObject({ prepaid: "63.11" });
    // What is left can be taken back by a credit note, with the money, and no more.
    const { invoiceId } = bought;
    const note = { invoiceId, reason: "Asked for." };
    expect(
      await refusalOf(createCreditNote(deps, OPERATOR_CONTEXT, { ...note, amount: "63.12" })),
    ).toMatchObject({ code: "CONFLICT" });
    await createCreditNote(deps, OPERATOR_CONTEXT, { ...note, amount: "63.11" });
    expect(await read(tenantId)).toMatchObject({ prepaid: "0.00" });
  });

  it("is taxed when it is bought where the operator says so, and then not again", async () => {
    const taxing = sellingCredit(true);
    const tenantId = await createSubscriber("Taxed");
    const amount = { ...live(tenantId), amount: "50" };
    const bought = await buyCredit(taxing, OPERATOR_CONTEXT, amount);
    expect(bought).toMatchObject({ net: "50.00", total: "59.50" });
    await pay(bought.invoiceId, "59.50");
    await passDays(31);
    expect(await newestInvoice(tenantId)).toMatchObject({ net: "0.00", total: "0.00" });
    expect(await read(tenantId)).toMatchObject({ left: ["19.00"] });
  });

  it("lapses when it is not paid for, and blocks nothing meanwhile", async () => {
    const tenantId = await createSubscriber("Lapsed");
    const first = await newestInvoice(tenantId);
    await pay(first?.invoiceId ?? "", first?.due ?? "");
    const bought = await buyCredit(deps, OPERATOR_CONTEXT, { ...live(tenantId), amount: "50" });
    await passDays(13);
    expect(await lapseTopUps(deps)).toBe(0);
    await passDays(2);
    expect(await lapseTopUps(deps)).toBe(1);
    const [row] = await database.sql<{ state: string; standing: string }[]>`
      select i.state, e.standing from invoices i join tenant_entitlements e using (tenant_id)
      where i.invoice_id = ${bought.invoiceId}`;
    expect(row).toEqual({ state: "void", standing: "current" });
    // Money that comes nevertheless is the customer's.
    await pay(bought.invoiceId, "50");
    const upcoming = await getUpcomingInvoice(deps, OPERATOR_CONTEXT, live(tenantId));
    expect(upcoming.fromBalance).toBe("36.89");
  });

  it("lapses too when a transfer of it was asked for that does not come", async () => {
    const tenantId = await createSubscriber("Never transferred");
    const bank = { holder: "Example", iban: "DE89370400440532013000", bic: null, bank: null };
    const byTransfer = { ...deps, billing: { ...deps.billing, bank: { ...bank, lines: [] } } };
    const of = { ...live(tenantId), amount: "50" };
    const { invoiceId } = await buyCredit(byTransfer, OPERATOR_CONTEXT, of);
    const returnUrl = "https://app.test/billings";
    const asked = { tenantId, invoiceId, returnUrl };
    const { attempt } = await payInvoice(byTransfer, OPERATOR_CONTEXT, asked);
    expect(attempt.state).toBe("processing");
    await passDays(15);
    expect(await lapseTopUps(byTransfer)).toBe(1);
    expect(await getInvoice(deps, OPERATOR_CONTEXT, { tenantId, invoiceId })).toMatchObject({
      state: "void",
    });
    await collectDue(byTransfer);
    const [ended] = await database.sql`
      select state, reason from payment_attempts where invoice_id = ${invoiceId}`;
    expect(ended).toEqual({ state: "failed", reason: "canceled" });
    // Another one may be bought.
    const next = await buyCredit(byTransfer, OPERATOR_CONTEXT, of);
    expect(next).toMatchObject({ state: "open", due: "50.00" });
    await voidInvoice(deps, OPERATOR_CONTEXT, { invoiceId: next.invoiceId, reason: "A test." });
  });

  it("that was used stays owed when its money is taken back: it does not lapse, nor hold up another", async () => {
    const tenantId = await createSubscriber("Charged back");
    const bought = await buyCredit(deps, OPERATOR_CONTEXT, { ...live(tenantId), amount: "50" });
    await pay(bought.invoiceId, "50");
    await passDays(31);
    expect(await read(tenantId)).toMatchObject({ left: ["13.11"] });
    const of = { ...live(tenantId), limit: 10 };
    const { items } = await listPayments(deps, OPERATOR_CONTEXT, of);
    const { paymentId } = items[0] ?? expect.fail("no payment");
    const asked = { paymentId, withCreditNote: false, reason: "Disputed." };
    await createRefund(deps, OPERATOR_CONTEXT, asked);
    expect(await read(tenantId)).toMatchObject({ left: ["0.00"] });
    const other = await createSubscriber("Lapsed beside");
    await buyCredit(deps, OPERATOR_CONTEXT, { ...live(other), amount: "50" });
    await passDays(15);
    expect(await lapseTopUps(deps)).toBe(1);
    expect(
      await getInvoice(deps, OPERATOR_CONTEXT, { tenantId, invoiceId: bought.invoiceId }),
    ).toMatchObject({ state: "open", due: "50.00" });
  });

  it("is bought by itself when little is left, one invoice at a time, up to the limit of the month", async () => {
    const tenantId = await createSubscriber("Automatic");
    const wanted = { threshold: "20", amount: "50", monthLimit: "120" };
    await putAutomaticTopUp(deps, OPERATOR_CONTEXT, { ...live(tenantId), ...wanted });
    expect(await Promise.all([topUpLowAccounts(deps), topUpLowAccounts(deps)])).toContain(1);
    expect(await topUpLowAccounts(deps)).toBe(0);
    const spend = async () => {
      await pay((await newestInvoice(tenantId))?.invoiceId ?? "", "50.00");
      expect(await topUpLowAccounts(deps)).toBe(0);
      const { grants } = await getCredits(deps, OPERATOR_CONTEXT, live(tenantId));
      expect(grants[0]).toMatchObject({ isBought: true, left: "50.00" });
      const charge = { description: "Work", amount: "60", taxClass: "standard", reason: "Done." };
      await addAdjustment(deps, OPERATOR_CONTEXT, { ...live(tenantId), ...charge, when: "now" });
    };
    await spend();
    expect(await topUpLowAccounts(deps)).toBe(1);
    await spend();
    expect(await topUpLowAccounts(deps)).toBe(0);
    const { automatic } = await getCredits(deps, OPERATOR_CONTEXT, live(tenantId));
    expect(automatic).toEqual({
      threshold: "20.00",
      amount: "50.00",
      monthLimit: "120.00",
      boughtThisMonth: "100.00",
    });
    // One that is deleted buys no more, and is not tried each minute.
    services.clock.advance(31 * DAY_MS);
    await deleteTenant(deps, OPERATOR_CONTEXT, { tenantId, name: "Automatic" });
    const warned = vi.spyOn(deps.logger, "warn");
    await topUpLowAccounts(deps);
    expect(warned).not.toHaveBeenCalled();
  });

  it("pays for calls by new details of the customer at once, also when a closing runs meanwhile", async () => {
    await applyCatalog(services, OPERATOR_CONTEXT, PREPAID);
    const { tenantId } = await createTestTenant(services, "Moves");
    await act(deps, { tenantId }, { do: "subscribe", planId: "prepaid" });
    await grant(tenantId, { kind: "prepaid", amount: "11.90" });
    services.clock.advance(DAY_MS);
    const payable = async () => {
      const [row] = await database.sql<{ credit: string }[]>`
        select credit::text as credit from spend_budgets where tenant_id = ${tenantId}`;
      return row?.credit;
    };
    // Without a country it is taxed as at home.
    expect(await payable()).toBe("1000");
    const { transact } = deps;
    let begun = 0;
    const asOperator: typeof transact.asOperator = async (work, share) => {
      begun += 1;
      if (begun === 2) {
        // What it is about to write was computed before.
        await putBillingDetails(deps, OPERATOR_CONTEXT, { tenantId, ...ABROAD });
      }
      return await transact.asOperator(work, share);
    };
    const closing = { ...deps, transact: { ...transact, asOperator } };
    const now = services.clock.now();
    expect(await closeAccounts(closing, [live(tenantId)], now)).toBe(0);
    await closeDue(deps);
    expect(await payable()).toBe("1190");
  });

  it("that calls have drawn on pays for them after a change of plan, and closes nothing in between", async () => {
    await applyCatalog(services, OPERATOR_CONTEXT, PREPAID);
    const { tenantId } = await createTestTenant(services, "Leaves prepaid");
    await act(deps, { tenantId }, { do: "subscribe", planId: "prepaid" });
    await grant(tenantId, { kind: "prepaid", amount: "11.90", expiresAt: inDays(2) });
    await recordUsage(services, { tenantId, at: services.clock.now(), quantity: 100 });
    await passDays(1);
    const waiting = { ...deps, billing: { ...deps.billing, proration: "nextPeriod" as const } };
    await act(waiting, { tenantId }, { do: "change", planId: "metered", when: "now" });
    await passDays(2);
    expect(await read(tenantId)).toMatchObject({ entries: ["granted 11.90"] });
    expect(await closeDue(deps)).toEqual({ due: 0, closed: 0 });
    await passDays(31);
    // 100 requests, with their tax, and what else that invoice charges.
    const [last, burned] = (await read(tenantId)).entries;
    expect([last, burned]).toEqual(["burned -11.90", "granted 11.90"]);
    expect(await newestInvoice(tenantId)).toMatchObject({ state: "open" });
  });

  it("is not bought by itself before a prepaid plan begins while enough is left", async () => {
    await applyCatalog(services, OPERATOR_CONTEXT, PREPAID);
    const tenantId = await createSubscriber("Prepaid soon");
    await grant(tenantId, { kind: "prepaid", amount: "30" });
    await act(deps, { tenantId }, { do: "change", planId: "prepaid", when: "period_end" });
    const wanted = { threshold: "30", amount: "50", monthLimit: "500" };
    await putAutomaticTopUp(deps, OPERATOR_CONTEXT, { ...live(tenantId), ...wanted });
    expect(await topUpLowAccounts(deps)).toBe(0);
    const more = { threshold: "30.01", amount: "50", monthLimit: "500" };
    await putAutomaticTopUp(deps, OPERATOR_CONTEXT, { ...live(tenantId), ...more });
    expect(await topUpLowAccounts(deps)).toBe(1);
  });
});
