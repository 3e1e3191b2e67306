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
import { type ClusterRates, createClusterRates } from "./cluster-rates.ts";
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

async function startProcesses(open: (index: number) => RateStore): Promise<ClusterRates[]> {
  const all = Array.from({ length: PROCESSES }, (_, index) =>
    createClusterRates({
      store: open(index),
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
  input: {
    name: string;
    counts: Flood;
    isOver: () => boolean;
    bounds?: { limit: number; windowSeconds: number };
  },
): Promise<void> {
  const { name, counts, bounds = { limit: LIMIT, windowSeconds: WINDOW_SECONDS } } = input;
  const bucket = { name, rateLimit: { name, ...bounds } };
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

const PLACES = 10;

/** Calls at once of each process, as one test sees them. */
class CallsAtOnce {
  readonly held: number[];
  most = 0;
  passed = 0;
  readonly #all: readonly ClusterRates[];
  readonly #name: string;

  constructor(all: readonly ClusterRates[], name: string) {
    this.#all = all;
    this.#name = name;
    this.held = all.map(() => 0);
  }

  get sum(): number {
    return this.held.reduce((sum, held) => sum + held, 0);
  }

  async begin(index: number): Promise<boolean> {
    const answer = await this.#all[index]?.decide(
      { buckets: [], places: [{ name: this.#name, limit: PLACES }], cost: 1 },
      "nothing",
    );
    if (answer?.isTaken === true) {
      this.held[index] = (this.held[index] ?? 0) + 1;
      this.passed += 1;
      this.most = Math.max(this.most, this.sum);
    }
    return answer?.isTaken === true;
  }

  end(index: number): void {
    this.held[index] = (this.held[index] ?? 0) - 1;
    this.#all[index]?.giveBackPlaces([this.#name]);
  }

  /** All processes begin more calls than pass, and end most of them, until something has come about. */
  async flood(isOver: () => boolean): Promise<void> {
    let isEnded = false;
    const flooding = this.#all.map(async (_, index) => {
      for (let turn = 0; !isEnded; turn += 1) {
        await Promise.all(Array.from({ length: PLACES }, () => this.begin(index)));
        const kept = turn % 3;
        while ((this.held[index] ?? 0) > kept) {
          this.end(index);
        }
        await new Promise((resolve) => setImmediate(resolve));
      }
    });
    await pollUntil("the flood is over", isOver).finally(() => {
      isEnded = true;
    });
    await Promise.all(flooding);
  }
}

async function callThroughAnOutage(input: {
  all: readonly ClusterRates[];
  name: string;
  signs: () => readonly number[];
  cut(): unknown;
  mend(): unknown;
}): Promise<void> {
  const { all, name } = input;
  const calls = new CallsAtOnce(all, name);
  const floodFor = (passed: number) => {
    const before = calls.passed;
    return calls.flood(() => calls.passed > before + passed);
  };
  const expectNoMore = () => {
    expect(calls.most).toBeLessThanOrEqual(PLACES);
  };
  await floodFor(5 * PLACES);
  expectNoMore();
  all.forEach((_, index) => {
    while ((calls.held[index] ?? 0) > 0) {
      calls.end(index);
    }
  });
  // One process holds more than its share when the store is lost, and the others have heard of it.
  await pollUntil("one process has all but two", async () => {
    await calls.begin(0);
    return calls.held[0] === PLACES - 2;
  });
  const before = input.signs();
  await pollUntil("all have heard of it", () =>
    input.signs().every((count, index) => count > (before[index] ?? 0) + 1),
  );
  await input.cut();
  await pollUntil("all have noticed", async () => {
    for (const [index] of all.entries()) {
      if (await calls.begin(index)) {
        calls.end(index);
      }
    }
    return all.every(isAway);
  });
  await Promise.all(
    all.flatMap((_, index) => Array.from({ length: PLACES }, () => calls.begin(index))),
  );
  // What was free is shared.
  expect(calls.sum).toBeGreaterThan(PLACES - 2);
  expectNoMore();
  await floodFor(5);
  expectNoMore();
  await input.mend();
  await calls.flood(() => !all.some(isAway));
  expectNoMore();
  await floodFor(5 * PLACES);
  expectNoMore();
  // All of them can be had again, by any process.
  all.forEach((_, index) => {
    while ((calls.held[index] ?? 0) > 0) {
      calls.end(index);
    }
  });
  await pollUntil("one process gets all of them", async () => {
    await calls.begin(1);
    return calls.held[1] === PLACES;
  });
  expectNoMore();
}

/** Counts the signs of life of each store that it opens. */
function countSigns(open: () => RateStore): { open: () => RateStore; signs: () => number[] } {
  const counts: number[] = [];
  return {
    signs: () => [...counts],
    open: () => {
      const store = open();
      const index = counts.push(0) - 1;
      return {
        ...store,
        join: async (input) => {
          const answer = await store.join(input);
          counts[index] = (counts[index] ?? 0) + 1;
          return answer;
        },
      };
    },
  };
}

describe("processes that share limits let no more pass in total than they allow, and no more calls be under way at once", () => {
  let proxy: FaultProxy;
  beforeAll(async () => {
    const { host, port } = database.target;
    proxy = await startFaultProxy(`${host}/.s.PGSQL.${String(port)}`);
  });
  afterAll(() => proxy.close());

  it("while PostgreSQL is cut off, and once it is back", async () => {
    for (let round = 0; round < ROUNDS; round += 1) {
      const { open, signs } = countSigns(() =>
        openPostgresRateStore({ ...database.target, host: "127.0.0.1", port: proxy.port }),
      );
      const all = await startProcesses(open);
      const outage = {
        all,
        name: `cut off ${String(round)}`,
        signs,
        cut: () => {
          proxy.faults = { drop: true };
        },
        mend: () => {
          proxy.faults = {};
          proxy.resetAll();
        },
      };
      await floodThroughAnOutage(outage);
      await callThroughAnOutage(outage);
      await Promise.all(all.map((rates) => rates.close()));
    }
  });

  it.skipIf(VALKEY_MISSING !== undefined)(
    "while Valkey is killed, and once it is back with nothing",
    async () => {
      const valkey: ValkeyServer = await startValkeyServer();
      for (let round = 0; round < ROUNDS; round += 1) {
        const { open, signs } = countSigns(() =>
          openValkeyRateStore({ url: valkey.url, prefix: `test${String(round)}` }),
        );
        const all = await startProcesses(open);
        const outage = { all, name: "killed", signs, cut: valkey.kill, mend: valkey.start };
        await floodThroughAnOutage(outage);
        await callThroughAnOutage(outage);
        await Promise.all(all.map((rates) => rates.close()));
      }
      await valkey.kill();
    },
  );
});

describe("a process that is alone cut off, while others have the whole limit", () => {
  it("owes all that it lets pass, so that in the end no more passed than the limit and its refill", async () => {
    const { host, port } = database.target;
    const proxy = await startFaultProxy(`${host}/.s.PGSQL.${String(port)}`);
    const all = await startProcesses((index) =>
      openPostgresRateStore(
        index === 0 ? { ...database.target, host: "127.0.0.1", port: proxy.port } : database.target,
      ),
    );
    const [alone, ...others] = all;
    const name = "alone";
    const bounds = { limit: 60, windowSeconds: 1 };
    const ofAll: Flood = { asked: 0, passed: 0 };
    const ofAlone: Flood = { asked: 0, passed: 0 };
    // By the clock that the store refills by, which this one may be a millisecond behind.
    const startedAtMs = Date.now();
    const allowed = () => bounds.limit * (1 + (Date.now() + 1 - startedAtMs) / 1_000);
    const floodUntil = async (isOver: () => boolean) => {
      const input = { name, isOver, bounds };
      await Promise.all([
        flood(others, { ...input, counts: ofAll }),
        flood(alone === undefined ? [] : [alone], { ...input, counts: ofAlone }),
      ]);
    };
    const passed = () => ofAll.passed + ofAlone.passed;
    await floodUntil(() => passed() > bounds.limit);
    proxy.faults = { drop: true };
    await floodUntil(() => alone?.findTrouble() !== undefined);
    await floodUntil(() => passed() > allowed() + 1.5 * bounds.limit);
    proxy.faults = {};
    proxy.resetAll();
    await floodUntil(() => alone?.findTrouble() === undefined);
    await floodUntil(() => passed() <= allowed());
    const asked = ofAlone.asked;
    await floodUntil(() => ofAlone.asked > asked + 2 * bounds.limit);
    expect(passed()).toBeLessThanOrEqual(allowed());
    await Promise.all(all.map((rates) => rates.close()));
    await proxy.close();
  });
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
