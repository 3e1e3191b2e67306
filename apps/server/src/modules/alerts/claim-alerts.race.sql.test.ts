import { holdReads } from "@turnpike/testkit/hold-reads";
import { createTestDatabase, type TestDatabase } from "@turnpike/testkit/test-database";
import { OPERATOR_CONTEXT } from "@turnpike/testkit/test-services";
import { afterAll, beforeAll, expect, it } from "vitest";
import { getAlert, pauseAlert } from "./manage-alerts.ts";
import {
  addAlert,
  createAlertsWorld,
  createTenantWithOwner,
  evaluate,
} from "./testing/alerts.fixture.ts";

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.close());

it("an alert that is paused while another process claims it stays paused and sends nothing", async () => {
  const world = createAlertsWorld(database);
  const tenant = await createTenantWithOwner(world, database);
  const { alertId } = await addAlert(world, tenant, { condition: { kind: "no_data" } });
  const one = { tenantId: tenant.tenantId, alertId };
  const notified = await holdReads(database, {
    table: "alerts",
    statement: () => evaluate(world),
    meanwhile: () => pauseAlert(world, OPERATOR_CONTEXT, one),
  });
  expect(notified).toBe(0);
  expect(await getAlert(world, OPERATOR_CONTEXT, one)).toMatchObject({ isPaused: true });
});
