import { connect } from "@turnpike/db/client";
import { migrate } from "@turnpike/db/migrate";
import type { KeyId, TenantId } from "@turnpike/domain/ids/ids";
import { createOldDatabase } from "@turnpike/testkit/old-database";
import { createTestDatabase, type TestDatabase } from "@turnpike/testkit/test-database";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createLogger } from "#platform/logger.ts";
import { newUuidId } from "#platform/new-id.ts";
import { createTransact, type Transact } from "#platform/transact.ts";
import { commitGroups } from "./commit-groups.ts";
import { createKeyLimiter, limitKey } from "./limit-key.ts";
import { holdPayments, shareLimitedKeys } from "./limited-keys.store.ts";
import { reconcile } from "./reconcile.ts";
import { rollUpUsage } from "./roll-up-usage.ts";
import type { UsageGroup } from "./usage-group.ts";
import { groupOf, keysOf, NOON_MS, PERIOD } from "./usage-groups.fixture.ts";

const OPERATOR = { actor: { type: "operator", id: "test" }, requestId: "req_test" } as const;
const logger = createLogger({ level: "silent" });

let database: TestDatabase;
let transact: Transact;
// What is rolled up is that of all tenants.
beforeEach(async () => {
  database = await createTestDatabase();
  transact = createTransact(database.sql);
});
afterEach(() => database.close());

const commit = (...groups: UsageGroup[]) => commitGroups({ transact, logger }, groups);

/** What a quota of the key would be cut from. */
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
  it("has all that it used in its balance, wherever that was, and nothing twice later", async () => {
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

  it("is told apart by tenant, meter and period", async () => {
    const [ours, theirs] = [newUuidId("tenant"), newUuidId("tenant")];
    const [keyId = newUuidId("key")] = keysOf(1);
    const february = { periodStartMs: PERIOD.endMs, periodEndMs: Date.UTC(2026, 2, 1) };
    await commit(
      groupOf(ours, [keyId]),
      groupOf(ours, [keyId], { quantity: 2, ...february }),
      groupOf(ours, [keyId], { quantity: 4, meterId: "tokens" }),
      groupOf(ours, [keyId], { quantity: 0, outcome: "RATE_LIMITED" }),
      // Ids are unique; were they not, a key would still be its tenant's.
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

  it("counts what its later keys used, of which nothing is ever owed", async () => {
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

  it("changes nothing when it breaks off", async () => {
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
  it("take one connection of their process and leave commits of others their turn", async () => {
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
        await holdPayments(tx);
        await holding.promise;
      });
      const limited = keyIds.map((keyId) => limit({ tenantId, keyId }));
      // All of them wait, and whoever wants something else of the database does not.
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

  it("are told when a commit stands still, and keep other commits for no longer than a second", async () => {
    const tenantId = newUuidId("tenant");
    const [keyId = newUuidId("key")] = keysOf(1);
    await commit(groupOf(tenantId, [keyId]));
    const standing = Promise.withResolvers<void>();
    const held = transact.asMeter(async (tx) => {
      await shareLimitedKeys(tx);
      await standing.promise;
    });
    await expect(limitKey(transact, { tenantId, keyId })).rejects.toThrow("lock timeout");
    await commit(groupOf(tenantId, [keyId], { quantity: 2 }));
    standing.resolve();
    await held;
    await limitKey(transact, { tenantId, keyId });
    expect(await balanceOf(keyId)).toBe(3);
  });
});

describe("the migration to balances that are owed", () => {
  it("takes keys with a quota, or that had one, as limited, and what was committed before as paid", async () => {
    await using old = await createOldDatabase(database, "0035_owe_balances_of_keys.sql");
    const { sql } = old;
    const tenantId = "ten_1" as TenantId;
    await sql.begin(async (tx) => {
      await tx`insert into plans values ('p', 1, false, now())`;
      await tx`insert into plan_versions values ('p', 1, '{}', now())`;
      await tx`set local role turnpike_operator`;
      await tx`
        insert into tenants (tenant_id, name, slug, plan_id, plan_version, period_anchor, created_at, updated_at)
        values (${tenantId}, 'A', 'a', 'p', 1, now(), now(), now())`;
      // The key a was rolled to b; d had a quota once.
      await tx`
        insert into api_keys (tenant_id, key_id, origin_key_id, name, environment, key_hash, start, last_four, quotas,
          created_at, updated_at, created_by)
        select ${tenantId}, key_id, origin_key_id, 'Key', 'live', key_id::bytea, '', '', quotas::jsonb, now(), now(), 'test'
        from (values ('a', 'a', '[]'), ('b', 'a', '[{"meter":"requests","limit":9}]'), ('c', 'c', '[]'), ('d', 'd', '[]'))
          as keys (key_id, origin_key_id, quotas)`;
      await tx`reset role`;
      await tx`set local role turnpike_meter`;
      await tx`
        insert into leases (tenant_id, lease_id, key_id, meter_id, environment, period_start, process_id, state, granted,
          remaining, expires_at, created_at)
        values (${tenantId}, 'lse_1', 'd', 'requests', 'live', '2026-01-01Z', 'prc_1', 'forfeited', 1, 1, now(), now())`;
      await tx`
        insert into recent_usage (tenant_id, occurred_at, meter_id, environment, outcome, status, method, route, key_ids,
          calls, quantities, bytes_in, bytes_out, latency_buckets, latency_counts)
        values (${tenantId}, ${new Date(NOON_MS)}, 'requests', 'live', 'VALID', 200, '', '', '{a,c}', '{1,1}', '{5,7}', '{}',
          '{}', '{}', '{}')`;
      await tx`
        insert into key_balances (tenant_id, key_id, meter_id, period_start, period_end, used)
        select ${tenantId}, key_id, 'requests', '2026-01-01Z', '2026-02-01Z', used
        from (values ('a', 5), ('c', 7)) as balances (key_id, used)`;
    });
    await migrate(sql);
    const ofOld = createTransact(sql);
    const limited = await ofOld.asMeter(
      (tx) => tx`select key_id from limited_keys order by key_id`,
    );
    expect(limited.map((row) => row["key_id"])).toEqual(["a", "d"]);
    await limitKey(ofOld, { tenantId, keyId: "c" as KeyId });
    await rollUpUsage({ transact: ofOld }, "minutes");
    await rollUpUsage({ transact: ofOld }, "hours");
    const balances = await ofOld.asMeter(
      (tx) => tx`select key_id, used::int from key_balances order by key_id`,
    );
    expect([...balances]).toEqual([
      { key_id: "a", used: 5 },
      { key_id: "c", used: 7 },
    ]);
  });
});
