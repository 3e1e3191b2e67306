import { IS_SOAK } from "@turnpike/testkit/soak";
import { describe, it } from "vitest";
import { LimitsDriver, type Random } from "../testing/limits-driver.fixture.ts";
import { type Fleet, openFleet } from "../testing/limits-fleet.fixture.ts";

const RUNS = IS_SOAK ? 20 : 1;
const STEPS = IS_SOAK ? 250 : 30;

type Action = Exclude<
  keyof LimitsDriver,
  "check" | "checkQuiet" | "finish" | "addTenant" | "admitted" | "slowestChangeMs"
>;

/** Each action happens at least once in a run; the other steps are drawn by weight. */
const WEIGHTS: Record<Action, number> = {
  burst: 30,
  endCalls: 8,
  kill: 3,
  drain: 2,
  pause: 3,
  rollOver: 3,
  changePlan: 6,
  addKey: 2,
  rollAKey: 3,
  revoke: 3,
  disable: 3,
  deafen: 3,
  killDatabase: 1,
  prune: 2,
};
const ACTIONS = Object.keys(WEIGHTS) as Action[];

/** Mulberry32. The same seed gives the same run, except for the timing of the processes. */
function createRandom(seed: number): Random {
  let state = seed >>> 0;
  const below = (count: number): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32) * count);
  };
  return { below, pick: (items) => items[below(items.length)] as (typeof items)[number] };
}

function drawActions(random: Random): Action[] {
  const weighted = ACTIONS.flatMap((action) =>
    Array.from({ length: WEIGHTS[action] }, () => action),
  );
  const more = Array.from({ length: STEPS - ACTIONS.length }, () => random.pick(weighted));
  return [...ACTIONS, ...more]
    .map((action) => ({ action, rank: random.below(1_000_000) }))
    .sort((a, b) => a.rank - b.rank)
    .map(({ action }) => action);
}

async function drive(seed: number): Promise<void> {
  const random = createRandom(seed);
  const fleet: Fleet = await openFleet();
  const done: string[] = [];
  try {
    const driver = new LimitsDriver(fleet, random);
    await driver.addTenant(90);
    await driver.addTenant(400);
    for (const action of drawActions(random)) {
      done.push(action);
      await driver[action]();
      await driver.check();
      if (random.below(8) === 0) {
        done.push("checkQuiet");
        await driver.checkQuiet();
      }
    }
    done.push("finish");
    await driver.finish();
    console.info(
      `limits: seed ${String(seed)}, ${String(done.length)} steps, ${String(driver.admitted)} units let through, ` +
        `slowest change ${driver.slowestChangeMs.toFixed(0)} ms`,
    );
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new Error(`${reason}, with TURNPIKE_SEED=${String(seed)}, after ${done.join(", ")}`, {
      cause: error,
    });
  } finally {
    await fleet.close();
  }
}

describe("guarantee: a hard limit is exact on several processes", () => {
  it(
    "through kills, pauses, drains, changed plans and keys, the end of the period, and a killed database",
    async () => {
      const seed = process.env["TURNPIKE_SEED"];
      for (let run = 0; run < RUNS; run += 1) {
        await drive(seed === undefined ? Math.floor(Math.random() * 2 ** 31) : Number(seed) + run);
      }
    },
    RUNS * 300_000,
  );
});
