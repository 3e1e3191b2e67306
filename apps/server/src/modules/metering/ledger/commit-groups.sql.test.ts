import type { KeyId, ProcessId, TenantId } from "@turnpike/domain/ids/ids";
import { createTestDatabase, type TestDatabase } from "@turnpike/testkit/test-database";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { newUuidId } from "#platform/new-id.ts";
import { createTransact, type Transact } from "#platform/transact.ts";
import {
  logger,
  OPERATOR,
  PERIOD_END_MS,
  PERIOD_START_MS,
} from "../testing/usage-recorder.fixture.ts";
import { commitGroups } from "./commit-groups.ts";
import { reconcile } from "./reconcile.ts";
import type { UsageGroup } from "./usage-group.ts";

let database: TestDatabase;
let transact: Transact;
beforeAll(async () => {
  database = await createTestDatabase();
  transact = createTransact(database.sql);
});

const cleanups: (() => Promise<unknown>)[] = [];

afterAll(async () => {
  for (const cleanup of cleanups.reverse()) {
    await cleanup();
  }
  await database.close();
});

async function countCalls(tenantId: TenantId): Promise<number> {
  const [row] = await database.sql<{ calls: number }[]>`
    select coalesce(sum(calls), 0)::int as calls from ledger_entries where tenant_id = ${tenantId}`;
  return row?.calls ?? 0;
}

async function expectNoDrift(): Promise<void> {
  expect(await reconcile({ transact }, OPERATOR)).toMatchObject({ drift: 0, findings: [] });
}

describe("commitGroups", () => {
  function groupOf(tenantId: TenantId, keyId: KeyId, processId: ProcessId): UsageGroup {
    return {
      groupId: newUuidId("group"),
      processId,
      recordedAtMs: null,
      entries: [
        {
          tenantId,
          keyId,
          environment: "live",
          meterId: "requests",
          outcome: "VALID",
          status: 200,
          minuteMs: Date.UTC(2026, 0, 10, 12),
          periodStartMs: PERIOD_START_MS,
          periodEndMs: PERIOD_END_MS,
          calls: 3,
          quantity: 3,
        },
      ],
      spends: [],
    };
  }

  it("writes a group once, however often it comes, and with any others", async () => {
    const tenantId = newUuidId("tenant");
    const keyId = newUuidId("key");
    const processId = newUuidId("process");
    const groups = Array.from({ length: 30 }, () => groupOf(tenantId, keyId, processId));
    const batches = Array.from({ length: 40 }, (_, index) =>
      groups.filter((_group, at) => (at * 7 + index) % 3 === 0 || index >= 37),
    );
    await Promise.all(batches.map((batch) => commitGroups({ transact, logger }, batch)));
    expect(await countCalls(tenantId)).toBe(90);
    await expectNoDrift();
  });

  it("never deadlocks with writers of the same balances in another order", async () => {
    const tenants = Array.from({ length: 8 }, () => newUuidId("tenant"));
    const keyId = newUuidId("key");
    const processId = newUuidId("process");
    const mix = (seed: number): UsageGroup => ({
      groupId: newUuidId("group"),
      processId,
      recordedAtMs: null,
      spends: [],
      entries: tenants
        .flatMap((tenantId) => groupOf(tenantId, keyId, processId).entries)
        .toSorted((a, b) => (a.tenantId < b.tenantId ? 1 : -1) * (seed % 2 === 0 ? 1 : -1)),
    });
    await Promise.all(
      Array.from({ length: 60 }, (_, seed) => commitGroups({ transact, logger }, [mix(seed)])),
    );
    for (const tenantId of tenants) {
      expect(await countCalls(tenantId)).toBe(180);
    }
    await expectNoDrift();
  });
});
