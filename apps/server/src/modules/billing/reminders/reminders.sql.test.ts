import { catalogInput } from "@turnpike/contract/catalog";
import { doStep } from "@turnpike/domain/billing/steps/do-step";
import type { TenantId } from "@turnpike/domain/ids/ids";
import { createTestDatabase, type TestDatabase } from "@turnpike/testkit/test-database";
import {
  createTestServices,
  createTestTenant,
  createTestUser,
  OPERATOR_CONTEXT,
  type TestServices,
} from "@turnpike/testkit/test-services";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { applyCatalog } from "#modules/catalog/index.ts";
import { getEntitlement } from "#modules/entitlements/index.ts";
import { listUntranslatedMails } from "#modules/notifications/testing/untranslated.fixture.ts";
import { changeAccount } from "../accounts/change-account.ts";
import type { BillingDeps } from "../billing-deps.ts";
import { closeDue } from "../closing/close-due.ts";
import { markUncollectible } from "../invoices/mark-uncollectible.ts";
import { advanceClock } from "../sandbox/advance-clock.ts";
import { act, publishPricedPlans, toBillingDeps } from "../testing/billing.fixture.ts";

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;

const YEARLY = catalogInput.parse({
  meters: [],
  plans: [
    {
      planId: "yearly",
      name: "Yearly",
      currency: "USD",
      phases: [
        {
          rateCards: [
            {
              key: "base",
              price: { model: "flat", amount: "300" },
              interval: { year: 1 },
              timing: "advance",
            },
          ],
        },
      ],
    },
  ],
});

let database: TestDatabase;
let services: TestServices;
let deps: TestServices & BillingDeps;
beforeAll(async () => {
  database = await createTestDatabase();
  services = createTestServices(database);
  deps = {
    ...toBillingDeps(services),
    mail: {
      jobs: { enqueue: () => Promise.resolve() },
      notices: { sendsMail: true, brandName: "Turnpike", consoleUrl: "https://console.test" },
    },
  };
  await createTestTenant(services);
  await publishPricedPlans(services);
  await applyCatalog(services, OPERATOR_CONTEXT, YEARLY);
});
afterAll(() => database.close());

/** A tenant with an owner, a member who pays and a developer, all with verified addresses. */
async function createTenantWithPeople(name: string): Promise<TenantId> {
  const { tenantId } = await createTestTenant(services, name);
  for (const role of ["owner", "billing", "developer"] as const) {
    const email = `${role}@${name.toLowerCase()}.example`;
    const { userId } = await createTestUser(services, { email, roles: [[tenantId, role]] });
    await database.sql`update users set email_verified = true where user_id = ${userId}`;
  }
  return tenantId;
}

/** Runs the job several times at once, and once more. */
async function close(): Promise<void> {
  await Promise.all([closeDue(deps), closeDue(deps), closeDue(deps)]);
  await closeDue(deps);
}

async function readTold(tenantId: TenantId) {
  const mails = await database.sql<{ recipient: string; subject: string }[]>`
    select recipient, subject from mails where sender = ${tenantId} order by created_at, recipient`;
  const notices = await database.sql<{ kind: string; title: string }[]>`
    select kind, title from notifications where tenant_id = ${tenantId} order by notification_id`;
  const events = await database.sql<{ kind: string }[]>`
    select kind from billing_events where tenant_id = ${tenantId} order by sequence`;
  return {
    mails: mails.map(({ recipient, subject }) => `${recipient}: ${subject}`),
    notices: notices.map(({ title }) => title),
    events: events.map(({ kind }) => kind),
  };
}

async function readStanding(tenantId: TenantId): Promise<string> {
  return (await getEntitlement(services, OPERATOR_CONTEXT, { tenantId })).standing;
}

