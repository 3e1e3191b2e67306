import type { KeyId, ProcessId, TenantId } from "@turnpike/domain/ids/ids";
import { createTestDatabase, type TestDatabase } from "@turnpike/testkit/test-database";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { systemClock } from "#platform/clock.ts";
import { createLogger } from "#platform/logger.ts";
import { newUuidId } from "#platform/new-id.ts";
import { createTransact, type Transact } from "#platform/transact.ts";
import { commitGroups } from "../ledger/commit-groups.ts";
import { GroupBuilder } from "../ledger/usage-group.ts";
import type { HardLimit, LeaseHold } from "./lease-entry.ts";
import { LeaseHolder } from "./lease-holder.ts";
import { createLeaseLedger } from "./lease-ledger.ts";
import { forfeitLeases } from "./leases.store.ts";

const logger = createLogger({ level: "silent" });
const PERIOD = { periodStartMs: Date.UTC(2026, 0, 1), periodEndMs: Date.UTC(2099, 0, 1) };

let database: TestDatabase;
let transact: Transact;
beforeAll(async () => {
  database = await createTestDatabase();
  transact = createTransact(database.sql);
});
afterAll(() => database.close());

type Limits = { tenant: HardLimit; key: HardLimit };

function limitsOf(input: {
  tenantId: TenantId;
  keyId: KeyId;
  tenant: number;
  key: number;
  changedAtMs?: number;
}): Limits {
  const common = {
    ...PERIOD,
    tenantId: input.tenantId,
    meterId: "requests",
    environment: "live",
  } as const;
  return {
    tenant: { ...common, limit: input.tenant },
    key: {
      ...common,
      keyId: input.keyId,
      limit: input.key,
      ...(input.changedAtMs !== undefined && { changedAtMs: input.changedAtMs }),
    },
  };
}

/** A process that spends from the limits of a tenant and of a key in one step, as the gateway does. */
class TestProcess {
  readonly id: ProcessId = newUuidId("process");
  readonly holder: LeaseHolder;
  #builder = new GroupBuilder();

  /** @param givesBack - Whether it commits what it recorded when it returns a lease. */
  constructor({ givesBack = false } = {}) {
    this.holder = new LeaseHolder({
      ledger: createLeaseLedger(transact),
      clock: systemClock,
      newId: newUuidId,
      processId: this.id,
      logger,
      ...(givesBack && { flush: () => this.flush() }),
    });
  }

  async #spend(limit: HardLimit): Promise<LeaseHold | undefined> {
    for (;;) {
      const result = this.holder.spend(limit, 1);
      if (result.status !== "unknown") {
        return result.status === "spent" ? result.hold : undefined;
      }
      await this.holder.refill(limit, 1);
    }
  }

  /** @param keyId - The key of the call. Its limit may be that of an earlier key of its line. */
  async call(limits: Limits, keyId: KeyId): Promise<boolean> {
    const hold = await this.#spend(limits.tenant);
    const keyHold = hold === undefined ? undefined : await this.#spend(limits.key);
    if (hold === undefined || keyHold === undefined) {
      if (hold !== undefined) {
        this.holder.giveBack(hold);
      }
      return false;
    }
    this.#builder.add({
      ...limits.tenant,
      keyId,
      originKeyId: limits.key.keyId,
      outcome: "VALID",
      status: 200,
      method: "GET",
      route: "/",
      occurredAtMs: Date.UTC(2026, 5, 1),
      quantity: 1,
      leaseId: hold.lease.leaseId,
      keyLeaseId: keyHold.lease.leaseId,
    });
    this.holder.settle(hold);
    this.holder.settle(keyHold);
    return true;
  }

  async flush(): Promise<void> {
    const group = this.#builder.build({
      groupId: newUuidId("group"),
      processId: this.id,
      recordedAtMs: null,
    });
    this.#builder = new GroupBuilder();
    await commitGroups({ transact, logger }, [group]);
  }
}

/** Calls from several callers at once until the limit refuses. @returns How many calls passed. */
async function callUntilRefused(process: TestProcess, limits: Limits, keyIds: readonly KeyId[]) {
  const counts = await Promise.all(
    keyIds.map(async (keyId) => {
      let passed = 0;
      while (await process.call(limits, keyId)) {
        passed += 1;
      }
      return passed;
    }),
  );
  return counts.reduce((sum, count) => sum + count, 0);
}

async function readState(tenantId: TenantId) {
  const [row] = await database.sql<{ used: number; key: number; forfeited: number }[]>`
    select coalesce((select sum(used) from balances where tenant_id = ${tenantId}), 0)::int as used,
      coalesce((select sum(used) from usage_of_keys where tenant_id = ${tenantId}), 0)::int as key,
      coalesce((select sum(remaining) from leases
        where tenant_id = ${tenantId} and key_id is not null and state = 'forfeited'), 0)::int as forfeited`;
  return row;
}

