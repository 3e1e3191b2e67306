import { verifyKeyResponse } from "@turnpike/contract/keys";
import { lock as lockShape } from "@turnpike/contract/locks";
import { pollUntil } from "@turnpike/testkit/poll-until";
import { IS_SOAK } from "@turnpike/testkit/soak";
import { startTestApp, type TestApp } from "@turnpike/testkit/test-app";
import { createTestDatabase, type TestDatabase } from "@turnpike/testkit/test-database";
import { OPERATOR_CONTEXT } from "@turnpike/testkit/test-services";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { applyCatalog } from "#modules/catalog/index.ts";
import { reconcile } from "../ledger/reconcile.ts";
import { pruneMetering } from "../prune-metering.ts";

const RUNS = IS_SOAK ? 60 : 6;
const LIMIT = 200;
const KEY_LIMIT = 120;

let database: TestDatabase;
/** Two instances of the product on one database, like two processes. */
let apps: TestApp[];
let serviceKey: string;

beforeAll(async () => {
  database = await createTestDatabase();
  const first = await startTestApp(database);
  apps = [first, await startTestApp(database)];
  serviceKey = await first.mintServiceKey(["keys:verify", "keys:write", "tenants:write"]);
  await applyCatalog(first.services, OPERATOR_CONTEXT, {
    meters: [{ meterId: "tokens", name: "Tokens", unit: "token", aggregation: "sum" }],
    plans: [
      {
        planId: "capped",
        name: "Capped",
        description: "",
        currency: "EUR",
        pricePerMonth: "5",
        visibility: "public",
        rateLimits: [],
        quotas: [{ meter: "tokens", limit: LIMIT, kind: "hard" }],
      },
    ],
  });
});
afterAll(async () => {
  for (const app of apps) {
    await app.close();
  }
  await database.close();
});

const appAt = (at: number): TestApp => apps[at % apps.length] ?? expect.fail("no app");

let customers = 0;
/** Creates a tenant with two keys: one with a quota of its own below the tenant's, and one without. */
async function createCustomer() {
  customers += 1;
  const app = appAt(0);
  const tenantId = await app.mintTenant(`Model ${String(customers)}`);
  const path = `/v1/tenants/${tenantId}`;
  await app.call(serviceKey, "PATCH", path, { planId: "capped" });
  const keys: string[] = [];
  for (const quotas of [[{ meter: "tokens", limit: KEY_LIMIT }], []]) {
    const made = await app.call(serviceKey, "POST", `${path}/keys`, { name: "Key", quotas });
    keys.push(made.json.key);
  }
  return { tenantId, path, keys };
}
type Customer = Awaited<ReturnType<typeof createCustomer>>;

/** When many callers wait for the last units, some are asked to come back. They have taken nothing, so that is a refusal. */
async function verify(app: TestApp, body: object) {
  const reply = await app.call(serviceKey, "POST", "/v1/keys/verify", { meter: "tokens", ...body });
  if (reply.status === 503) {
    expect(reply.json).toMatchObject({ code: "OVERLOADED" });
    return { valid: false, code: "OVERLOADED", lock: undefined };
  }
  expect(reply.status, reply.text).toBe(200);
  const { valid, code, lock } = verifyKeyResponse.parse(reply.json);
  return { valid, code, lock };
}

const end = (app: TestApp, lockId: string, how: "settle" | "release", body: object = {}) =>
  app.call(serviceKey, "POST", `/v1/locks/${lockId}/${how}`, body);

async function letLapse(lockId: string) {
  await database.sql`
    with past as (
      update locks set expires_at = now() - interval '1 second' where lock_id = ${lockId} and state = 'open' returning *
    )
    update leases l set expires_at = past.expires_at from past
    where l.tenant_id = past.tenant_id and l.lease_id in (past.lease_id, past.key_lease_id)`;
}

type Step = { what: "call" | "reserve" | "settle" | "release" | "lapse" | "sweep" | "period" } & {
  app: number;
  key: number;
  cost: number;
  lock: number;
};

const weights = { call: 4, reserve: 10, settle: 8, release: 3, lapse: 2, sweep: 1, period: 1 };
const step = fc.record({
  what: fc.oneof(
    ...Object.entries(weights).map(([what, weight]) => ({
      weight,
      arbitrary: fc.constant(what as Step["what"]),
    })),
  ),
  app: fc.nat({ max: 1 }),
  key: fc.nat({ max: 1 }),
  cost: fc.integer({ min: 1, max: 60 }),
  lock: fc.nat({ max: 200 }),
});
/** The steps of one batch run at the same time. */
const script = fc.array(fc.array(step, { minLength: 1, maxLength: 6 }), {
  minLength: 6,
  maxLength: 14,
});

