import { setImmediate as nextTurn } from "node:timers/promises";
import { createClusterRates } from "../../apps/server/src/platform/cluster-rates.ts";
import { createLogger } from "../../apps/server/src/platform/logger.ts";
import { createMemoryRateStore } from "../../apps/server/src/platform/memory-rate-store.ts";
import type { RateRequest } from "../../apps/server/src/platform/rate-store.ts";
import { openValkeyRateStore } from "../../apps/server/src/platform/valkey-rate-store.ts";

/** Decisions under rate limits at full speed, and what each takes of this process's processor time. */
export type StoreSpeed = { decisionsPerSecond: number; cpuMicros: number };

const KEYS = 1_000;
const CALLERS = 64;
/** A machine that is busy is not a store that is away. */
const ANSWER_MS = 10_000;

function toRequest(index: number): RateRequest {
  const name = `key ${String(index % KEYS)}`;
  return { buckets: [{ name, rateLimit: { name, limit: 1_000_000, windowSeconds: 1 } }], cost: 1 };
}

async function measureCallers(
  seconds: number,
  decide: (request: RateRequest) => unknown,
): Promise<StoreSpeed> {
  const startedAtMs = performance.now();
  const before = process.cpuUsage();
  let decisions = 0;
  const isOver = () => performance.now() - startedAtMs >= seconds * 1_000;
  const callers = Array.from({ length: CALLERS }, async (_, caller) => {
    for (let call = 0; !isOver(); call += 1) {
      const answer = decide(toRequest(caller + call * CALLERS));
      await (answer instanceof Promise ? answer : undefined);
      decisions += 1;
      if (!(answer instanceof Promise) && call % 1_000 === 999) {
        await nextTurn();
      }
    }
  });
  await Promise.all(callers);
  const { user, system } = process.cpuUsage(before);
  const elapsedSeconds = (performance.now() - startedAtMs) / 1_000;
  return {
    decisionsPerSecond: decisions / elapsedSeconds,
    cpuMicros: (user + system) / decisions,
  };
}

/** Opens the ways to decide that are compared: as the product does, one call of the script for each call, and in memory. */
export async function openStoreRates(url: string) {
  const rates = createClusterRates({
    store: openValkeyRateStore({ url, prefix: "bench-turns" }),
    member: "bench",
    answerMs: ANSWER_MS,
    monotonicMs: () => performance.now(),
    logger: createLogger({ level: "silent" }),
  });
  await rates.start();
  const store = openValkeyRateStore({ url, prefix: "bench-calls" });
  const returned = new Map<string, number>();
  const member = "bench";
  const joined = { member, ttlMs: 600_000, isBack: false, report: { held: [] } };
  // The connection is on its way.
  for (let attempt = 0; ; attempt += 1) {
    try {
      await store.join(joined);
      break;
    } catch (error) {
      if (attempt >= 1_000) {
        throw error;
      }
      await nextTurn();
    }
  }
  const memory = createMemoryRateStore({ monotonicMs: () => performance.now() });
  return {
    turns: (seconds: number) => measureCallers(seconds, (one) => rates.decide(one, "nothing")),
    calls: (seconds: number) =>
      measureCallers(seconds, (one) => store.decide({ member, requests: [one], returned })),
    memory: (seconds: number) => measureCallers(seconds, (one) => memory.decideNow(one)),
    async [Symbol.asyncDispose]() {
      await rates.close();
      await store.close();
    },
  };
}