describe("reminders", () => {
  it("tell once that a trial ends, three days before, those who pay by mail", async () => {
    const tenantId = await createTenantWithPeople("Trial");
    await act(deps, { tenantId }, { do: "subscribe", planId: "trial" });
    services.clock.advance(11 * DAY_MS - MINUTE_MS);
    await close();
    expect((await readTold(tenantId)).notices).toEqual([]);
    services.clock.advance(MINUTE_MS);
    await close();
    const told = await readTold(tenantId);
    expect(told).toEqual({
      mails: [
        "billing@trial.example: Turnpike: Your trial ends soon",
        "owner@trial.example: Turnpike: Your trial ends soon",
      ],
      notices: ["The trial of Trial ends on 29 January 2026"],
      events: ["asked.subscribe", "subscription.trialing", "trial.ending"],
    });
    services.clock.advance(DAY_MS);
    await close();
    expect(await readTold(tenantId)).toEqual(told);
  });

  it("tell nothing of a trial that ended while no job ran", async () => {
    const tenantId = await createTenantWithPeople("Asleep");
    await act(deps, { tenantId }, { do: "subscribe", planId: "trial" });
    services.clock.advance(15 * DAY_MS);
    await close();
    const { notices, events } = await readTold(tenantId);
    expect({ notices, reminded: events.includes("trial.ending") }).toEqual({
      notices: [],
      reminded: false,
    });
  });

  it("tell once that an invoice is overdue, and payment lifts the standing in its own transaction", async () => {
    const tenantId = await createTenantWithPeople("Late");
    await act(deps, { tenantId }, { do: "subscribe", planId: "yearly" });
    services.clock.advance(14 * DAY_MS);
    await close();
    expect(await readStanding(tenantId)).toBe("current");
    services.clock.advance(MINUTE_MS);
    await close();
    expect(await readStanding(tenantId)).toBe("overdue");
    const told = await readTold(tenantId);
    expect(told.notices).toEqual([
      expect.stringMatching(/^The invoice INV-\d{4}-\d{6} is overdue$/),
    ]);
    expect(told.mails).toHaveLength(2);
    await close();
    expect(await readTold(tenantId)).toEqual(told);

    const failing = changeAccount(deps, OPERATOR_CONTEXT, {
      ...payment(tenantId),
      alsoWrites: () => Promise.reject(new Error("no room")),
    });
    await expect(failing).rejects.toThrow("no room");
    expect(await readStanding(tenantId)).toBe("overdue");
    await changeAccount(deps, OPERATOR_CONTEXT, payment(tenantId));
    expect(await readStanding(tenantId)).toBe("current");
  });

  it("go on while an invoice is not paid, until calls are refused, and payment lets them pass at once", async () => {
    const tenantId = await createTenantWithPeople("Owing");
    await act(deps, { tenantId }, { do: "subscribe", planId: "yearly" });
    const standings: string[] = [];
    for (const days of [14, 2, 5, 7, 7, 7]) {
      services.clock.advance(days * DAY_MS + MINUTE_MS);
      await close();
      standings.push(await readStanding(tenantId));
    }
    expect(standings).toEqual(["overdue", "overdue", "overdue", "overdue", "grace", "blocked"]);
    const { notices, mails } = await readTold(tenantId);
    expect(notices).toHaveLength(6);
    expect(notices.at(-1)).toMatch(/^The invoice INV-\d{4}-\d{6} was not paid: calls are refused$/);
    expect(mails).toHaveLength(12);
    await changeAccount(deps, OPERATOR_CONTEXT, payment(tenantId));
    expect(await readStanding(tenantId)).toBe("current");
  });

  it("end with the write-off of an invoice, which blocks no longer", async () => {
    const tenantId = await createTenantWithPeople("Forgiven");
    await act(deps, { tenantId }, { do: "subscribe", planId: "yearly" });
    services.clock.advance(43 * DAY_MS);
    await close();
    expect(await readStanding(tenantId)).toBe("blocked");
    const [row] = await database.sql<[{ invoiceId: string }]>`
      select invoice_id as "invoiceId" from invoices where tenant_id = ${tenantId}`;
    await markUncollectible(deps, OPERATOR_CONTEXT, { ...row, reason: "Goodwill" });
    expect(await readStanding(tenantId)).toBe("current");
    services.clock.advance(DAY_MS);
    await close();
    expect(await readStanding(tenantId)).toBe("current");
  });

  it("tell only what an invoice has come to when no job ran for weeks", async () => {
    const tenantId = await createTenantWithPeople("Idle");
    await act(deps, { tenantId }, { do: "subscribe", planId: "yearly" });
    services.clock.advance(40 * DAY_MS);
    await close();
    const { notices } = await readTold(tenantId);
    expect(notices).toEqual([expect.stringMatching(/is still not paid$/)]);
    expect(await readStanding(tenantId)).toBe("grace");
  });

  it("tell two weeks before a year is renewed", async () => {
    const tenantId = await createTenantWithPeople("Year");
    await act(deps, { tenantId }, { do: "subscribe", planId: "yearly" });
    await changeAccount(deps, OPERATOR_CONTEXT, payment(tenantId));
    services.clock.advance(350 * DAY_MS);
    await close();
    expect((await readTold(tenantId)).notices).toEqual([]);
    services.clock.advance(DAY_MS);
    await close();
    const { notices, mails } = await readTold(tenantId);
    expect(notices).toEqual([expect.stringMatching(/^Yearly renews on /)]);
    expect(mails[0]).toBe("billing@year.example: Turnpike: Your subscription renews soon");
  });

  it("happen in the sandbox at their instants while its clock moves, without a mail", async () => {
    const tenantId = await createTenantWithPeople("Sandbox");
    const nowMs = services.clock.now().getTime();
    await act(deps, { tenantId, environment: "test" }, { do: "subscribe", planId: "trial" });
    const to = new Date(nowMs + 60 * DAY_MS).toISOString();
    const { events } = await advanceClock(deps, OPERATOR_CONTEXT, { tenantId, to });
    const startMs = Math.floor(nowMs / MINUTE_MS) * MINUTE_MS;
    const days = events.map(({ kind, at }) => [
      kind,
      Math.floor((Date.parse(at) - startMs) / DAY_MS),
    ]);
    expect(days).toEqual([
      ["clock.advanced", 0],
      ["trial.ending", 11],
      ["subscription.active", 14],
      ["invoice.issued", 14],
      ["invoice.overdue", 28],
      ["invoice.reminder", 30],
      ["invoice.reminder", 35],
      ["invoice.reminder", 42],
      ["invoice.issued", 45],
      ["invoice.final_notice", 49],
      ["invoice.blocked", 56],
      ["invoice.overdue", 59],
    ]);
    const { mails, notices } = await readTold(tenantId);
    expect(mails).toEqual([]);
    expect(notices).toEqual([
      expect.stringMatching(/^Sandbox: The trial of Trial ends on/),
      ...["is overdue", "is still not paid", "is still not paid", "is still not paid"].map(
        (says) => `Sandbox: An invoice ${says}`,
      ),
      ...["is still not paid", "was not paid: calls are refused", "is overdue"].map(
        (says) => `Sandbox: An invoice ${says}`,
      ),
    ]);
    expect(await readStanding(tenantId)).toBe("current");
  });
});

/** Pays everything that is due. */
function payment(tenantId: TenantId): Parameters<typeof changeAccount>[2] {
  return {
    key: { tenantId, environment: "live" },
    step: (account, { atMs }) => doStep(account, { members: { do: "pay", key: "paid" }, atMs }),
    events: [],
    noteReason: "",
  };
}

it("has German for all that its mails say", async () => {
  const { count, unknown } = await listUntranslatedMails(database.sql);
  expect(count).toBeGreaterThan(0);
  expect(unknown).toEqual([]);
});
