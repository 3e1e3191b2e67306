import { connect } from "@turnpike/db/client";
import type { KeyId } from "@turnpike/domain/ids/ids";
import { createTestDatabase, type TestDatabase } from "@turnpike/testkit/test-database";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createLogger } from "#platform/logger.ts";
import { newUuidId } from "#platform/new-id.ts";
import { createTransact, type Transact } from "#platform/transact.ts";
import { rollUpUsage } from "../rollups/roll-up-usage.ts";
import { groupOf, keysOf, PERIOD } from "../testing/usage-groups.fixture.ts";
import { commitGroups } from "./commit-groups.ts";
import { holdPendingUsage, shareLimitedKeys } from "./limited-keys.store.ts";
import { createKeyLimiter, limitKey } from "./limited-keys.ts";
import { reconcile } from "./reconcile.ts";
import type { UsageGroup } from "./usage-group.ts";

const OPERATOR = { actor: { type: "operator", id: "test" }, requestId: "req_test" } as const;
const logger = createLogger({ level: "silent" });

let database: TestDatabase;
let transact: Transact;
// A run rolls up the usage of all tenants, so each test has its own database.
beforeEach(async () => {
  database = await createTestDatabase();
  transact = createTransact(database.sql);
});
afterEach(() => database.close());

const commit = (...groups: UsageGroup[]) => commitGroups({ transact, logger }, groups);

/** The balance from which leases of the key are cut. */
async function balanceOf(keyId: KeyId): Promise<number> {
  const [row] = await database.sql<{ used: number }[]>`
    select coalesce(sum(used), 0)::int as used from key_balances where key_id = ${keyId}`;
  return row?.used ?? -1;
}

async function expectNoDrift(): Promise<void> {
  expect(await reconcile({ transact }, OPERATOR)).toMatchObject({ drift: 0, findings: [] });
}

async function rollUpAll(): Promise<void> {
  await rollUpUsage({ transact }, "minutes");
  await rollUpUsage({ transact }, "hours");
  const [row] = await database.sql`select count(*)::int as count from recent_usage`;
  expect(row?.["count"]).toBe(0);
}

