import { join } from "node:path";
import { setImmediate as nextTurn } from "node:timers/promises";
import { type FaultProxy, startFaultProxy } from "@turnpike/testkit/fault-proxy";
import { createTestDatabase, type TestDatabase } from "@turnpike/testkit/test-database";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { type ConnectOptions, connect, type Sql } from "./client.ts";
import { DatabaseTimeoutError, isConnectionError } from "./database-errors.ts";

let database: TestDatabase;
let proxy: FaultProxy;
let pool: Sql;
beforeAll(async () => {
  database = await createTestDatabase();
  await database.sql`create table steps (transaction_id int, step int)`;
});
afterAll(() => database.close());
beforeEach(async () => {
  const { host, port } = database.target;
  proxy = await startFaultProxy(join(host, `.s.PGSQL.${String(port)}`));
  pool = openPool();
});
afterEach(async () => {
  await pool.end({ timeout: 1 });
  await proxy.close();
});

function openPool(options: Partial<ConnectOptions> = {}): Sql {
  return connect(
    { ...database.target, host: "127.0.0.1", port: proxy.port },
    { connectionsMax: 4, applicationName: "pool", statementTimeoutMs: 30_000, ...options },
  );
}

/** For what could only end by a limit of the pool, which is longer, or not at all. */
const MINUTES_MS = 180_000;

async function until(isTrue: () => boolean): Promise<void> {
  while (!isTrue()) {
    await nextTurn();
  }
}

async function writeThreeSteps(transactionId: number, writing = pool): Promise<void> {
  await writing.transaction(async (tx) => {
    for (const step of [1, 2, 3]) {
      await tx`insert into steps values (${transactionId}, ${step})`;
    }
  });
}

