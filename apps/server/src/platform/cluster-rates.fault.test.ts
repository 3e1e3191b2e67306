import { type FaultProxy, startFaultProxy } from "@turnpike/testkit/fault-proxy";
import { pollUntil } from "@turnpike/testkit/poll-until";
import { IS_SOAK } from "@turnpike/testkit/soak";
import { createTestDatabase, type TestDatabase } from "@turnpike/testkit/test-database";
import {
  startValkeyServer,
  VALKEY_MISSING,
  type ValkeyServer,
} from "@turnpike/testkit/valkey-server";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type ClusterRates, createClusterRates, shareOfLimit } from "./cluster-rates.ts";
import { createLogger } from "./logger.ts";
import { openPostgresRateStore } from "./postgres-rate-store.ts";
import type { RateStore } from "./rate-store.ts";
import { openValkeyRateStore } from "./valkey-rate-store.ts";

const PROCESSES = 3;
const WINDOW_SECONDS = 30;
const LIMIT = 300;
/** A busy machine may hold up an answer, which is no outage. */
const ANSWER_MS = 1_000;
const ROUNDS = IS_SOAK ? 20 : 1;

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.close());

const monotonicMs = () => performance.now();

async function startProcesses(open: () => RateStore): Promise<ClusterRates[]> {
  const all = Array.from({ length: PROCESSES }, (_, index) =>
    createClusterRates({
      store: open(),
      member: `process ${String(index)}`,
      answerMs: ANSWER_MS,
      monotonicMs,
      logger: createLogger({ level: "silent" }),
    }),
  );
  await Promise.all(all.map((rates) => rates.start()));
  await pollUntil("every process knows the others", () =>
    all.every((rates) => rates.processes() === PROCESSES),
  );
  return all;
}

const isAway = (rates: ClusterRates) => rates.findTrouble() !== undefined;

type Flood = { asked: number; passed: number };

/** Floods one bucket from all processes until something has come about. Counts on in `counts`. */
async function flood(
  all: readonly ClusterRates[],
  input: { name: string; counts: Flood; isOver: () => boolean },
): Promise<void> {
  const { name, counts } = input;
  const bucket = { name, rateLimit: { name, limit: LIMIT, windowSeconds: WINDOW_SECONDS } };
  let isEnded = false;
  const flooding = all.map(async (rates) => {
    while (!isEnded) {
      const calls = Array.from({ length: 10 }, () =>
        rates.decide({ buckets: [bucket], cost: 1 }, "nothing"),
      );
      const answers = await Promise.all(calls);
      counts.asked += answers.length;
      counts.passed += answers.filter(({ isTaken }) => isTaken).length;
    }
  });
  await pollUntil("the flood is over", input.isOver).finally(() => {
    isEnded = true;
  });
  await Promise.all(flooding);
}

async function floodThroughAnOutage(input: {
  all: readonly ClusterRates[];
  name: string;
  cut(): unknown;
  mend(): unknown;
}): Promise<void> {
  const { all, name } = input;
  const startedAtMs = monotonicMs();
  const counts: Flood = { asked: 0, passed: 0 };
  const floodUntil = (isOver: () => boolean) => flood(all, { name, counts, isOver });
  const expectNoMore = () => {
    const elapsedSeconds = (monotonicMs() - startedAtMs) / 1_000;
    const refill = Math.ceil((elapsedSeconds * LIMIT) / WINDOW_SECONDS);
    expect(counts.passed).toBeLessThanOrEqual(LIMIT + refill);
  };
  await floodUntil(() => counts.passed >= LIMIT && counts.asked >= 2 * LIMIT);
  expectNoMore();
  await input.cut();
  await floodUntil(() => all.every(isAway));
  const before = counts.passed;
  await floodUntil(() => counts.passed > before);
  expectNoMore();
  await input.mend();
  await floodUntil(() => !all.some(isAway));
  const asked = counts.asked;
  await floodUntil(() => counts.asked > asked + 2 * LIMIT);
  expectNoMore();
}

it("a limit is shared out to the last call", () => {
  for (const limit of [1, 2, 7, 100]) {
    for (const count of [1, 2, 3, 8]) {
      const shares = Array.from({ length: count }, (_, place) =>
        shareOfLimit(limit, { place, count }),
      );
      expect(shares.reduce((sum, share) => sum + share, 0)).toBe(limit);
    }
  }
});

describe("processes that share a limit let no more pass in total than it and its refill", () => {
  let proxy: FaultProxy;
  beforeAll(async () => {
    const { host, port } = database.target;
    proxy = await startFaultProxy(`${host}/.s.PGSQL.${String(port)}`);
  });
  afterAll(() => proxy.close());

  it("while PostgreSQL is cut off, and once it is back", async () => {
    for (let round = 0; round < ROUNDS; round += 1) {
      const all = await startProcesses(() =>
        openPostgresRateStore({ ...database.target, host: "127.0.0.1", port: proxy.port }),
      );
      await floodThroughAnOutage({
        all,
        name: `cut off ${String(round)}`,
        cut: () => {
          proxy.faults = { drop: true };
        },
        mend: () => {
          proxy.faults = {};
          proxy.resetAll();
        },
      });
      await Promise.all(all.map((rates) => rates.close()));
    }
  });

  it.skipIf(VALKEY_MISSING !== undefined)(
    "while Valkey is killed, and once it is back with nothing",
    async () => {
      const valkey: ValkeyServer = await startValkeyServer();
      for (let round = 0; round < ROUNDS; round += 1) {
        const all = await startProcesses(() =>
          openValkeyRateStore({ url: valkey.url, prefix: `test${String(round)}` }),
        );
        await floodThroughAnOutage({
          all,
          name: "killed",
          cut: valkey.kill,
          mend: valkey.start,
        });
        await Promise.all(all.map((rates) => rates.close()));
      }
      await valkey.kill();
    },
  );
});

describe("a process that has never reached the store", () => {
  it("decides nothing and says so", async () => {
    const rates = createClusterRates({
      store: openValkeyRateStore({ url: "valkey://127.0.0.1:1/0", prefix: "test" }),
      member: "one",
      answerMs: ANSWER_MS,
      monotonicMs,
      logger: createLogger({ level: "silent" }),
    });
    const bucket = { name: "any", rateLimit: { name: "any", limit: 10, windowSeconds: 1 } };
    await expect(rates.decide({ buckets: [bucket], cost: 1 }, "nothing")).rejects.toMatchObject({
      code: "LIMITS_UNAVAILABLE",
    });
    expect(rates.findTrouble()).toContain("never reached");
    await rates.close();
  });
});
