import { type UsageReport, type UsageValues, usageReport } from "@turnpike/contract/usage";
import {
  allUsageQuery,
  USAGE_MEASURES,
  type UsageMeasure,
  type UsageQuestion,
  usageQuery,
} from "@turnpike/contract/usage-query";
import type { Actor } from "@turnpike/domain/access/actor";
import { type KeyId, toId } from "@turnpike/domain/ids/ids";
import { DAY_MS, HOUR_MS } from "@turnpike/domain/time/zoned-buckets";
import { createFakeClock } from "@turnpike/testkit/fake-clock";
import { refusalOf } from "@turnpike/testkit/refusal-of";
import { createTestDatabase, type TestDatabase } from "@turnpike/testkit/test-database";
import {
  contextOf,
  createTestServices,
  createTwoTenants,
  OPERATOR_CONTEXT,
  type TestServices,
  type TwoTenants,
} from "@turnpike/testkit/test-services";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { changePlan } from "#modules/entitlements/index.ts";
import { commitGroups, rollUpUsage } from "#modules/metering/index.ts";
import { CHANGES_MS, inventCalls, toGroup } from "../testing/invented-calls.fixture.ts";
import { someQuestionOf } from "../testing/some-question.fixture.ts";
import {
  answerNaively,
  groupKeyOf,
  type ReferenceCalls,
} from "../testing/usage-reference.fixture.ts";
import { planQuery } from "./plan-query.ts";
import { queryUsage, queryUsageOfAll } from "./query-usage.ts";
import { readRollups, readSums, rollupsMaxOf } from "./read-rollups.ts";

const CALLS = 1_500;
const ALL_TENANTS = { tenantId: null, actor: OPERATOR_CONTEXT.actor } as const;
const PERSON: Actor = {
  type: "user",
  id: toId("user", "0199f3b0c1d27a4e8f60112233445566"),
  isOperator: true,
  roles: new Map(),
};

let database: TestDatabase;
let services: TestServices;
let tenants: TwoTenants;
let calls: ReferenceCalls[];
let keyIds: KeyId[];
beforeAll(async () => {
  database = await createTestDatabase();
  services = { ...createTestServices(database), clock: createFakeClock("2026-11-20T10:00:30Z") };
  tenants = await createTwoTenants(services);
  const { ours, theirs } = tenants;
  await changePlan(services, OPERATOR_CONTEXT, { tenantId: theirs.tenantId, planId: "pro" });
  const { newId } = services;
  calls = inventCalls(
    [
      { tenantId: ours.tenantId, plan: "free", keys: [newId("key"), newId("key"), newId("key")] },
      { tenantId: theirs.tenantId, plan: "pro", keys: [newId("key"), newId("key"), newId("key")] },
    ],
    CALLS,
  );
  keyIds = [...new Set(calls.map(({ key }) => key))].toSorted();
  // Some calls are in the rollups of minutes and hours, some in those of minutes, and the last in none yet.
  await commitGroups(services, [toGroup(calls.slice(0, CALLS / 2), newId)]);
  await rollUpUsage(services, "minutes");
  await rollUpUsage(services, "hours");
  await commitGroups(services, [toGroup(calls.slice(CALLS / 2, (CALLS * 3) / 4), newId)]);
  await rollUpUsage(services, "minutes");
  await commitGroups(services, [toGroup(calls.slice((CALLS * 3) / 4), newId)]);
});
afterAll(() => database.close());

function ask(question: Record<string, string>): Promise<UsageReport> {
  return queryUsageOfAll(services, OPERATOR_CONTEXT, allUsageQuery.parse(question));
}

function askOurs(question: Record<string, string>): Promise<UsageReport> {
  const { tenantId, context } = tenants.ours;
  return queryUsage(services, context, usageQuery.parse({ tenantId, ...question }));
}

const YEAR = { from: "2026-01-01T00:00:00Z", to: "2027-01-01T00:00:00Z" };

const someQuestion = someQuestionOf(() => keyIds);

/** Equal but for what a histogram rounds: latencies are within 2 %, and a little for the digits that are kept. */
function expectValues(actual: UsageValues, expected: ReadonlyMap<UsageMeasure, number | null>) {
  expect(Object.keys(actual)).toEqual([...expected.keys()]);
  for (const [name, value] of expected) {
    const found = actual[name] ?? null;
    if (name.startsWith("latency_") && value !== null) {
      expect(Number(found) / value).toBeGreaterThan(0.979);
      expect(Number(found) / value).toBeLessThan(1.021);
    } else {
      expect(found === null ? null : Number(found), name).toBe(value);
    }
  }
}

