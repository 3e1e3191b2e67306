import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import type { TenantId } from "@turnpike/domain/ids/ids";
import { pollUntil } from "@turnpike/testkit/poll-until";
import { makeTempFolder } from "@turnpike/testkit/temp-folder";
import { createTestDatabase, type TestDatabase } from "@turnpike/testkit/test-database";
import { createLiveServices, OPERATOR_CONTEXT } from "@turnpike/testkit/test-services";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { findEntitlement } from "#modules/entitlements/index.ts";
import { type HardLimit, type Metering, NO_LIMIT, startMetering } from "#modules/metering/index.ts";
import { createTenant } from "#modules/tenants/index.ts";
import { CHANGES_CHANNEL, createChangeFeed } from "#platform/change-feed.ts";
import { newUuidId } from "#platform/new-id.ts";
import { createListen } from "#platform/postgres-listen.ts";
import { createBilledPlans } from "../billed-plans.ts";
import type { BillingDeps } from "../billing-deps.ts";
import { closeAccounts } from "../closing/close-due.ts";
import { recordUsage, TEST_BILLING } from "../testing/billing.fixture.ts";
import { putSpendCap } from "./change-spend-cap.ts";
import { getSpendCap } from "./get-spend-cap.ts";
import { CAPPED_METERS, publishCappedPlan } from "./spend-cap.fixture.ts";

const NEXT_MONTH_MS = 32 * 24 * 3600 * 1000;
const PROCESSES = 3;

let database: TestDatabase;
let deps: BillingDeps;
let processes: Metering[];
const disposables = new AsyncDisposableStack();

beforeAll(async () => {
  database = disposables.adopt(await createTestDatabase(), (opened) => opened.close());
  const services = createLiveServices(database);
  deps = { ...services, billing: TEST_BILLING };
  await publishCappedPlan(services);
  const folder = disposables.use(await makeTempFolder());
  const feed = createChangeFeed({
    ...services,
    listen: createListen(database.target, CHANGES_CHANNEL),
  });
  processes = [];
  for (let place = 0; place < PROCESSES; place += 1) {
    const own = join(folder.path, String(place));
    await mkdir(own);
    const metering = await startMetering({ ...services, folder: own }, { groupIntervalMs: 5 });
    disposables.defer(() => metering.stop(10_000));
    feed.subscribe(metering.applyChange);
    processes.push(metering);
  }
  await feed.start();
  disposables.defer(() => feed.stop());
});
afterAll(() => disposables.disposeAsync());

async function makeTenant(): Promise<TenantId> {
  const plans = createBilledPlans(deps);
  const made = await createTenant({ ...deps, plans }, OPERATOR_CONTEXT, {
    name: "Capped",
    planId: "capped",
  });
  return made.tenantId;
}

async function limitsOf(tenantId: TenantId): Promise<HardLimit[]> {
  const entitlement = await deps.transact.asOperator((tx) => findEntitlement(tx, tenantId));
  const { changedAtMs = 0 } = entitlement?.spendCap ?? {};
  const now = deps.clock.now();
  return CAPPED_METERS.map((meterId) => ({
    tenantId,
    meterId,
    environment: "live",
    periodStartMs: Date.UTC(now.getUTCFullYear(), now.getUTCMonth()),
    periodEndMs: Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1),
    limit: NO_LIMIT,
    changedAtMs,
    isRecent: true,
  }));
}

/** Makes one call in one process. @returns False when the cap refuses it. */
async function call({ leases, recorder }: Metering, limit: HardLimit): Promise<boolean> {
  for (;;) {
    const result = leases.spend(limit, 1);
    if (result.status === "exhausted") {
      return false;
    }
    if (result.status === "spent") {
      recorder.record({
        ...limit,
        keyId: newUuidId("key"),
        outcome: "VALID",
        status: 200,
        method: "GET",
        route: "/",
        occurredAtMs: Date.now(),
        quantity: 1,
        leaseId: result.hold.lease.leaseId,
      });
      leases.settle(result.hold);
      return true;
    }
    await leases.refill(limit, 1);
  }
}

/** Calls in every process at once, of every meter, until each was refused. @returns Units that passed. */
async function callUntilRefused(limits: readonly HardLimit[]): Promise<number> {
  const counts = await Promise.all(
    processes.flatMap((process) =>
      limits.map(async (limit) => {
        let passed = 0;
        while (await call(process, limit)) {
          passed += 1;
        }
        return passed;
      }),
    ),
  );
  return counts.reduce((sum, count) => sum + count, 0);
}

async function settle(): Promise<void> {
  for (const { leases, recorder } of processes) {
    await recorder.flush();
    leases.release(undefined);
    await leases.returnRetired(() => recorder.flush());
  }
}