describe("a line of keys that becomes limited", () => {
  it("has everything that it used in its balance, and counts nothing twice later", async () => {
    const tenantId = newUuidId("tenant");
    const keyIds = keysOf(200);
    const [keyId, other] = keyIds as [KeyId, KeyId];
    const line = { tenantId, keyId };
    await commit(groupOf(tenantId, keyIds));
    await rollUpAll();
    await expectNoDrift();
    await commit(groupOf(tenantId, keyIds, { quantity: 2 }));
    await rollUpUsage({ transact }, "minutes");
    await commit(
      groupOf(tenantId, keyIds, { quantity: 4 }),
      groupOf(tenantId, [keyId], { quantity: 8 }),
    );
    expect(await balanceOf(keyId)).toBe(1);
    await limitKey(transact, line);
    expect([await balanceOf(keyId), await balanceOf(other)]).toEqual([15, 1]);
    await expectNoDrift();
    await limitKey(transact, line);
    await commit(groupOf(tenantId, keyIds, { quantity: 16 }));
    expect([await balanceOf(keyId), await balanceOf(other)]).toEqual([31, 1]);
    await rollUpAll();
    await expectNoDrift();
    expect([await balanceOf(keyId), await balanceOf(other)]).toEqual([31, 23]);
  });

  it("has a balance for each tenant, meter and period", async () => {
    const [ours, theirs] = [newUuidId("tenant"), newUuidId("tenant")];
    const [keyId = newUuidId("key")] = keysOf(1);
    const february = { periodStartMs: PERIOD.endMs, periodEndMs: Date.UTC(2026, 2, 1) };
    await commit(
      groupOf(ours, [keyId]),
      groupOf(ours, [keyId], { quantity: 2, ...february }),
      groupOf(ours, [keyId], { quantity: 4, meterId: "tokens" }),
      groupOf(ours, [keyId], { quantity: 0, outcome: "RATE_LIMITED" }),
      // Ids are unique; if they were not, a key would still belong to its tenant.
      groupOf(theirs, [keyId], { quantity: 8 }),
    );
    await limitKey(transact, { tenantId: ours, keyId });
    const balances = await database.sql`
      select tenant_id, meter_id, period_start, period_end, used::int from key_balances order by used`;
    const [start, middle, end] = [PERIOD.startMs, PERIOD.endMs, february.periodEndMs].map(
      (epochMs) => new Date(epochMs),
    );
    const common = {
      tenant_id: ours,
      meter_id: "requests",
      period_start: start,
      period_end: middle,
    };
    expect([...balances]).toEqual([
      { ...common, used: 1 },
      { ...common, period_start: middle, period_end: end, used: 2 },
      { ...common, meter_id: "tokens", used: 4 },
    ]);
    await rollUpAll();
    await expectNoDrift();
    expect(await balanceOf(keyId)).toBe(15);
  });

  it("counts the usage of its later keys, which is never pending", async () => {
    const tenantId = newUuidId("tenant");
    const [first = newUuidId("key"), second = newUuidId("key")] = keysOf(2);
    const rolled = { originKeyId: first };
    await commit(
      groupOf(tenantId, [first]),
      groupOf(tenantId, [second], { ...rolled, quantity: 2 }),
    );
    expect(await balanceOf(first)).toBe(2);
    await limitKey(transact, { tenantId, keyId: first });
    await commit(groupOf(tenantId, [second], { ...rolled, quantity: 4 }));
    expect(await balanceOf(first)).toBe(7);
    await rollUpAll();
    expect([await balanceOf(first), await balanceOf(second)]).toEqual([7, 0]);
  });

  it("changes nothing when it fails", async () => {
    const tenantId = newUuidId("tenant");
    const [keyId = newUuidId("key")] = keysOf(1);
    await commit(groupOf(tenantId, [keyId]));
    const breaking: Pick<Transact, "asMeter"> = {
      asMeter: (work) =>
        transact.asMeter(async (tx) => {
          const result = await work(tx);
          if (result === undefined) {
            throw new Error("The process ends here.");
          }
          return result;
        }),
    };
    await expect(limitKey(breaking, { tenantId, keyId })).rejects.toThrow("ends here");
    expect(await balanceOf(keyId)).toBe(0);
    await expectNoDrift();
    await limitKey(transact, { tenantId, keyId });
    expect(await balanceOf(keyId)).toBe(1);
  });
});

describe("many lines of keys that become limited at once", () => {
  it("take one connection of their process, and other commits go on", async () => {
    const tenantId = newUuidId("tenant");
    const keyIds = keysOf(60);
    await commit(groupOf(tenantId, keyIds));
    const pool = connect(database.target, {
      connectionsMax: 2,
      applicationName: "test-process",
      statementTimeoutMs: 30_000,
    });
    try {
      const own = createTransact(pool);
      const limit = createKeyLimiter(own);
      const holding = Promise.withResolvers<void>();
      const held = transact.asMeter(async (tx) => {
        await holdPendingUsage(tx);
        await holding.promise;
      });
      const limited = keyIds.map((keyId) => limit({ tenantId, keyId }));
      // They all wait, but other transactions of the process do not.
      for (let at = 0; at < 20; at += 1) {
        await own.asMeter((tx) => tx`select 1`);
      }
      await commit(groupOf(tenantId, keyIds, { quantity: 2 }));
      holding.resolve();
      await Promise.all([held, ...limited]);
    } finally {
      await pool.end();
    }
    for (const keyId of keyIds) {
      expect(await balanceOf(keyId)).toBe(3);
    }
    await expectNoDrift();
  });

  it("fail when a commit hangs, and hold up other commits for at most a second", async () => {
    const tenantId = newUuidId("tenant");
    const [keyId = newUuidId("key")] = keysOf(1);
    await commit(groupOf(tenantId, [keyId]));
    const [sharing, hanging] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const held = transact.asMeter(async (tx) => {
      await shareLimitedKeys(tx);
      sharing.resolve();
      await hanging.promise;
    });
    await sharing.promise;
    await expect(limitKey(transact, { tenantId, keyId })).rejects.toThrow("lock timeout");
    await commit(groupOf(tenantId, [keyId], { quantity: 2 }));
    hanging.resolve();
    await held;
    await limitKey(transact, { tenantId, keyId });
    expect(await balanceOf(keyId)).toBe(3);
  });
});
