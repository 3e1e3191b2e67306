import { parentPort, workerData } from "node:worker_threads";
import { openSharedPermitCounts, type SharedPermitCountsMemory } from "./shared-permit-counts.ts";

/** What a thread does with the shared counts. */
export type PermitHammerOrder = {
  memory: SharedPermitCountsMemory;
  holder: number;
  /** Waited for, so that all threads begin at once. */
  gate: Int32Array<SharedArrayBuffer>;
  /** Permits that are out, one word for each owner: what the counts must never let above `max`. */
  out: Int32Array<SharedArrayBuffer>;
  max: number;
  takes: number;
};

export type PermitHammerLog = { taken: number; most: number };

/** Takes and returns permits of owners in turn, each for a moment, and watches how many are out. */
function hammer({ memory, holder, gate, out, max, takes }: PermitHammerOrder): PermitHammerLog {
  const counts = openSharedPermitCounts(memory, { name: "hammer", holder });
  const log = { taken: 0, most: 0 };
  const held: number[] = [];
  Atomics.wait(gate, 0, 0);
  for (let index = 0; index < takes; index += 1) {
    const owner = (index * 7 + holder) % out.length;
    if (counts.tryTake(`owner ${String(owner)}`, max)) {
      log.taken += 1;
      log.most = Math.max(log.most, Atomics.add(out, owner, 1) + 1);
      held.push(owner);
    }
    if (held.length > 3 || index % 5 === 0) {
      const returned = held.shift();
      if (returned !== undefined) {
        Atomics.sub(out, returned, 1);
        counts.giveBack(`owner ${String(returned)}`);
      }
    }
  }
  for (const owner of held) {
    Atomics.sub(out, owner, 1);
    counts.giveBack(`owner ${String(owner)}`);
  }
  return log;
}

if (workerData !== null) {
  parentPort?.postMessage("ready");
  parentPort?.postMessage(hammer(workerData as PermitHammerOrder));
}
