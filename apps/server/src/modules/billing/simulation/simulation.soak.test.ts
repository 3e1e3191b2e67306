import { SOAK_SETTING } from "@turnpike/testkit/soak";
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
    linesOpened: 500,
    file: "apps/server/src/modules/billing/simulation/simulation.soak.test.ts",
    settings: `${SOAK_SETTING}=1 `,
  });
});
afterAll(() => simulation.close());

/** All that customers and operators do, each often enough to meet the others. */
const ACTS = [
  ...["closed", "usage", "subscribe", "change", "cancel", "uncancel", "pause", "resume", "seats"],
  ...["addOn", "removeAddOn", "coupon", "quoted again", "pay", "pay twice", "void", "write off"],
  ...["credit all", "credit a sum", "credit lines", "adjust", "move", "refused", "opened"],
];

describe("guarantee: a thousand customers in two years", () => {
  it("each unit and each fee is billed once, sums hold, numbers have no gap, and history replays to the same invoices", async () => {
    await simulation.run();
    const { happened, seed } = simulation.world;
    console.info(`seed ${String(seed)}`, JSON.stringify(Object.fromEntries(happened)));
    const rare = ACTS.filter((what) => (happened.get(what) ?? 0) < 20);
    expect(rare).toEqual([]);
  });
});
