import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Simulation } from "./simulation.fixture.ts";

const DAY_MS = 24 * 60 * 60_000;

let simulation: Simulation;
beforeAll(async () => {
  simulation = await Simulation.open({
    seed: Number(process.env["TURNPIKE_SEED"] ?? 20_261_126),
    tenants: 4,
    months: 24,
    actsMax: 6,
    jumpMaxMs: 30 * DAY_MS,
    linesOpened: 8,
    file: "apps/server/src/modules/billing/simulation/simulation.model.test.ts",
  });
});
afterAll(() => simulation.close());

describe("guarantee: after any steps of customers and operators, and closes of periods at any time", () => {
  it("each unit and each fee is billed once, sums hold, numbers have no gap, and history replays to the same invoices", async () => {
    await simulation.run();
    const { happened } = simulation.world;
    for (const what of ["closed", "usage", "subscribe", "change", "pay", "opened"]) {
      expect(happened.get(what) ?? 0, what).toBeGreaterThan(0);
    }
  });
});
