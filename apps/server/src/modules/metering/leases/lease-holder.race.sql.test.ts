import type { GroupId, ProcessId, TenantId } from "@turnpike/domain/ids/ids";
import { createTestDatabase, type TestDatabase } from "@turnpike/testkit/test-database";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Clock } from "#platform/clock.ts";
import { createLogger } from "#platform/logger.ts";
import { newUuidId } from "#platform/new-id.ts";
import { createTransact, type Transact } from "#platform/transact.ts";
import { commitGroups } from "../ledger/commit-groups.ts";
import { GroupBuilder } from "../ledger/usage-group.ts";
import { pruneMetering } from "../prune-metering.ts";
import type { HardLimit, LeaseHold } from "./lease-entry.ts";
import { LeaseHolder } from "./lease-holder.ts";
import { createLeaseLedger } from "./lease-ledger.ts";
import { forfeitLeases } from "./leases.store.ts";

const logger = createLogger({ level: "silent" });
const PERIOD_START_MS = Date.UTC(2026, 0, 1);
const PERIOD_END_MS = Date.UTC(2099, 0, 1);

let database: TestDatabase;
let transact: Transact;
beforeAll(async () => {
  database = await createTestDatabase();
  transact = createTransact(database.sql);
});
afterAll(() => database.close());

/** A process that meters without a journal: uncommitted usage is lost with it. */
class TestProcess {
  readonly id: ProcessId = newUuidId("process");
  readonly holder: LeaseHolder;
  clockMs = 1_000;
  spent = 0;
  #builder = new GroupBuilder();

  /** @param asksOthers - Whether it returns what it released, and waits for what it asks of others. */
  constructor(ledger: Transact = transact, { asksOthers = false } = {}) {
    const clock: Clock = { now: () => new Date(), monotonicMs: () => this.clockMs };
    this.holder = new LeaseHolder({
      ledger: createLeaseLedger(ledger),
      clock,
      newId: newUuidId,
      processId: this.id,
      logger,
      ...(asksOthers && { flush: () => this.flush(), pause: () => Promise.resolve() }),
    });
  }

  async take(limit: HardLimit, quantity = 1): Promise<LeaseHold | undefined> {
    for (let attempt = 0; attempt < 5; attempt += 1) {
      const result = this.holder.spend(limit, quantity);
      if (result.status === "spent") {
        return result.hold;
      }
      if (result.status === "exhausted") {
        return;
      }
      await this.holder.refill(limit, quantity);
    }
    throw new Error("Neither taken nor refused.");
  }

  record(limit: HardLimit, hold: LeaseHold): void {
    this.#builder.add({
      ...limit,
      keyId: "key_00000000000000000000000000000000" as never,
      outcome: "VALID",
      status: 200,
      method: "GET",
      route: "/",
      occurredAtMs: Date.UTC(2026, 5, 1),
      quantity: hold.quantity,
      leaseId: hold.lease.leaseId,
    });
    this.holder.settle(hold);
    this.spent += hold.quantity;
  }

  async flush(): Promise<void> {
    if (this.#builder.size === 0) {
      return;
    }
    const group = this.#builder.build({
      groupId: newUuidId("group") as GroupId,
      processId: this.id,
      recordedAtMs: null,
    });
    this.#builder = new GroupBuilder();
    await commitGroups({ transact, logger }, [group]);
  }
}

function limitOf(tenantId: TenantId, limit: number): HardLimit {
  return {
    tenantId,
    meterId: "requests",
    environment: "live",
    periodStartMs: PERIOD_START_MS,
    periodEndMs: PERIOD_END_MS,
    limit,
  };
}

async function readBalance(tenantId: TenantId) {
  const [row] = await database.sql<{ used: number; active: number; forfeited: number }[]>`
    select coalesce((select sum(used) from balances where tenant_id = ${tenantId}), 0)::int as used,
      coalesce((select sum(remaining) from leases where tenant_id = ${tenantId} and state = 'active'), 0)::int as active,
      coalesce((select sum(remaining) from leases where tenant_id = ${tenantId} and state = 'forfeited'), 0)::int as forfeited`;
  if (row === undefined) {
    throw new Error("No balance.");
  }
  return row;
}

