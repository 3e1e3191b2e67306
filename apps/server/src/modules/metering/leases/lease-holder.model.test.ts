import { IS_SOAK } from "@turnpike/testkit/soak";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  assertHolds,
  LIMITS,
  PERIODS,
  runArbitrary,
  World,
} from "../testing/lease-model.fixture.ts";
import { periodStartMs } from "../testing/lease-node.fixture.ts";

const RUNS = IS_SOAK ? 200_000 : 2_000;

describe("leases over a network that loses, delays and repeats messages", () => {
  it("let traffic alone spend every unit that no crash forfeited", async () => {
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...LIMITS), runArbitrary, async (limit, run) => {
        const world = new World(limit);
        for (const step of run) {
          await world.apply(step);
        }
        const last = Math.max(...LIMITS);
        await world.spendTheRest(last);
        const period = periodStartMs(PERIODS[0]);
        const forfeited = world.database.heldOf(period, "forfeited");
        expect(world.database.usedOf(period) + forfeited).toBe(last);
        expect(world.admitted.get(period)).toBeLessThanOrEqual(last);
      }),
      { numRuns: RUNS / 20 },
    );
  }, 3_600_000);

  it("never overshoot, and strand only what a crashed process held", async () => {
    let steps = 0;
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...LIMITS), runArbitrary, async (limit, run) => {
        const world = new World(limit);
        for (const step of run) {
          await world.apply(step);
        }
        steps += run.length;
        await world.drain();
        const crashed = new Map<string, number>();
        for (const lease of world.database.leases.values()) {
          crashed.set(lease.processId, (crashed.get(lease.processId) ?? 0) + lease.remaining);
        }
        for (const [processId, stranded] of crashed) {
          const held = world.heldAtCrash.get(processId);
          assertHolds(held !== undefined, "a process that did not crash leaves no lease behind");
          assertHolds(stranded <= (held ?? 0), "a crash strands what was held by then");
        }
      }),
      { numRuns: RUNS },
    );
    expect(steps).toBeGreaterThan(100_000);
  }, 3_600_000);
});
