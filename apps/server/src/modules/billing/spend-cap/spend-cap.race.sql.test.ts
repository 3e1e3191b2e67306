import { pollUntil } from "@turnpike/testkit/poll-until";
import { createTestDatabase, type TestDatabase } from "@turnpike/testkit/test-database";
import { createLiveServices, OPERATOR_CONTEXT } from "@turnpike/testkit/test-services";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Metering } from "#modules/metering/index.ts";
import { recordUsage } from "../testing/billing.fixture.ts";
import { putSpendCap } from "./change-spend-cap.ts";
import { getSpendCap } from "./get-spend-cap.ts";
import { publishCappedPlan } from "./spend-cap.fixture.ts";
import { type SpendingProcesses, startSpendingProcesses } from "./spending-processes.fixture.ts";

let database: TestDatabase;
let fleet: SpendingProcesses;

beforeAll(async () => {
  database = await createTestDatabase();
  await publishCappedPlan(createLiveServices(database));
  fleet = await startSpendingProcesses(database);
});
afterAll(async () => {
  await fleet.close();
  await database.close();
});

describe("guarantee: no tenant is charged more than its spend cap", () => {
  it("with four meters of four price models on three processes, and use comes within one unit of it", async () => {
    const tenantId = await fleet.makeTenant("capped");
    await putSpendCap(fleet.deps, OPERATOR_CONTEXT, { tenantId, amount: "14" });
    const passed = await fleet.spendAll(tenantId);

    const state = await getSpendCap(fleet.deps, OPERATOR_CONTEXT, { tenantId });
    expect(state.period?.meters.map(({ unitsLeft }) => unitsLeft)).toEqual(["0", "0", "0", "0"]);
    expect(state.period).toMatchObject({ fees: "10.00", isReached: true });
    const month = await fleet.closeMonth(tenantId);
    expect(month.charged).toBeLessThanOrEqual(1_400);
    expect(month).toMatchObject({ units: passed, kinds: ["base", "usage"] });
    expect(state.period?.spent).toBe((month.charged / 100).toFixed(2));
  });

  it("while it is raised and lowered under load: what was let through stays charged, and no more is let through", async () => {
    const tenantId = await fleet.makeTenant("capped");
    const spentOf = async () =>
      Number((await getSpendCap(fleet.deps, OPERATOR_CONTEXT, { tenantId })).period?.spent);
    await putSpendCap(fleet.deps, OPERATOR_CONTEXT, { tenantId, amount: "10.5" });
    let isOver = false;
    let passed = 0;
    /** A caller who comes back, and learns of a changed cap as the gateway does. */
    async function keepCalling(process: Metering, place: number): Promise<void> {
      while (!isOver) {
        const limit = (await fleet.limitsOf(tenantId))[place];
        if (limit !== undefined && (await fleet.call(process, limit))) {
          passed += 1;
        }
      }
    }
    const callers = fleet.processes.flatMap((process) => [
      keepCalling(process, 0),
      keepCalling(process, 1),
    ]);
    await pollUntil("the first cap is nearly spent", async () => (await spentOf()) > 10.4);
    await putSpendCap(fleet.deps, OPERATOR_CONTEXT, { tenantId, amount: "12" });
    await pollUntil("more passes at once", async () => (await spentOf()) > 11);
    await putSpendCap(fleet.deps, OPERATOR_CONTEXT, { tenantId, amount: "10.2" });
    isOver = true;
    await Promise.all(callers);
    await fleet.settle();

    const limits = await fleet.limitsOf(tenantId);
    expect(await fleet.callUntilRefused(limits)).toBe(0);
    const month = await fleet.closeMonth(tenantId);
    expect(month.charged).toBeGreaterThan(1_100);
    expect(month.charged).toBeLessThanOrEqual(1_200);
    expect(month).toMatchObject({ units: passed, kinds: ["base", "usage"] });
  });

  it("when usage is reported that no limit could refuse: it is shown and not charged", async () => {
    const tenantId = await fleet.makeTenant("capped");
    await putSpendCap(fleet.deps, OPERATOR_CONTEXT, { tenantId, amount: "12" });
    // Usage of the minute in which a cap is set counts as before.
    const at = new Date(fleet.deps.clock.now().getTime() + 3 * 60_000);
    await recordUsage(fleet.deps, { tenantId, at, quantity: 5_000, meterId: "texts" });
    expect(await fleet.callUntilRefused(await fleet.limitsOf(tenantId))).toBe(0);
    const month = await fleet.closeMonth(tenantId);
    // 40 units are included, and 60 of 0.0333 fit: 199.8 cents are 200.
    expect(month).toEqual({ charged: 1_200, units: 100, kinds: ["base", "usage", "beyondCap"] });
  });
});