describe("a hard limit over several processes", () => {
  it("is used up to the last unit and not one further, by many callers at once", async () => {
    const limit = limitOf(newUuidId("tenant"), 1_000);
    const processes = [new TestProcess(), new TestProcess(), new TestProcess()];
    await Promise.all(
      processes.map(async (process) => {
        const work = async () => {
          for (;;) {
            const hold = await process.take(limit);
            if (hold === undefined) {
              return;
            }
            process.record(limit, hold);
            if (process.spent % 50 === 0) {
              await process.flush();
            }
          }
        };
        await Promise.all(Array.from({ length: 8 }, work));
        await process.flush();
      }),
    );
    // A process may hold units while another is refused. Once they are back they can be used.
    const last = processes[0];
    for (const process of processes.slice(1)) {
      process.holder.release(undefined);
      await process.holder.returnRetired(() => process.flush());
    }
    if (last !== undefined) {
      last.clockMs += 5_000;
      for (let hold = await last.take(limit); hold !== undefined; hold = await last.take(limit)) {
        last.record(limit, hold);
      }
      await last.flush();
    }
    expect(processes.reduce((sum, process) => sum + process.spent, 0)).toBe(1_000);
    expect(await readBalance(limit.tenantId)).toMatchObject({ used: 1_000, forfeited: 0 });
  });

  it("refuses no call while units are left that no other call has asked for", async () => {
    for (const units of [1, 2, 3, 7, 8]) {
      const limit = limitOf(newUuidId("tenant"), units);
      const processes = [new TestProcess(), new TestProcess()];
      for (let call = 0; call <= units; call += 1) {
        const process = processes[call % 2];
        const hold = await process?.take(limit);
        // Units asked for in advance arrive before the next call and could block it.
        await process?.holder.settleRefills();
        expect({ units, call, isLetThrough: hold !== undefined }).toEqual({
          units,
          call,
          isLetThrough: call < units,
        });
      }
    }
  });

  it("counts units that others hold as left, as the tenant would", async () => {
    const limit = limitOf(newUuidId("tenant"), 1_000);
    const [first, second] = [new TestProcess(), new TestProcess()];
    await first.take(limit);
    expect(first.holder.remaining(limit)).toBe(999);
    // A dry run: one unit taken and given back.
    const dry = await second.take(limit);
    if (dry !== undefined) {
      second.holder.giveBack(dry);
    }
    expect(second.holder.remaining(limit)).toBe(1_000);
    const used = await second.take(limit, 600);
    expect(second.holder.remaining(limit)).toBe(400);
    if (used !== undefined) {
      second.record(limit, used);
    }
    await second.flush();
    // The next process to ask knows of committed usage.
    const third = new TestProcess();
    await third.take(limit);
    expect(third.holder.remaining(limit)).toBe(399);
    // Units that a refused call could not get do not count as left.
    expect(await third.take(limit, 400)).toBeUndefined();
    expect(third.holder.remaining(limit)).toBeLessThan(400);
  });

  it("learns from one answer that too little is left for a call, and still spends the rest", async () => {
    const limit = limitOf(newUuidId("tenant"), 10);
    const process = new TestProcess();
    expect(process.holder.spend(limit, 11).status).toBe("unknown");
    await process.holder.refill(limit, 11);
    expect(process.holder.spend(limit, 11)).toEqual({ status: "exhausted", mayComeBack: false });
    expect(await process.take(limit, 10)).toBeDefined();
  });

  it.each([
    { limit: 50_000, used: 0, cost: 60_000 },
    { limit: 50_000, used: 0, cost: 50_001 },
    { limit: 50_000, used: 49_000, cost: 5_000 },
  ])(
    "holds nothing for a call that is refused for its cost, so that a crash blocks nothing: %j",
    async (given) => {
      const limit = limitOf(newUuidId("tenant"), given.limit);
      const first = new TestProcess();
      if (given.used > 0) {
        first.record(limit, (await first.take(limit, given.used))!);
        await first.flush();
        first.holder.release(undefined);
        await first.holder.returnRetired(() => first.flush());
      }
      const crashed = new TestProcess();
      for (let again = 0; again < 5; again += 1) {
        expect(await crashed.take(limit, given.cost)).toBeUndefined();
      }
      await crashed.holder.settleRefills();
      await transact.asMeter((tx) => forfeitLeases(tx, crashed.id));
      // Units for the next call.
      expect((await readBalance(limit.tenantId)).forfeited).toBeLessThanOrEqual(20);
      const next = new TestProcess();
      expect(await next.take(limit, 900)).toBeDefined();
    },
  );

  it("gives a lease in doubt back when a call needs its units and what else is left", async () => {
    const limit = limitOf(newUuidId("tenant"), 25);
    const process = new TestProcess(transact, { asksOthers: true });
    await process.holder.refill(limit, 20);
    const hold = await process.take(limit);
    process.holder.markInDoubt(hold!);
    expect(await process.take(limit, 22)).toBeDefined();
  });

  it("does not ask others when their units would not be enough", async () => {
    const limit = limitOf(newUuidId("tenant"), 100);
    const other = new TestProcess();
    await other.holder.refill(limit, 10);
    const asker = new TestProcess(transact, { asksOthers: true });
    const countRecalls = async () => {
      const rows = await database.sql`
        select 1 from changes where kind = 'lease' and tenant_id = ${limit.tenantId}`;
      return rows.length;
    };
    expect(await asker.take(limit, 101)).toBeUndefined();
    expect(await countRecalls()).toBe(0);
    expect(await asker.take(limit, 95)).toBeUndefined();
    expect(await countRecalls()).toBe(1);
  });

  it("admits calls that fit beside a call that wants too much", async () => {
    const limit = limitOf(newUuidId("tenant"), 1_000);
    const process = new TestProcess();
    const taken = await Promise.all(
      [600, 1_200, 400, 1_001].map((cost) => process.take(limit, cost)),
    );
    expect(taken.map((hold) => hold?.quantity)).toEqual([600, undefined, 400, undefined]);
  });

  it("says that units may come back only when they would be enough", async () => {
    const limit = limitOf(newUuidId("tenant"), 100);
    const [holder, asker] = [new TestProcess(), new TestProcess()];
    const used = await holder.take(limit, 60);
    holder.record(limit, used!);
    await holder.flush();
    await holder.holder.refill(limit, 30);
    await asker.holder.refill(limit, 10);
    await asker.holder.refill(limit, 41);
    expect(asker.holder.spend(limit, 41)).toEqual({ status: "exhausted", mayComeBack: false });
    expect(await asker.take(limit, 35)).toBeUndefined();
    expect(asker.holder.spend(limit, 35)).toEqual({ status: "exhausted", mayComeBack: true });
  });

  it("asks others before it refuses, even right after asking in advance without success", async () => {
    const limit = limitOf(newUuidId("tenant"), 100);
    const [idle, busy] = [new TestProcess(), new TestProcess()];
    await idle.take(limit);
    for (let call = 0; call < 200 && (await busy.take(limit)) !== undefined; call += 1) {
      await busy.holder.settleRefills();
    }
    // No call waits for this question. The database has nothing left, and others hold some.
    busy.clockMs += 2_000;
    await busy.holder.refill(limit, 0);
    expect(busy.holder.spend(limit, 1).status).toBe("unknown");
  });

  it("does not take units from others when its own are enough", async () => {
    const limit = limitOf(newUuidId("tenant"), 10);
    const [first, second] = [new TestProcess(), new TestProcess()];
    await first.holder.refill(limit, 4);
    await second.holder.refill(limit, 3);
    // Four are held and three are left: enough for seven.
    await first.holder.refill(limit, 7);
    expect(first.holder.spend(limit, 7).status).toBe("spent");
    expect(await readBalance(limit.tenantId)).toMatchObject({ active: 10 });
  });

  it("gives back at once what a slow call did not take, and the rest when the call ends", async () => {
    const limit = limitOf(newUuidId("tenant"), 100);
    const process = new TestProcess();
    const [slow, fast] = [await process.take(limit, 2), await process.take(limit, 3)];
    expect(slow?.lease).toBe(fast?.lease);
    process.record(limit, fast!);
    process.holder.release(limit.tenantId);
    const flush = () => process.flush();
    expect(await process.holder.returnRetired(flush)).toBe(1);
    // Two units of the slow call, and three that are recorded but not committed.
    expect(await readBalance(limit.tenantId)).toMatchObject({ used: 0, active: 5 });
    await process.flush();
    expect(await readBalance(limit.tenantId)).toMatchObject({ used: 3, active: 2 });
    process.holder.giveBack(slow!);
    expect(await process.holder.returnRetired(flush)).toBe(0);
    expect(await readBalance(limit.tenantId)).toMatchObject({ used: 3, active: 0 });
  });

  it("counts what it released itself as left, during a question and with calls in flight", async () => {
    const ledger = createLeaseLedger(transact);
    const asked = Promise.withResolvers<void>();
    const answered = Promise.withResolvers<void>();
    const inFlight: LeaseHold[] = [];
    const holder = new LeaseHolder({
      ledger: {
        ...ledger,
        cut: async (request) => {
          const grant = await ledger.cut(request);
          asked.resolve();
          await answered.promise;
          return grant;
        },
      },
      clock: { now: () => new Date(), monotonicMs: () => 1_000 },
      newId: newUuidId,
      processId: newUuidId("process"),
      logger,
      flush: () => Promise.resolve(),
      // The calls that hold the rest end meanwhile.
      pause: async () => inFlight.forEach((hold) => void holder.giveBack(hold)),
    });
    const limit = limitOf(newUuidId("tenant"), 100);
    const waiting = holder.refill(limit, 60);
    await asked.promise;
    // The terms of the tenant change, so no one can use these 60 units.
    holder.release(limit.tenantId);
    answered.resolve();
    await waiting;
    expect(holder.spend(limit, 60).status).toBe("unknown");
    await holder.refill(limit, 60);
    const first = holder.spend(limit, 60);
    expect(first).toMatchObject({ status: "spent" });
    expect(holder.remaining(limit)).toBe(40);

    // They change again during a call that is not billed in the end.
    if (first.status === "spent") {
      inFlight.push(first.hold);
    }
    holder.release(limit.tenantId);
    await holder.refill(limit, 100);
    expect(holder.spend(limit, 100).status).toBe("spent");
    expect(holder.remaining(limit)).toBe(0);
  });

  it("makes a caller who comes during a question in advance wait only once", async () => {
    const counted = Promise.withResolvers<void>();
    const released = Promise.withResolvers<void>();
    const ledger = createLeaseLedger(transact);
    let cuts = 0;
    const holder = new LeaseHolder({
      ledger: {
        ...ledger,
        cut: async (request) => {
          const grant = await ledger.cut(request);
          cuts += 1;
          if (cuts === 2) {
            counted.resolve();
            await released.promise;
          }
          return grant;
        },
      },
      clock: { now: () => new Date(), monotonicMs: () => 1_000 },
      newId: newUuidId,
      processId: newUuidId("process"),
      logger,
    });
    const limit = limitOf(newUuidId("tenant"), 6);
    await holder.refill(limit, 1);
    // The last unit held, so more is asked for in advance.
    expect(holder.spend(limit, 1).status).toBe("spent");
    await counted.promise;
    const waiting = holder.refill(limit, 2);
    released.resolve();
    await waiting;
    expect(holder.spend(limit, 2).status).toBe("spent");
  });

  it("blocks what a crashed process held, bills none of it, and leaves the rest usable", async () => {
    const limit = limitOf(newUuidId("tenant"), 200);
    const crashed = new TestProcess();
    for (let index = 0; index < 5; index += 1) {
      const hold = await crashed.take(limit);
      if (hold !== undefined) {
        crashed.record(limit, hold);
      }
    }
    await crashed.flush();
    const lost = await crashed.take(limit);
    if (lost !== undefined) {
      // Answered and recorded, but lost with the process before its group was written.
      crashed.record(limit, lost);
    }
    await transact.asMeter((tx) => forfeitLeases(tx, crashed.id));
    const { forfeited } = await readBalance(limit.tenantId);
    expect(forfeited).toBeGreaterThan(0);

    const survivor = new TestProcess();
    for (
      let hold = await survivor.take(limit);
      hold !== undefined;
      hold = await survivor.take(limit)
    ) {
      survivor.record(limit, hold);
    }
    await survivor.flush();
    expect(survivor.spent).toBe(200 - 5 - forfeited);
    expect(await readBalance(limit.tenantId)).toMatchObject({ used: 200 - forfeited, forfeited });
    // The limit holds even with the calls that the crashed process answered.
    expect(survivor.spent + crashed.spent).toBeLessThanOrEqual(200);
  });

  it("grants no more than a few times the cost of a single expensive call, which a crash then blocks", async () => {
    const limit = limitOf(newUuidId("tenant"), 100_000);
    const crashed = new TestProcess();
    const hold = await crashed.take(limit, 500);
    expect(hold?.quantity).toBe(500);
    // Asks in advance, as it does in the background.
    await crashed.holder.refill(limit, 0);
    if (hold !== undefined) {
      crashed.record(limit, hold);
    }
    await crashed.flush();
    await transact.asMeter((tx) => forfeitLeases(tx, crashed.id));
    const { forfeited } = await readBalance(limit.tenantId);
    expect(forfeited).toBeGreaterThan(0);
    expect(forfeited).toBeLessThanOrEqual(5 * 500);
  });

  it("does not spend a lease past its deadline, and gives back exactly the rest after a pause", async () => {
    const limit = limitOf(newUuidId("tenant"), 100);
    const paused = new TestProcess();
    const hold = await paused.take(limit);
    expect(hold).toBeDefined();
    if (hold !== undefined) {
      paused.record(limit, hold);
    }
    await database.sql`update leases set expires_at = now() - interval '1 second' where tenant_id = ${limit.tenantId}`;
    await pruneMetering({ transact });
    expect((await readBalance(limit.tenantId)).forfeited).toBeGreaterThan(0);

    paused.clockMs += 10 * 60_000;
    expect(paused.holder.spend(limit, 1).status).toBe("unknown");
    const again = await paused.take(limit);
    expect(again).toBeDefined();
    if (again !== undefined) {
      paused.record(limit, again);
    }
    paused.holder.release(undefined);
    await paused.holder.returnRetired(() => paused.flush());
    expect(await readBalance(limit.tenantId)).toEqual({ used: 2, active: 0, forfeited: 0 });
  });

  it("keeps a lease while a call spent from it has no outcome yet", async () => {
    const limit = limitOf(newUuidId("tenant"), 100);
    const process = new TestProcess();
    const hold = await process.take(limit);
    process.holder.release(limit.tenantId);
    expect(await process.holder.returnRetired(() => process.flush())).toBe(1);
    expect((await readBalance(limit.tenantId)).active).toBeGreaterThan(0);
    if (hold !== undefined) {
      process.record(limit, hold);
    }
    expect(await process.holder.returnRetired(() => process.flush())).toBe(0);
    expect(await readBalance(limit.tenantId)).toEqual({ used: 1, active: 0, forfeited: 0 });
  });

  it("gives back what an unbilled call took", async () => {
    const limit = limitOf(newUuidId("tenant"), 3);
    const process = new TestProcess();
    for (let round = 0; round < 10; round += 1) {
      const hold = await process.take(limit);
      expect(hold).toBeDefined();
      if (hold !== undefined) {
        process.holder.giveBack(hold);
      }
    }
    expect(process.holder.remaining(limit)).toBe(3);
  });

  it("holds when it is lowered below what was used", async () => {
    const tenantId = newUuidId("tenant");
    const process = new TestProcess();
    for (let index = 0; index < 30; index += 1) {
      const hold = await process.take(limitOf(tenantId, 1_000));
      if (hold !== undefined) {
        process.record(limitOf(tenantId, 1_000), hold);
      }
    }
    await process.flush();
    expect(await process.take(limitOf(tenantId, 10))).toBeUndefined();
    await process.holder.returnRetired(() => process.flush());
    expect((await readBalance(tenantId)).used).toBe(30);
  });
});