describe("the quota of a key over several processes", () => {
  it("is used up to the last unit and not one further, by all keys of its line together", async () => {
    const tenantId = newUuidId("tenant");
    const line = [newUuidId("key"), newUuidId("key")];
    const limits = limitsOf({ tenantId, keyId: line[0]!, tenant: 10_000, key: 250 });
    const processes = [new TestProcess(), new TestProcess(), new TestProcess()];
    let passed = 0;
    // Units that a refused process still held go back with its lease, for the others.
    for (let round = 0; round < 3; round += 1) {
      const counts = await Promise.all(
        processes.map((process) => callUntilRefused(process, limits, line)),
      );
      passed += counts.reduce((sum, count) => sum + count, 0);
      for (const process of processes) {
        process.holder.release(undefined);
        await process.holder.returnRetired(() => process.flush());
      }
    }
    expect(passed).toBe(250);
    expect(await readState(tenantId)).toEqual({ used: 250, key: 250, forfeited: 0 });
  });

  it("leaves the units of the tenant to its other keys", async () => {
    const tenantId = newUuidId("tenant");
    const process = new TestProcess();
    const small = limitsOf({ tenantId, keyId: newUuidId("key"), tenant: 100, key: 30 });
    const large = limitsOf({ tenantId, keyId: newUuidId("key"), tenant: 100, key: 1_000 });
    expect(await callUntilRefused(process, small, [small.key.keyId!])).toBe(30);
    expect(await callUntilRefused(process, large, [large.key.keyId!])).toBe(70);
    await process.flush();
    expect(await readState(tenantId)).toEqual({ used: 100, key: 100, forfeited: 0 });
  });

  it("is not overshot after a crash: what the process may have spent is forfeited", async () => {
    const tenantId = newUuidId("tenant");
    const keyId = newUuidId("key");
    const limits = limitsOf({ tenantId, keyId, tenant: 10_000, key: 60 });
    const crashed = new TestProcess();
    for (let call = 0; call < 5; call += 1) {
      expect(await crashed.call(limits, keyId)).toBe(true);
    }
    // Its last question is answered before it is found to be gone.
    await crashed.holder.settleRefills();
    await transact.asMeter((tx) => forfeitLeases(tx, crashed.id));
    const survivor = new TestProcess();
    const passed = await callUntilRefused(survivor, limits, [keyId]);
    await survivor.flush();
    const state = await readState(tenantId);
    expect(state?.key).toBe(passed);
    expect(passed + (state?.forfeited ?? 0)).toBe(60);
    expect(state?.forfeited).toBeGreaterThanOrEqual(5);
  });

  it("holds for each key of a line up to its own limit, also when keys are used at the same time", async () => {
    const tenantId = newUuidId("tenant");
    const line = [newUuidId("key"), newUuidId("key")] as const;
    const process = new TestProcess({ givesBack: true });
    const of = (key: number) => limitsOf({ tenantId, keyId: line[0], tenant: 10_000, key });
    let asks = 0;
    const refill = process.holder.refill.bind(process.holder);
    process.holder.refill = async (...input) => {
      asks += 1;
      await refill(...input);
    };
    const [before, after] = await Promise.all([
      callUntilRefused(process, of(100), [line[0]]),
      callUntilRefused(process, of(200), [line[1]]),
    ]);
    expect(before).toBeLessThanOrEqual(100);
    expect(before + after).toBe(200);
    expect(await process.call(of(100), line[0])).toBe(false);
    // A call with one key must not release what the other key holds each time.
    expect(asks).toBeLessThan(100);
    await process.flush();
    expect(await readState(tenantId)).toEqual({ used: 200, key: 200, forfeited: 0 });
  });

  it("gets back at once what the process itself released a moment before", async () => {
    const tenantId = newUuidId("tenant");
    const line = [newUuidId("key"), newUuidId("key")] as const;
    const process = new TestProcess({ givesBack: true });
    const of = (key: number) => limitsOf({ tenantId, keyId: line[0], tenant: 10_000, key });
    const [low, high] = [of(100), of(200)];
    expect(await process.call(low, line[0])).toBe(true);
    const held = process.holder.remaining(low.key)! - 88;
    expect(held).toBeGreaterThan(0);
    // The rest goes to the higher limit. The lease under the lower limit exceeds it now, and is released but not returned yet.
    await process.holder.refill(high.key, 199 - held);
    expect(process.holder.spend(high.key, 199 - held).status).toBe("spent");
    // Only its units are left.
    await process.holder.refill(high.key, held);
    expect(process.holder.spend(high.key, held).status).toBe("spent");
  });

  it("keeps counting what was used when it is lowered or raised", async () => {
    const tenantId = newUuidId("tenant");
    const keyId = newUuidId("key");
    const process = new TestProcess();
    const of = (key: number) => limitsOf({ tenantId, keyId, tenant: 10_000, key });
    expect(await callUntilRefused(process, of(20), [keyId])).toBe(20);
    await process.flush();
    expect(await callUntilRefused(process, of(10), [keyId])).toBe(0);
    await process.holder.returnRetired(() => process.flush());
    expect(await callUntilRefused(process, of(35), [keyId])).toBe(15);
  });

  it("is not exceeded by an old lease when it is set again after more was used", async () => {
    const tenantId = newUuidId("tenant");
    const keyId = newUuidId("key");
    const process = new TestProcess({ givesBack: true });
    const of = (key: number, changedAtMs: number) =>
      limitsOf({ tenantId, keyId, tenant: 10_000, key, changedAtMs });
    expect(await process.call(of(100, 1), keyId)).toBe(true);
    for (let call = 0; call < 150; call += 1) {
      expect(await process.call(of(1_000, 2), keyId)).toBe(true);
    }
    expect(await process.call(of(100, 3), keyId)).toBe(false);
    await process.flush();
    expect(await readState(tenantId)).toEqual({ used: 151, key: 151, forfeited: 0 });
  });

  it("is not exceeded by an old lease when another key of the line has used more meanwhile", async () => {
    const tenantId = newUuidId("tenant");
    const line = [newUuidId("key"), newUuidId("key")] as const;
    const process = new TestProcess({ givesBack: true });
    const of = (key: number) => limitsOf({ tenantId, keyId: line[0], tenant: 10_000, key });
    expect(await process.call(of(100), line[0])).toBe(true);
    for (let call = 0; call < 500; call += 1) {
      expect(await process.call(of(1_000), line[1])).toBe(true);
    }
    expect(await process.call(of(100), line[0])).toBe(false);
  });
});
