import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Simulation } from "./simulation.fixture.ts";

const DAY_MS = 24 * 60 * 60_000;

let simulation: Simulation;
beforeAll(async () => {
  simulation = await Simulation.open({
    seed: Number(process.env["TURNPIKE_SEED"] ?? Date.now() % 1_000_000),
    tenants: 1_000,
    months: 24,
    actsMax: 200,
    jumpMaxMs: 12 * DAY_MS,
  });
});
afterAll(() => simulation.close());

describe("guarantee: a thousand customers in two years", () => {
  it("each unit and each fee is billed once, sums hold, numbers have no gap, and history replays to the same invoices", async () => {
    await simulation.run();
    for (const what of ["closed", "usage", "subscribe", "change", "cancel", "pause", "resume"]) {
      expect(simulation.happened.get(what) ?? 0, what).toBeGreaterThan(100);
    }
  });
});
