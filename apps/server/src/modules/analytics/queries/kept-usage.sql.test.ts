import { usageReport } from "@turnpike/contract/usage";
import { usageQuery } from "@turnpike/contract/usage-query";
import type { KeyId, TenantId } from "@turnpike/domain/ids/ids";
import { createTestDatabase, type TestDatabase } from "@turnpike/testkit/test-database";
import {
  createTestServices,
  createTestTenant,
  OPERATOR_CONTEXT,
  type TestServices,
} from "@turnpike/testkit/test-services";
import { afterAll, beforeAll, expect, it } from "vitest";
import { queryUsage } from "./query-usage.ts";
import { summariseKeys } from "./summarise-keys.ts";

let database: TestDatabase;
let services: TestServices;
let tenantId: TenantId;
let keyId: KeyId;

beforeAll(async () => {
  database = await createTestDatabase();
  services = createTestServices(database);
  tenantId = (await createTestTenant(services)).tenantId;
  keyId = services.newId("key");
  // Two calls in each hour of two days of January, at 10 and 40 minutes past.
  for (const [table, minutes] of [
    ["usage_rollups", [10, 40]],
    ["usage_rollups_hourly", [0, 0]],
  ] as const) {
    await database.sql`
      insert into ${database.sql(table)} as r (tenant_id, occurred_at, meter_id, environment, key_id, outcome, status, calls, quantity)
      select ${tenantId}, timestamptz '2026-01-10 00:00Z' + hour * interval '1 hour' + minute * interval '1 minute', 'requests',
        'live', ${keyId}, 'VALID', 200, sum(1), sum(1)
      from generate_series(0, 47) as hour, unnest(${[...minutes]}::int[]) as minute
      group by hour, minute`;
  }
});
afterAll(() => database.close());

async function ask(parameters: Record<string, string>) {
  const report = await queryUsage(
    services,
    OPERATOR_CONTEXT,
    usageQuery.parse({
      tenantId,
      from: "2026-01-10T00:00:00Z",
      to: "2026-01-12T00:00:00Z",
      ...parameters,
    }),
  );
  usageReport.parse(report);
  return report;
}

const days = (report: Awaited<ReturnType<typeof ask>>) =>
  report.rows.map(({ values }) => values.requests);

it("reads days that begin within an hour by whole hours once minutes are no longer kept, with the same total", async () => {
  const india = { grain: "day", timeZone: "Asia/Kolkata" };
  expect(days(await ask({}))).toEqual([96]);
  // Midnight there is 18:30: a call at 18:10 is of the day before, one at 18:40 of the day after.
  expect(days(await ask(india))).toEqual([37, 48, 11]);
  await database.sql`delete from usage_rollups`;
  await database.sql`update usage_history set kept_from = '2026-02-01Z' where class = 'minutes'`;
  expect(days(await ask(india))).toEqual([38, 48, 10]);
  expect((await ask(india)).totals.requests).toBe(96);
  // An hour belongs to the range in which it begins, so that ranges that touch share no call.
  const until = await ask({ to: "2026-01-10T18:30:00Z" });
  const from = await ask({ from: "2026-01-10T18:30:00Z" });
  expect([until.totals.requests, from.totals.requests]).toEqual([38, 58]);
  // No hour begins in this one.
  const within = { from: "2026-01-10T18:10:00Z", to: "2026-01-10T18:50:00Z" };
  const none = await ask({ ...within, measures: "requests,latency_p95" });
  expect([none.rows, none.totals]).toEqual([[], { requests: 0, latency_p95: null }]);
});

it("says when kept usage begins, if the range begins earlier", async () => {
  expect(await ask({})).not.toHaveProperty("keptFrom");
  await database.sql`update usage_history set kept_from = '2026-01-01Z' where class = 'hours'`;
  expect(await ask({})).not.toHaveProperty("keptFrom");
  expect(await ask({ from: "2025-12-31T00:00:00Z" })).toMatchObject({
    keptFrom: "2026-01-01T00:00:00.000Z",
  });
});

it("still finds the hour in which a key was last used", async () => {
  const { items } = await summariseKeys(services, OPERATOR_CONTEXT, {
    tenantId,
    keys: [keyId],
    timeZone: "UTC",
  });
  expect(items).toMatchObject([{ keyId, lastUsedAt: "2026-01-11T23:00:00.000Z" }]);
});
