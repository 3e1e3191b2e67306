import type { Exhaustion } from "@turnpike/contract/forecasts";
import { WEBHOOK_EVENTS } from "@turnpike/contract/webhooks";
import { DAY_MS } from "@turnpike/domain/time/zoned-buckets";
import { refusalOf } from "@turnpike/testkit/refusal-of";
import { createTestDatabase, type TestDatabase } from "@turnpike/testkit/test-database";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { listUntranslatedMails } from "#modules/notifications/testing/untranslated.fixture.ts";
import {
  type AlertsWorld,
  createAlertsWorld,
  createTenantWithOwner,
  listMails,
  listNotices,
  listPublishedEvents,
} from "../testing/alerts.fixture.ts";
import { getRunOutAlerts, setRunOutAlerts } from "./manage-run-out-alerts.ts";
import { notifyOfRunOuts } from "./notify-of-run-outs.ts";

let database: TestDatabase;
let world: AlertsWorld;
beforeAll(async () => {
  database = await createTestDatabase();
  world = createAlertsWorld(database);
});
afterAll(() => database.close());

const inDays = (days: number) =>
  new Date(world.clock.now().getTime() + days * DAY_MS).toISOString();

const quota = (days: number | null): Exhaustion => ({
  kind: "quota",
  meter: "requests",
  name: "Requests",
  unit: "request",
  limit: "50000",
  used: "38000",
  left: "12000",
  isHard: true,
  resetsAt: inDays(20),
  state: days === null ? "not_within_90_days" : "runs_out",
  at: days === null ? null : inDays(days),
  earliest80: days === null ? null : inDays(days - 1),
  latest80: null,
  earliest95: null,
  latest95: null,
});
const credit = (days: number): Exhaustion => ({
  ...quota(days),
  kind: "credit",
  meter: null,
  name: "Credit",
  unit: "USD",
  limit: "20.00",
  left: "5.00",
  resetsAt: null,
});

describe("what is forecast to run out", () => {
  it("has one notice: in the console, by mail to the chosen roles, and through webhooks", async () => {
    const tenant = await createTenantWithOwner(world, database);
    const other = await createTenantWithOwner(world, database);
    const { tenantId } = tenant;
    const tell = (...items: Exhaustion[]) => notifyOfRunOuts(world, tenantId, items);
    expect(await tell(quota(9), credit(30))).toBe(0);
    expect(await tell(quota(6), credit(30))).toBe(1);
    expect(await tell(quota(5), credit(3))).toBe(1);
    expect(await tell(quota(4), credit(2))).toBe(0);
    expect(await tell(quota(null), credit(15))).toBe(0);
    expect(await tell(quota(4), credit(5))).toBe(1);
    const notices = await listNotices(database, tenant);
    expect(notices.map(({ title }) => title)).toEqual([
      "The quota of requests is forecast to run out in 6 days",
      "Your credit is forecast to run out in 3 days",
      "Your credit is forecast to run out in 5 days",
    ]);
    expect(notices[0]).toMatchObject({ link: "/ai-intelligence" });
    expect(notices[0]?.body).toContain("12,000 of 50,000 are left.");
    expect(notices[0]?.body).toContain("Calls beyond it are refused");
    expect(notices[1]?.body).toContain("5.00 USD of 20.00 USD are left.");
    expect(await listMails(database, tenant.ownerEmail)).toHaveLength(3);
    const [event] = await listPublishedEvents(database, tenant);
    expect(WEBHOOK_EVENTS["forecast.runs_out"].parse(event?.data)).toMatchObject({
      tenantId,
      kind: "quota",
      meter: "requests",
      left: "12000",
    });
    expect(await listNotices(database, other)).toEqual([]);
  });

  it("has its notice as many days before as chosen, or not at all; only with the right to set it", async () => {
    const tenant = await createTenantWithOwner(world, database);
    const { tenantId, context } = tenant;
    const usual = await getRunOutAlerts(world, context, { tenantId });
    expect(usual).toEqual({ days: 7, mailRoles: ["owner", "admin", "billing"] });
    const chosen = { days: 14, mailRoles: [] };
    expect(await setRunOutAlerts(world, context, { tenantId, ...chosen })).toEqual(chosen);
    expect(await notifyOfRunOuts(world, tenantId, [quota(12)])).toBe(1);
    expect(await listMails(database, tenant.ownerEmail)).toEqual([]);
    await setRunOutAlerts(world, context, { tenantId, days: null, mailRoles: [] });
    expect(await notifyOfRunOuts(world, tenantId, [credit(1)])).toBe(0);
    const other = await createTenantWithOwner(world, database);
    const foreign = setRunOutAlerts(world, other.context, { tenantId, ...chosen });
    expect(await refusalOf(foreign)).toMatchObject({ code: "RESOURCE_NOT_FOUND" });
  });
});

it("has German for all that its mails say", async () => {
  const { count, unknown } = await listUntranslatedMails(database.sql);
  expect(count).toBeGreaterThan(0);
  expect(unknown).toEqual([]);
});