/** What callers were answered, which balances must match. */
type Reference = {
  /** Units of calls without a lock. */
  taken: number;
  locks: string[];
  /** Cost by lock, from the answers to settlements. */
  settled: Map<string, number>;
  released: Set<string>;
};

/** Starts the current period so many minutes ago, so that earlier usage counts in another one. */
async function beginPeriod(customer: Customer, minutesAgo: number) {
  await database.sql`
    update tenant_entitlements set period_anchor = now() - make_interval(mins => ${minutesAgo})
    where tenant_id = ${customer.tenantId}`;
  // Publishes a change of the tenant, so that its record is read again.
  const renamed = { name: `Since ${String(minutesAgo)}` };
  expect((await appAt(0).call(serviceKey, "PATCH", customer.path, renamed)).status).toBe(200);
}

async function take(reference: Reference, customer: Customer, asked: Step): Promise<void> {
  const { what, cost } = asked;
  const app = appAt(asked.app);
  const key = customer.keys[asked.key];
  const lockId = reference.locks[asked.lock % Math.max(1, reference.locks.length)];
  if (what === "call") {
    const { valid } = await verify(app, { key, cost });
    reference.taken += valid ? cost : 0;
  } else if (what === "reserve") {
    const { lock } = await verify(app, { key, cost, lock: {} });
    if (lock !== undefined) {
      reference.locks.push(lock.lockId);
    }
  } else if (what === "sweep") {
    await pruneMetering(app.services);
  } else if (what === "period") {
    await beginPeriod(customer, asked.lock + 1);
  } else if (lockId !== undefined && what === "lapse") {
    await letLapse(lockId);
  } else if (lockId !== undefined && what === "settle") {
    const { status, text } = await end(app, lockId, "settle", { cost });
    expect([200, 409, 410], text).toContain(status);
    if (status === 200) {
      // A repeated settlement gets the same answer, and no one another one.
      expect(reference.settled.get(lockId) ?? cost).toBe(cost);
      reference.settled.set(lockId, cost);
    }
  } else if (lockId !== undefined && what === "release") {
    const { status, text } = await end(app, lockId, "release");
    expect([200, 409, 410], text).toContain(status);
    if (status === 200) {
      reference.released.add(lockId);
    }
  }
}

/** Checks that no balance of the tenant or its keys exceeds its limit, in any period. */
async function checkCaps(customer: Customer) {
  const rows = await database.sql<{ taken: number; of_key: boolean; has_quota: boolean }[]>`
    with balance as (
      select tenant_id, null as key_id, period_start, used from balances where tenant_id = ${customer.tenantId}
      union all
      select tenant_id, key_id, period_start, used from usage_of_keys where tenant_id = ${customer.tenantId}
    )
    select (b.used + coalesce((
        select sum(l.remaining) from leases l
        where l.tenant_id = b.tenant_id and l.period_start = b.period_start and l.key_id is not distinct from b.key_id
      ), 0))::float8 as taken, b.key_id is not null as of_key,
      exists (select from api_keys k where k.key_id = b.key_id and k.quotas <> '[]') as has_quota
    from balance b`;
  for (const { taken, of_key, has_quota } of rows) {
    expect(taken).toBeLessThanOrEqual(of_key && has_quota ? KEY_LIMIT : LIMIT);
  }
}

/** Checks that the ledger matches the answers, each cost in the period in which its call was admitted. */
async function checkLedger(customer: Customer, reference: Reference) {
  const settledCost = [...reference.settled.values()].reduce((sum, cost) => sum + cost, 0);
  await pollUntil(
    "calls are committed",
    async () => (await countUsed(customer)) >= reference.taken + settledCost,
  );
  let used = reference.taken;
  for (const lockId of reference.locks) {
    const reply = await appAt(1).call(serviceKey, "GET", `/v1/locks/${lockId}`);
    const { state, cost } = lockShape.parse(reply.json);
    const settled = reference.settled.get(lockId);
    expect({ lockId, cost }).toEqual({ lockId, cost: settled ?? null });
    expect(state === "settled").toBe(settled !== undefined);
    expect(state === "released").toBe(reference.released.has(lockId));
    used += settled ?? 0;
  }
  const [row] = await database.sql<{ used: number; strayed: number }[]>`
    select coalesce(sum(e.quantity), 0)::float8 as used, (count(*) filter (
        where e.period_start <> (select k.period_start from locks k where k.group_id = e.group_id)
      ))::int as strayed
    from ledger_entries e where e.tenant_id = ${customer.tenantId}`;
  expect(row).toEqual({ used, strayed: 0 });
}