/** Closes the month. @returns What it came to, in cents, with the kinds of its lines. */
async function closeMonth(tenantId: TenantId) {
  const now = new Date(deps.clock.now().getTime() + NEXT_MONTH_MS);
  const later = { ...deps, clock: { ...deps.clock, now: () => now } };
  await closeAccounts(later, [{ tenantId, environment: "live" }], now);
  const rows = await database.sql<{ kind: string; amount: number; quantity: number }[]>`
    select l.kind, l.amount::float8 as amount, l.quantity::float8 as quantity
    from invoice_lines l join invoices using (invoice_id)
    where l.tenant_id = ${tenantId} and l.from_at < ${new Date(now.getTime() - NEXT_MONTH_MS + 24 * 3600 * 1000)}
    order by l.invoice_id, l.line`;
  const charged = rows.reduce((sum, { amount }) => sum + amount, 0);
  const units = rows.reduce((sum, row) => sum + (row.kind === "usage" ? row.quantity : 0), 0);
  return { charged, units, kinds: [...new Set(rows.map(({ kind }) => kind))] };
}

describe("guarantee: no tenant is charged more than its spend cap", () => {
  it("with four meters of four price models on three processes, and use comes within one unit of it", async () => {
    const tenantId = await makeTenant();
    await putSpendCap(deps, OPERATOR_CONTEXT, { tenantId, amount: "14" });
    const limits = await limitsOf(tenantId);

    let passed = await callUntilRefused(limits);
    await settle();
    // What a process held without a call for it is free now.
    passed += await callUntilRefused(limits);
    await settle();

    const state = await getSpendCap(deps, OPERATOR_CONTEXT, { tenantId });
    expect(state.period?.meters.map(({ unitsLeft }) => unitsLeft)).toEqual(["0", "0", "0", "0"]);
    expect(state.period).toMatchObject({ fees: "10.00", isReached: true });
    const month = await closeMonth(tenantId);
    expect(month.charged).toBeLessThanOrEqual(1_400);
    expect(month).toMatchObject({ units: passed, kinds: ["base", "usage"] });
    expect(state.period?.spent).toBe((month.charged / 100).toFixed(2));
  });

  it("while it is raised and lowered under load: what was let through stays charged, and no more is let through", async () => {
    const tenantId = await makeTenant();
    const spentOf = async () =>
      Number((await getSpendCap(deps, OPERATOR_CONTEXT, { tenantId })).period?.spent);
    await putSpendCap(deps, OPERATOR_CONTEXT, { tenantId, amount: "10.5" });
    let isOver = false;
    let passed = 0;
    /** A caller who comes back, and learns of a changed cap as the gateway does. */
    async function keepCalling(process: Metering, place: number): Promise<void> {
      while (!isOver) {
        const limit = (await limitsOf(tenantId))[place];
        if (limit !== undefined && (await call(process, limit))) {
          passed += 1;
        }
      }
    }
    const callers = processes.flatMap((process) => [
      keepCalling(process, 0),
      keepCalling(process, 1),
    ]);
    await pollUntil("the first cap is nearly spent", async () => (await spentOf()) > 10.4);
    await putSpendCap(deps, OPERATOR_CONTEXT, { tenantId, amount: "12" });
    await pollUntil("more passes at once", async () => (await spentOf()) > 11);
    await putSpendCap(deps, OPERATOR_CONTEXT, { tenantId, amount: "10.2" });
    isOver = true;
    await Promise.all(callers);
    await settle();

    const limits = await limitsOf(tenantId);
    expect(await callUntilRefused(limits)).toBe(0);
    const month = await closeMonth(tenantId);
    expect(month.charged).toBeGreaterThan(1_100);
    expect(month.charged).toBeLessThanOrEqual(1_200);
    expect(month).toMatchObject({ units: passed, kinds: ["base", "usage"] });
  });

  it("when usage is reported that no limit could refuse: it is shown and not charged", async () => {
    const tenantId = await makeTenant();
    await putSpendCap(deps, OPERATOR_CONTEXT, { tenantId, amount: "12" });
    // Usage of the minute in which a cap is set counts as before.
    const at = new Date(deps.clock.now().getTime() + 3 * 60_000);
    await recordUsage(deps, { tenantId, at, quantity: 5_000, meterId: "texts" });
    expect(await callUntilRefused(await limitsOf(tenantId))).toBe(0);
    const month = await closeMonth(tenantId);
    // 40 units are included, and 60 of 0.0333 fit: 199.8 cents are 200.
    expect(month).toEqual({ charged: 1_200, units: 100, kinds: ["base", "usage", "beyondCap"] });
  });
});