describe("a hard limit while the database is away", () => {
  it("is asked for at most twice a second, and leaves nothing to give back", async () => {
    const limit = limitOf(newUuidId("tenant"), 1_000);
    let attempts = 0;
    let isDown = false;
    const process = new TestProcess({
      ...transact,
      asMeter: (work) => {
        attempts += 1;
        return isDown
          ? Promise.reject(Object.assign(new Error("down"), { code: "ECONNREFUSED" }))
          : transact.asMeter(work);
      },
    });
    // Until every further call would ask for more.
    for (let index = 0; index < 15; index += 1) {
      const hold = await process.take(limit);
      if (hold !== undefined) {
        process.record(limit, hold);
      }
    }
    await process.holder.settleRefills();
    isDown = true;
    attempts = 0;
    for (let call = 0; call < 500; call += 1) {
      process.clockMs += 2;
      const result = process.holder.spend(limit, 1);
      if (result.status === "spent") {
        process.record(limit, result.hold);
      } else {
        await expect(process.holder.refill(limit, 1)).rejects.toThrow("down");
      }
      await new Promise((resolve) => setImmediate(resolve));
    }
    expect(attempts).toBeGreaterThan(0);
    expect(attempts).toBeLessThanOrEqual(4);
    expect(await process.holder.returnRetired(() => Promise.resolve())).toBe(0);

    isDown = false;
    process.clockMs += 1_000;
    expect(await process.take(limit)).toBeDefined();
  });

  it("lets a caller wait for a few seconds, and takes the units when they come later", async () => {
    const limit = limitOf(newUuidId("tenant"), 1_000);
    const thaw = Promise.withResolvers<void>();
    const process = new TestProcess({
      ...transact,
      asMeter: async (work) => {
        await thaw.promise;
        return await transact.asMeter(work);
      },
    });
    await expect(process.holder.refill(limit, 1)).rejects.toMatchObject({ code: "ETIMEDOUT" });
    thaw.resolve();
    await process.holder.settleRefills();
    expect(process.holder.spend(limit, 1).status).toBe("spent");
  });
});