/** Checks that everything held goes back, and that everything left can then be taken, to the last unit. */
async function checkNothingStranded(customer: Customer, reference: Reference) {
  for (const [at, lockId] of reference.locks.entries()) {
    if (at % 2 === 0) {
      await letLapse(lockId);
    } else if ((await end(appAt(at), lockId, "release")).status === 200) {
      reference.released.add(lockId);
    }
  }
  await pruneMetering(appAt(0).services);
  await beginPeriod(customer, 300);
  await pollUntil("both processes gave their leases back", async () => {
    const rows = await database.sql`select 1 from leases where tenant_id = ${customer.tenantId}`;
    return rows.length === 0;
  });
  const [row] = await database.sql<{ used: number }[]>`
    select coalesce(max(b.used), 0)::float8 as used
    from tenant_entitlements t left join balances b on b.tenant_id = t.tenant_id
      and abs(extract(epoch from b.period_start - t.period_anchor)) < 0.01
    where t.tenant_id = ${customer.tenantId}`;
  const left = LIMIT - (row?.used ?? 0);
  const key = customer.keys[1];
  if (left > 0) {
    const { lock } = await pollUntil("the other process knows of the period", async () => {
      const last = await verify(appAt(1), { key, cost: left, lock: {} });
      return last.valid ? last : undefined;
    });
    expect(lock).toMatchObject({ reserved: left });
    reference.locks.push(lock?.lockId ?? expect.fail("no lock"));
  }
  for (const app of apps) {
    await pollUntil("the process knows of the period, and that nothing is left of it", async () => {
      const { valid, code } = await verify(app, { key, cost: 1 });
      // Of the period before; were it of this one, its balance would exceed the limit.
      reference.taken += valid ? 1 : 0;
      return code === "QUOTA_EXCEEDED";
    });
  }
}

async function countUsed(customer: Customer): Promise<number> {
  const [row] = await database.sql<{ used: number }[]>`
    select coalesce(sum(quantity), 0)::float8 as used from ledger_entries where tenant_id = ${customer.tenantId}`;
  return row?.used ?? 0;
}

describe("guarantee: locks never overshoot a limit, strand nothing and are counted once", () => {
  it(
    "in any order of reserving, settling, releasing, lapsing and new periods, on two processes",
    async () => {
      await fc.assert(
        fc.asyncProperty(script, async (batches) => {
          const customer = await createCustomer();
          const reference: Reference = {
            taken: 0,
            locks: [],
            settled: new Map(),
            released: new Set(),
          };
          for (const batch of batches) {
            await Promise.all(batch.map((asked) => take(reference, customer, asked)));
            await checkCaps(customer);
          }
          await checkLedger(customer, reference);
          await checkNothingStranded(customer, reference);
          await checkLedger(customer, reference);
          await checkCaps(customer);
          const context = OPERATOR_CONTEXT;
          expect(await reconcile(appAt(0).services, context)).toMatchObject({ findings: [] });
        }),
        { numRuns: RUNS, endOnFailure: true },
      );
    },
    RUNS * 300_000,
  );

  it("at the cap: of many locks asked for at once on both, only those pass that fit", async () => {
    const customer = await createCustomer();
    const verdicts = await Promise.all(
      Array.from({ length: 60 }, (_, at) =>
        verify(appAt(at), { key: customer.keys[1], cost: 9, lock: {} }),
      ),
    );
    await checkCaps(customer);
    const locks = verdicts.flatMap(({ lock }) => lock ?? []);
    expect(locks.length).toBeLessThanOrEqual(Math.floor(LIMIT / 9));
    // The leases of the two processes keep little from each other.
    expect(locks.length).toBeGreaterThan(10);
    const ends = await Promise.all(
      locks.map(({ lockId }, at) => end(appAt(at), lockId, "settle", { cost: 12 })),
    );
    await checkCaps(customer);
    const settled = ends.filter((reply) => reply.status === 200).length;
    expect(ends.filter((reply) => reply.json.code === "LOCK_EXCEEDED")).toHaveLength(
      locks.length - settled,
    );
    expect(await countUsed(customer)).toBe(settled * 12);
  });
});