function expectAsNaive(report: UsageReport, question: UsageQuestion): void {
  usageReport.parse(report);
  const range = { fromMs: Date.parse(report.from), toMs: Date.parse(report.to) };
  const naive = answerNaively(calls, question, range);
  expectValues(report.totals, naive.totals);
  const expected = new Map(naive.rows.map((row) => [row.groupKey, row.values]));
  expect(report.rows.map((row) => groupKeyOf(report, row)).sort()).toEqual(
    [...expected.keys()].sort(),
  );
  for (const row of report.rows) {
    expectValues(row.values, expected.get(groupKeyOf(report, row)) ?? new Map());
    expect(row.time === null || report.times.includes(row.time)).toBe(true);
  }
}

describe("a question about usage", () => {
  it("is answered as if every call were counted by hand, in any zone", async () => {
    await fc.assert(
      fc.asyncProperty(someQuestion, async (text) => {
        expectAsNaive(await ask(text), allUsageQuery.parse(text));
      }),
      { numRuns: 150 },
    );
  });

  it("has the same numbers read by the minute alone and by the hour where possible", async () => {
    await fc.assert(
      fc.asyncProperty(someQuestion, async (text) => {
        const plan = planQuery(allUsageQuery.parse(text), services.clock.now());
        const { period } = plan;
        const { fromMs, toMs } = period;
        const minutes = { hours: [], minutes: [{ fromMs, toMs }] };
        const read = (sources: typeof minutes) =>
          readRollups(services, ALL_TENANTS, async (tx) => {
            const input = {
              tenantId: null,
              plan,
              hasLatency: true,
              rowsMax: 10_000,
              rollupsMax: 1_000_000,
            };
            const { total, rows } = await readSums(tx, {
              ...input,
              period: { ...period, sources },
            });
            // How many rollups were read is what differs.
            return [total, ...rows].map((row) => ({ ...row, rollups: undefined }));
          });
        expect(await read(period.sources as typeof minutes)).toEqual(await read(minutes));
      }),
      { numRuns: 60 },
    );
  });

  it.each([
    ["Europe/Berlin", "2026-10-24T22:00:00Z", "2026-10-25T23:00:00Z", 25, 25],
    ["America/New_York", "2026-03-08T05:00:00Z", "2026-03-09T04:00:00Z", 23, 23],
    ["Australia/Lord_Howe", "2026-04-04T13:00:00Z", "2026-04-05T13:30:00Z", 24.5, 24],
  ])(
    "has one day and every hour of the day on which clocks are changed in %s",
    async (timeZone, from, to, hours, buckets) => {
      expect((Date.parse(to) - Date.parse(from)) / HOUR_MS).toBe(hours);
      const day = await ask({ grain: "day", timeZone, from, to });
      expect(day.times).toEqual([new Date(from).toISOString()]);
      expect(day.rows).toHaveLength(1);
      const byHour = await ask({ grain: "hour", timeZone, from, to });
      expect(byHour.times).toHaveLength(buckets);
      const sum = byHour.rows.reduce((total, row) => total + (row.values.requests ?? 0), 0);
      expect(sum).toBe(day.totals.requests);
      expect(sum).toBeGreaterThan(0);
    },
  );

  it("counts each call in exactly one of two ranges that touch, anywhere within a minute", async () => {
    const { totals } = await ask(YEAR);
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...CHANGES_MS),
        fc.integer({ min: -DAY_MS, max: DAY_MS }),
        async (nearMs, awayMs) => {
          const cut = new Date(nearMs + awayMs).toISOString();
          const [before, after] = [
            await ask({ ...YEAR, to: cut }),
            await ask({ ...YEAR, from: cut }),
          ];
          expect((before.totals.requests ?? 0) + (after.totals.requests ?? 0)).toBe(
            totals.requests,
          );
        },
      ),
      { numRuns: 20 },
    );
  });

  it("compares with the preceding period, bucket by bucket", async () => {
    const question = { grain: "day", timeZone: "Europe/Berlin", measures: "requests,latency_p95" };
    const week = { from: "2026-03-29T22:00:00Z", to: "2026-04-05T22:00:00Z" };
    const { previous, times } = await ask({ ...question, ...week, compare: "previous" });
    // Seven days before, one of which had 23 hours.
    const before = await ask({
      ...question,
      from: "2026-03-22T23:00:00Z",
      to: "2026-03-29T22:00:00Z",
    });
    expect(previous).toEqual({
      from: before.from,
      to: before.to,
      times: before.times,
      rows: before.rows,
      totals: before.totals,
      truncated: false,
    });
    expect(previous?.times).toHaveLength(times.length);
  });
});