describe("transaction", () => {
  it.each(["resetAll", "endAll"] as const)(
    "writes all or nothing and waits for no time limit while connections are cut (%s)",
    async (cut) => {
      // With limits of minutes, a connection that only a limit would end takes this test with it.
      const patient = openPool({ isStarting: () => true });
      let isCutting = true;
      let next = cut === "resetAll" ? 0 : 1_000_000;
      const committed: number[] = [];
      const failures: unknown[] = [];
      const work = async (): Promise<void> => {
        while (isCutting) {
          next += 1;
          const id = next;
          await writeThreeSteps(id, patient).then(
            () => committed.push(id),
            (error: unknown) => failures.push(error),
          );
        }
      };
      const workers = Array.from({ length: 8 }, work);
      for (let round = 0; round < 40 || failures.length === 0; round += 1) {
        const before = committed.length;
        await until(() => committed.length > before);
        // At another moment of a connection's life each time.
        for (let turn = 0; turn < round % 23; turn += 1) {
          await nextTurn();
        }
        proxy[cut]();
      }
      isCutting = false;
      await Promise.all(workers);
      expect(failures.filter((error) => !isConnectionError(error))).toEqual([]);
      await Promise.all(
        Array.from({ length: 4 }, (_, turn) => writeThreeSteps(-turn - 1, patient)),
      );
      await patient.end({ timeout: 1 });

      const rows = await database.sql<{ id: number; steps: number }[]>`
        select transaction_id as id, count(*)::int as steps from steps group by 1`;
      expect(rows.filter((row) => row.steps % 3 !== 0)).toEqual([]);
      const found = new Set(rows.map((row) => row.id));
      expect(committed.filter((id) => !found.has(id))).toEqual([]);
    },
    MINUTES_MS,
  );

  it(
    "fails without waiting for a time limit when its connection is cut before it is ready",
    async () => {
      const patient = openPool({ isStarting: () => true });
      for (let turns = 0; turns < 40; turns += 1) {
        const attempt = writeThreeSteps(-100 - turns, patient).then(
          () => undefined,
          (error: unknown) => error,
        );
        await until(() => proxy.openConnections() > 0);
        for (let turn = 0; turn < turns; turn += 1) {
          await nextTurn();
        }
        proxy.endAll();
        const failure = await attempt;
        expect(failure === undefined || isConnectionError(failure)).toBe(true);
        await until(() => proxy.openConnections() === 0);
      }
      await patient.end({ timeout: 1 });
    },
    MINUTES_MS,
  );

  it(
    "waits for a slow first answer while the product starts, and no longer than its limit once it serves",
    async () => {
      let isStarting = true;
      const starting = openPool({ isStarting: () => isStarting });
      const held = Promise.withResolvers<void>();
      proxy.faults = { hold: held.promise };
      vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
      try {
        const slow = starting.transaction((tx) => tx`select 1 as one`);
        await vi.advanceTimersByTimeAsync(1);
        await vi.advanceTimersByTimeAsync(170_000);
        isStarting = false;
        const refused = expect(starting.transaction((tx) => tx`select 1`)).rejects.toSatisfy(
          isConnectionError,
        );
        await vi.advanceTimersByTimeAsync(1);
        await vi.advanceTimersByTimeAsync(6_000);
        await refused;
        held.resolve();
        expect(await slow).toEqual([{ one: 1 }]);
      } finally {
        vi.useRealTimers();
      }
      await starting.end({ timeout: 1 });
    },
    MINUTES_MS,
  );

  it("is given up in time when the server does not answer, and the next one works once it does", async () => {
    await Promise.all([writeThreeSteps(-10), writeThreeSteps(-11), writeThreeSteps(-12)]);
    proxy.faults = { drop: true };
    const silent = pool.transaction((tx) => tx`select 1`, { timeoutMs: 300 });
    await expect(silent).rejects.toThrow(DatabaseTimeoutError);
    // What was sent to nowhere stays lost: a connection that was used again would never answer.
    proxy.faults = {};
    for (let turn = 0; turn < 4; turn += 1) {
      await pool.transaction((tx) => tx`select 1`, { timeoutMs: 5_000 });
    }
  });

  it("fails in time when the server accepts and hangs up, and works when it is back", async () => {
    const target = proxy.targetPort;
    proxy.targetPort = 1;
    await expect(pool.transaction((tx) => tx`select 1`)).rejects.toSatisfy(isConnectionError);
    proxy.targetPort = target;
    await pool.transaction((tx) => tx`select 1`);
  });

  it("never sends a statement after its connection is gone, also when it waited for something else", async () => {
    const cut = Promise.withResolvers<void>();
    const othersDone = Promise.withResolvers<void>();
    const late = pool.transaction(async (tx) => {
      await tx`insert into steps values (-20, 1)`;
      proxy.resetAll();
      cut.resolve();
      await othersDone.promise;
      await tx`insert into steps values (-20, 2)`;
      await tx`insert into steps values (-20, 3)`;
    });
    const refused = expect(late).rejects.toSatisfy(isConnectionError);
    await cut.promise;
    await Promise.all([writeThreeSteps(-21), writeThreeSteps(-22), writeThreeSteps(-23)]);
    othersDone.resolve();
    await refused;
    const rows = await database.sql`select 1 from steps where transaction_id = -20`;
    expect(rows.length).toBe(0);
  });

  it("does not notice that the server dropped its idle connections", async () => {
    await writeThreeSteps(-30);
    proxy.endAll();
    await writeThreeSteps(-31);
    await database.sql`select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'pool'`;
    await writeThreeSteps(-32);
  });

  it("loses its locks when its process stalls, and the pool goes on", async () => {
    const impatient = connect(database.target, {
      connectionsMax: 1,
      applicationName: "impatient",
      statementTimeoutMs: 30_000,
      standstillTimeoutMs: 300,
    });
    try {
      await writeThreeSteps(-40);
      const isLocked = Promise.withResolvers<void>();
      const isUnlocked = Promise.withResolvers<void>();
      const standing = impatient.transaction(async (tx) => {
        await tx`update steps set step = 7 where transaction_id = -40`;
        isLocked.resolve();
        await isUnlocked.promise;
        await tx`update steps set step = 8 where transaction_id = -40`;
      });
      const refused = expect(standing).rejects.toSatisfy(isConnectionError);
      await isLocked.promise;
      await pool.transaction((tx) => tx`update steps set step = 9 where transaction_id = -40`);
      isUnlocked.resolve();
      await refused;
      const rows = await impatient.transaction(
        (tx) => tx<{ step: number }[]>`select step from steps where transaction_id = -40`,
      );
      expect(rows.map(({ step }) => step)).toEqual([9, 9, 9]);
    } finally {
      await impatient.end({ timeout: 1 });
    }
  });

  it("keeps to its number of connections, and lets the rest wait", async () => {
    const counts = await Promise.all(
      Array.from({ length: 20 }, () =>
        pool.transaction(async (tx) => {
          const [row] = await tx<{ count: number }[]>`
            select count(*)::int as count from pg_stat_activity where application_name = 'pool'`;
          return row?.count ?? 0;
        }),
      ),
    );
    expect(Math.max(...counts)).toBeLessThanOrEqual(4);
  });
});
