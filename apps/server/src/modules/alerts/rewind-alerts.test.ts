import { createFakeClock } from "@turnpike/testkit/fake-clock";
import { createTestDatabase, type TestDatabase } from "@turnpike/testkit/test-database";
import { OPERATOR_CONTEXT, type TestTenant } from "@turnpike/testkit/test-services";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { createAlertsJobs } from "./alerts.jobs.ts";
import { getAlert, pauseAlert } from "./manage-alerts.ts";
import { rewindAlerts } from "./rewind-alerts.ts";
import {
  type AlertsWorld,
  addAlert,
  call,
  createAlertsWorld,
  createTenantWithOwner,
  listNotices,
  passMinutes,
} from "./testing/alerts.fixture.ts";

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;

let database: TestDatabase;
let world: AlertsWorld;
let tenant: TestTenant;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.close());
beforeEach(async () => {
  await database.sql`delete from alerts`;
  world = createAlertsWorld(database);
  tenant = await createTenantWithOwner(world, database);
});

/** What the job does every minute. */
async function runJob(deps: AlertsWorld): Promise<void> {
  const [evaluate] = createAlertsJobs(deps);
  await evaluate?.run({}, { attempt: 1, isLast: true, signal: new AbortController().signal });
}

/** The same installation on a machine with another clock. */
const aheadBy = (ms: number): AlertsWorld => ({
  ...world,
  clock: createFakeClock(new Date(world.clock.now().getTime() + ms).toISOString()),
});

const kinds = async () => (await listNotices(database, tenant)).map((notified) => notified.kind);
const read = (alertId: string) =>
  getAlert(world, OPERATOR_CONTEXT, { tenantId: tenant.tenantId, alertId });

describe("alerts that were evaluated by a clock that was ahead", () => {
  it("are evaluated again as soon as a correct clock runs, and notify of the situation then", async () => {
    const { alertId } = await addAlert(world, tenant, { forEvaluations: 2 });
    await runJob(aheadBy(3 * DAY_MS));
    expect((await read(alertId)).evaluatedTo).toBe("2026-11-23T12:00:00.000Z");
    for (let minute = 0; minute < 2; minute += 1) {
      await call(world, tenant, { calls: 150, minutesAgo: 0 });
      world.clock.advance(MINUTE_MS);
      await runJob(world);
    }
    expect(await kinds()).toEqual(["alert.firing"]);
    expect((await read(alertId)).evaluatedTo).toBe("2026-11-20T12:02:00.000Z");
  });

  it("keep firing without a second notice, and recover in time", async () => {
    const { alertId } = await addAlert(world, tenant, { condition: { kind: "no_data" } });
    await runJob(aheadBy(3 * DAY_MS));
    await runJob(world);
    expect(await read(alertId)).toMatchObject({
      phase: "firing",
      phaseSince: world.clock.now().toISOString(),
    });
    await call(world, tenant, { calls: 1, minutesAgo: 0 });
    world.clock.advance(MINUTE_MS);
    await runJob(world);
    expect(await kinds()).toEqual(["alert.firing", "alert.recovered"]);
  });

  it("stay as they are while clocks differ by five minutes or less, and while they are paused", async () => {
    await addAlert(world, tenant);
    const paused = await addAlert(world, tenant);
    await runJob(aheadBy(5 * MINUTE_MS));
    expect(await rewindAlerts(world)).toBe(0);
    await runJob(aheadBy(DAY_MS));
    const one = { tenantId: tenant.tenantId, alertId: paused.alertId };
    await pauseAlert(world, OPERATOR_CONTEXT, one);
    expect(await rewindAlerts(world)).toBe(1);
    expect(await passMinutes(world, 1)).toEqual([0]);
  });
});