describe("the order of rows", () => {
  const question = { ...YEAR, dimensions: "route,outcome", measures: USAGE_MEASURES.join(",") };

  it.each(USAGE_MEASURES)("is by %s, either way, null last, ties by the group", async (measure) => {
    for (const sign of ["", "-"]) {
      const { rows } = await ask({ ...question, order: `${sign}${measure}` });
      const keys = rows.map(({ values }) => values[measure] ?? null);
      const known = keys.filter((key) => key !== null).map(Number);
      expect(keys.slice(known.length).every((key) => key === null)).toBe(true);
      const sorted = known.toSorted((a, b) => (sign === "" ? a - b : b - a));
      expect(known).toEqual(sorted);
      const groups = rows.map(({ group, values }) => ({
        value: values[measure],
        text: `${group.route}\u0001${group.outcome}`,
      }));
      for (const [index, { value, text }] of groups.entries()) {
        const next = groups[index + 1];
        expect(next === undefined || next.value !== value || text < next.text).toBe(true);
      }
    }
  });

  it("is cut at the limit, says so, and has the totals of everything", async () => {
    const whole = await ask({ ...question, order: "-latency_p95" });
    const cut = await ask({ ...question, order: "-latency_p95", limit: "3" });
    expect(whole.truncated).toBe(false);
    expect(cut).toEqual({ ...whole, rows: whole.rows.slice(0, 3), truncated: true });
    const exact = await ask({ ...question, limit: String(whole.rows.length) });
    expect(exact.truncated).toBe(false);
  });

  it("is by time if there is a grain, then by the most requests", async () => {
    const { rows } = await ask({ ...YEAR, grain: "month", dimensions: "route" });
    const keys = rows.map(({ time, values }) => [time, -(values.requests ?? 0)] as const);
    expect(keys).toEqual(
      keys.toSorted((a, b) => (a[0] ?? "").localeCompare(b[0] ?? "") || a[1] - b[1]),
    );
  });
});

describe("who may ask what", () => {
  it("shows a tenant its own usage alone, by its path and by the one for all", async () => {
    const { ours, theirs } = tenants;
    const own = calls.filter(({ tenant }) => tenant === ours.tenantId);
    const requests = own.reduce((sum, one) => sum + one.calls, 0);
    const ownKeys = new Set(own.map(({ key }) => key as string));
    const question = { ...YEAR, dimensions: "key" };
    const byPath = await askOurs(question);
    const byAll = await queryUsageOfAll(
      services,
      ours.context,
      allUsageQuery.parse({ ...question, dimensions: "key,tenant,plan" }),
    );
    for (const report of [byPath, byAll]) {
      expect(report.totals.requests).toBe(requests);
      expect(report.rows.every(({ group }) => ownKeys.has(group.key ?? ""))).toBe(true);
    }
    expect(new Set(byAll.rows.map(({ group }) => group.tenant))).toEqual(new Set([ours.tenantId]));
    const elsewhere = await queryUsageOfAll(
      services,
      ours.context,
      allUsageQuery.parse({ ...YEAR, tenant: theirs.tenantId }),
    );
    expect(elsewhere).toMatchObject({ rows: [], totals: { requests: 0 } });
  });

  it("refuses another tenant just as one that does not exist", async () => {
    const { ours, theirs } = tenants;
    const missing = services.newId("tenant");
    const refusals = await Promise.all(
      [theirs.tenantId, missing].map((tenantId) =>
        refusalOf(queryUsage(services, ours.context, usageQuery.parse({ tenantId }))),
      ),
    );
    expect(refusals.map(({ code }) => code)).toEqual(["RESOURCE_NOT_FOUND", "RESOURCE_NOT_FOUND"]);
    expect(refusals[0]?.message).toBe(refusals[1]?.message);
    expect(
      await refusalOf(
        queryUsage(services, OPERATOR_CONTEXT, usageQuery.parse({ tenantId: missing })),
      ),
    ).toMatchObject({ code: "RESOURCE_NOT_FOUND" });
  });

  it("requires the scope, and of people a role: members see their tenant, operators all tenants", async () => {
    const { tenantId } = tenants.ours;
    const id = services.newId("user");
    const person = (isOperator: boolean, roles: ReadonlyMap<typeof tenantId, "viewer">) =>
      contextOf({ type: "user", id, isOperator, roles });
    const weak = contextOf({ type: "key", id: "key_x", tenantId, scopes: ["keys:read"] });
    const service = contextOf({ type: "service_key", id: "svc_x", scopes: ["keys:read"] });
    const member = person(false, new Map([[tenantId, "viewer"]]));
    const one = usageQuery.parse({ tenantId });
    const all = allUsageQuery.parse({});
    for (const context of [weak, service]) {
      expect(await refusalOf(queryUsage(services, context, one))).toMatchObject({
        code: "INSUFFICIENT_SCOPE",
      });
      expect(await refusalOf(queryUsageOfAll(services, context, all))).toMatchObject({
        code: "INSUFFICIENT_SCOPE",
      });
    }
    expect((await queryUsage(services, member, one)).totals.requests).toBeGreaterThan(0);
    expect(await refusalOf(queryUsageOfAll(services, member, all))).toMatchObject({
      code: "INSUFFICIENT_SCOPE",
    });
    expect(await refusalOf(queryUsage(services, person(false, new Map()), one))).toMatchObject({
      code: "RESOURCE_NOT_FOUND",
    });
    expect(
      (await queryUsageOfAll(services, person(true, new Map()), all)).totals.requests,
    ).toBeGreaterThan(0);
  });
});

