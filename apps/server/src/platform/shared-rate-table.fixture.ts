import { parentPort, workerData } from "node:worker_threads";
import type { RateLimit } from "@turnpike/domain/limits/rate-limit";
import { openSharedRateTable, type SharedRateMemory } from "./shared-rate-table.ts";

/** What a thread does with the shared buckets. */
export type HammerOrder = {
  memory: SharedRateMemory;
  holder: number;
  /** Waited for, so that all threads begin at once. */
  gate: Int32Array<SharedArrayBuffer>;
  buckets: readonly { name: string; rateLimit: RateLimit }[];
  takes: number;
  /** Every so many takes that pass are given back at once, as when another limit refuses. 0: none. */
  givesBackEvery: number;
};

/** One decision as this thread saw it. */
export type HammerTake = {
  bucket: number;
  allowed: boolean;
  nowMs: number;
  /** State behind it: after a take, or the one that refused. */
  fullAtMs: number;
  isGivenBack: boolean;
};

function hammer(order: HammerOrder): HammerTake[] {
  const table = openSharedRateTable(order.memory, { holder: order.holder, whenFull: "refuse" });
  const log: HammerTake[] = [];
  let passed = 0;
  Atomics.wait(order.gate, 0, 0);
  for (let index = 0; index < order.takes; index += 1) {
    const bucket = (index * 7 + order.holder) % order.buckets.length;
    const { name, rateLimit } = order.buckets[bucket] ?? { name: "", rateLimit: undefined };
    if (rateLimit === undefined) {
      break;
    }
    const { decision, takenAtMs } = table.take(name, rateLimit, 1);
    passed += decision.allowed ? 1 : 0;
    const isGivenBack =
      decision.allowed && order.givesBackEvery > 0 && passed % order.givesBackEvery === 0;
    if (isGivenBack) {
      table.giveBack(name, rateLimit, { cost: 1, takenAtMs });
    }
    log.push({
      bucket,
      allowed: decision.allowed,
      nowMs: takenAtMs,
      fullAtMs: decision.next.fullAtMs,
      isGivenBack,
    });
  }
  return log;
}

if (workerData !== null) {
  parentPort?.postMessage("ready");
  parentPort?.postMessage(hammer(workerData as HammerOrder));
}