describe("the bounds of a question", () => {
  it.each([
    [{ from: "2026-02-01T00:00:00Z", to: "2026-02-01T00:00:00Z" }, "/from", "empty"],
    [
      { grain: "minute", from: "2026-02-01T00:00:00Z", to: "2026-02-04T00:01:00Z" },
      "/from",
      "3 days",
    ],
    [
      { grain: "hour", from: "2026-01-01T00:00:00Z", to: "2026-06-01T00:00:00Z" },
      "/from",
      "93 days",
    ],
    [{ grain: "day", from: "2020-01-01T00:00:00Z" }, "/from", "731 days"],
    [{ order: "time" }, "/order", "grain"],
    [{ order: "-route" }, "/order", "route"],
    [{ compare: "previous" }, "/compare", "from"],
  ])("refuses %j with the reason at %s", async (question, pointer, part) => {
    expect(await refusalOf(ask(question))).toMatchObject({
      code: "INVALID_REQUEST",
      errors: [{ pointer, message: expect.stringContaining(part) }],
    });
  });

  it.each([
    ["minute", "2026-10-24T00:00:00Z", "2026-10-27T00:00:00Z", 4_320],
    ["hour", "2026-08-01T00:00:00Z", "2026-11-02T00:00:00Z", 2_232],
    ["day", "2025-01-01T00:00:00Z", "2027-01-01T00:00:00Z", 730],
    ["week", "2022-01-03T00:00:00Z", "2027-01-01T00:00:00Z", 261],
    ["month", "2017-01-01T00:00:00Z", "2027-01-01T00:00:00Z", 120],
  ])("answers the longest range by the %s", async (grain, from, to, buckets) => {
    const report = await ask({ grain, from, to });
    expect(report.times).toHaveLength(buckets);
    expect(report.totals.requests).toBeGreaterThan(0);
  });

  it("sums everything without a range, and 30 days with a grain", async () => {
    expect((await ask({})).totals).toEqual((await ask(YEAR)).totals);
    const { from, to, times } = await ask({ grain: "day" });
    expect({ from, to }).toEqual({
      from: "2026-10-21T10:01:00.000Z",
      to: "2026-11-20T10:01:00.000Z",
    });
    expect(times).toHaveLength(31);
  });

  it("refuses to sum more rollups than it may, rather than a part of them", async () => {
    const plan = planQuery(allUsageQuery.parse(YEAR), services.clock.now());
    const input = { tenantId: null, plan, period: plan.period, hasLatency: true, rowsMax: 10 };
    const read = (rollupsMax: number) =>
      readRollups(services, ALL_TENANTS, (tx) => readSums(tx, { ...input, rollupsMax }));
    const rollups = Number((await read(CALLS)).total?.rollups);
    expect(rollups).toBeGreaterThan(100);
    expect((await read(rollups)).total?.requests).toBeGreaterThan(0n);
    expect(await refusalOf(read(rollups - 1))).toMatchObject({ code: "QUERY_TOO_COSTLY" });
  });

  it("gives up a statement that hangs: a program may ask for less, a person may try again", async () => {
    const impatient = {
      transact: {
        ...services.transact,
        asAnalyst: ((input, work) =>
          services.transact.asAnalyst(
            { ...input, timeoutMs: 20 },
            work,
          )) as TestServices["transact"]["asAnalyst"],
      },
    };
    const hang = (actor: Actor) =>
      refusalOf(
        readRollups(impatient, { tenantId: null, actor }, (tx) => tx`select pg_sleep(600)`),
      );
    expect(await hang(OPERATOR_CONTEXT.actor)).toMatchObject({ code: "QUERY_TOO_COSTLY" });
    expect(await hang(PERSON)).toMatchObject({
      code: "OVERLOADED",
      headers: { "retry-after": "5" },
    });
  });

  it("never refuses a person's question for its cost: the screens cannot ask for less", () => {
    expect(rollupsMaxOf(OPERATOR_CONTEXT.actor)).toBe(2_000_000);
    expect(rollupsMaxOf(PERSON)).toBeGreaterThan(1e15);
  });

  it("only reads", async () => {
    const write = readRollups(services, ALL_TENANTS, (tx) => tx`update tenants set name = 'no'`);
    await expect(write).rejects.toThrow("read-only");
  });
});
