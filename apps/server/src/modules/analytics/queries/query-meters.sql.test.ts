import { isMeterMeasure } from "@turnpike/contract/meter-measure";
import { type UsageReport, usageReport } from "@turnpike/contract/usage";
import { allUsageQuery, type UsageQuestion, usageQuery } from "@turnpike/contract/usage-query";
import { isAdditive } from "@turnpike/domain/catalog/meter";
import { DAY_MS, GRAINS, HOUR_MS } from "@turnpike/domain/time/zoned-buckets";
import { createFakeClock } from "@turnpike/testkit/fake-clock";
import { refusalOf } from "@turnpike/testkit/refusal-of";
import { createTestDatabase, type TestDatabase } from "@turnpike/testkit/test-database";
import {
  createTestServices,
  createTwoTenants,
  OPERATOR_CONTEXT,
  type TestServices,
  type TwoTenants,
} from "@turnpike/testkit/test-services";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { changePlan } from "#modules/entitlements/index.ts";
import { commitGroups } from "#modules/metering/index.ts";
import { CHANGES_MS, inventCalls, toGroup } from "../testing/invented-calls.fixture.ts";
import {
  type InventedEvent,
  inventEvents,
  METERS,
  publishMeters,
  recordInvented,
} from "../testing/invented-events.fixture.ts";
import {
  answerNaively,
  groupKeyOf,
  type ReferenceCalls,
} from "../testing/usage-reference.fixture.ts";
import { planQuery } from "./plan-query.ts";
import { queryUsage, queryUsageOfAll } from "./query-usage.ts";
import { queryWindows } from "./query-windows.ts";
import { readRollups, readSums } from "./read-rollups.ts";
import { toUsageCsv } from "./usage-csv.ts";

const ZONES = [
  "UTC",
  "Europe/Berlin",
  "America/New_York",
  "Australia/Lord_Howe",
  "Asia/Kathmandu",
] as const;
const MEASURES = [...METERS.keys()].map((meterId) => `meter:${meterId}`);
const YEAR = { from: "2026-01-01T00:00:00Z", to: "2027-01-01T00:00:00Z" };

let database: TestDatabase;
let services: TestServices;
let tenants: TwoTenants;
let calls: ReferenceCalls[];
let events: InventedEvent[];
beforeAll(async () => {
  database = await createTestDatabase();
  services = { ...createTestServices(database), clock: createFakeClock("2026-11-20T10:00:30Z") };
  tenants = await createTwoTenants(services);
  const { ours, theirs } = tenants;
  await changePlan(services, OPERATOR_CONTEXT, { tenantId: theirs.tenantId, planId: "pro" });
  const { newId } = services;
  const owners = [
    { tenantId: ours.tenantId, plan: "free", keys: [newId("key"), newId("key")] },
    { tenantId: theirs.tenantId, plan: "pro", keys: [newId("key"), newId("key")] },
  ] as const;
  calls = inventCalls(owners, 400);
  events = inventEvents(owners, 900);
  await commitGroups(services, [toGroup(calls, newId)]);
  await publishMeters(services);
  await recordInvented(services, events);
});
afterAll(() => database.close());

function ask(question: Record<string, string>): Promise<UsageReport> {
  return queryUsageOfAll(services, OPERATOR_CONTEXT, allUsageQuery.parse(question));
}

function askOurs(question: Record<string, string>): Promise<UsageReport> {
  const { tenantId, context } = tenants.ours;
  return queryUsage(services, context, usageQuery.parse({ tenantId, ...question }));
}

function listOf(values: readonly string[], minLength: number, maxLength: number) {
  return fc
    .uniqueArray(fc.constantFrom(...values), { minLength, maxLength })
    .map((list) => list.join(","));
}

const someQuestion = fc
  .record({
    measures: listOf([...MEASURES, "requests", "latency_p95"], 1, 4),
    dimensions: fc.oneof(
      listOf(["tenant", "plan", "environment", "event:model", "event:region"], 0, 3),
      listOf(["tenant", "key", "outcome"], 0, 2),
    ),
    grain: fc.constantFrom(undefined, ...GRAINS),
    timeZone: fc.constantFrom(...ZONES),
    nearMs: fc.constantFrom(...CHANGES_MS),
    beforeMs: fc.integer({ min: -DAY_MS, max: 2 * DAY_MS }),
    share: fc.double({ min: 0.01, max: 1, noNaN: true }),
    environment: fc.constantFrom(undefined, undefined, undefined, "live", "test"),
    plan: fc.constantFrom(undefined, undefined, "free"),
    event: fc.constantFrom(
      undefined,
      undefined,
      "model:small",
      "model:a:b\\,c,model:large",
      "region:,model:small",
    ),
  })
  .map(({ nearMs, beforeMs, share, ...rest }) => {
    const days = rest.grain === "minute" ? 1 : rest.grain === "hour" ? 4 : 20;
    const fromMs = nearMs - beforeMs;
    const toMs = fromMs + Math.max(HOUR_MS, Math.floor(days * share * DAY_MS));
    const range = { from: new Date(fromMs).toISOString(), to: new Date(toMs).toISOString() };
    const given = Object.entries({ ...rest, ...range }).filter(([, value]) => value !== undefined);
    return Object.fromEntries(given) as Record<string, string>;
  });

/** Whether a question can be answered, in the words of the documentation. */
function isAnswerable({ measures, dimensions, event, grain }: UsageQuestion): boolean {
  const meters = measures.filter(isMeterMeasure);
  const hasParts = event !== undefined || dimensions.some((name) => name.startsWith("event:"));
  if (hasParts && meters.length < measures.length) {
    return false;
  }
  return meters.every((measure) => {
    const aggregation = METERS.get(measure.slice("meter:".length)) ?? "count";
    const isKeptFinely = isAdditive(aggregation) && !hasParts;
    const isOfCalls = dimensions.includes("outcome");
    return !isOfCalls && (isKeptFinely || (grain !== "minute" && !dimensions.includes("key")));
  });
}

function expectAsNaive(report: UsageReport, question: UsageQuestion): void {
  usageReport.parse(report);
  const range = { fromMs: Date.parse(report.from), toMs: Date.parse(report.to) };
  const naive = answerNaively(calls, question, range, { events, aggregations: METERS });
  const expected = new Map(naive.rows.map((row) => [row.groupKey, row.values]));
  expect(report.rows.map((row) => groupKeyOf(report, row)).sort()).toEqual(
    [...expected.keys()].sort(),
  );
  const found = [
    { values: report.totals, as: naive.totals },
    ...report.rows.map((row) => ({
      values: row.values,
      as: expected.get(groupKeyOf(report, row)),
    })),
  ];
  for (const { values, as } of found) {
    expect(Object.keys(values)).toEqual([...(as ?? new Map()).keys()]);
    for (const [name, value] of as ?? []) {
      const actual = values[name] ?? null;
      if (value === null || actual === null) {
        expect(actual, name).toBe(value);
      } else if (name === "latency_p95") {
        expect(Math.abs(Number(actual) / value - 1)).toBeLessThan(0.021);
      } else {
        expect(Number(actual), name).toBeCloseTo(value, 9);
      }
    }
  }
}

describe("a question about meters", () => {
  it("is answered as if every event were counted by hand, or refused as documented", async () => {
    let answered = 0;
    await fc.assert(
      fc.asyncProperty(someQuestion, async (text) => {
        const question = allUsageQuery.parse(text);
        if (isAnswerable(question)) {
          answered += 1;
          expectAsNaive(await ask(text), question);
        } else {
          expect(await refusalOf(ask(text))).toMatchObject({ code: "INVALID_REQUEST" });
        }
      }),
      { numRuns: 250 },
    );
    expect(answered).toBeGreaterThan(50);
  });

  it("does not add up groups that cannot be added up", async () => {
    const measures = MEASURES.join(",");
    const { totals, rows } = await ask({ ...YEAR, measures, grain: "day" });
    const sum = (name: string) =>
      rows.reduce((all, { values }) => all + Number(values[name as "meter:x"]), 0);
    expect(sum("meter:by-count")).toBe(events.length);
    expect(totals["meter:by-count"]).toBe(String(events.length));
    expect(totals["meter:by-unique-count"]).toBe("30");
    expect(sum("meter:by-unique-count")).toBeGreaterThan(30);
    const values = events.map(({ value }) => value);
    expect(Number(totals["meter:by-max"])).toBe(Math.max(...values));
    expect(Number(totals["meter:by-min"])).toBe(Math.min(...values));
    const latest = events.toSorted((a, b) => b.atMs - a.atMs)[0];
    expect(Number(totals["meter:by-latest"])).toBe(latest?.value);
  });

  it.each([
    ["Europe/Berlin", "2026-10-24T22:00:00Z", "2026-10-25T23:00:00Z", 25],
    ["America/New_York", "2026-03-08T05:00:00Z", "2026-03-09T04:00:00Z", 23],
  ])(
    "has every hour of the day on which clocks are changed in %s",
    async (timeZone, from, to, hours) => {
      const question = { timeZone, from, to, measures: MEASURES.join(",") };
      const day = await ask({ ...question, grain: "day" });
      const byHour = await ask({ ...question, grain: "hour" });
      expect(day.rows).toHaveLength(1);
      expect(byHour.times).toHaveLength(hours);
      expect(byHour.totals).toEqual(day.totals);
      expect(day.rows[0]?.values).toEqual(day.totals);
      expect(Number(day.totals["meter:by-count"])).toBeGreaterThan(0);
    },
  );

  it("is the same number as the units that are billed", async () => {
    const billed = { ...YEAR, measures: "billable,requests", meter: "by-sum", dimensions: "key" };
    const ledger = await ask({ ...billed, order: "key" });
    const meter = await ask({
      ...YEAR,
      measures: "meter:by-sum,meter:by-count",
      dimensions: "key",
      order: "key",
    });
    const parts = await ask({ ...YEAR, measures: "meter:by-sum", dimensions: "event:model" });
    expect(meter.rows.map(({ values }) => values["meter:by-sum"])).toEqual(
      ledger.rows.map(({ values }) => values.billable),
    );
    expect(meter.rows.map(({ values }) => Number(values["meter:by-count"]))).toEqual(
      ledger.rows.map(({ values }) => values.requests),
    );
    expect(parts.totals["meter:by-sum"]).toBe(ledger.totals.billable);
  });

  it("may be asked with calls, compared, ordered and limited", async () => {
    const question = {
      ...YEAR,
      from: "2026-06-01T00:00:00Z",
      measures: "requests,meter:requests,meter:by-sum",
      dimensions: "key",
      order: "-meter:by-sum,key",
      compare: "previous",
    };
    const whole = await ask(question);
    const sums = whole.rows.map(({ values }) => Number(values["meter:by-sum"]));
    expect(sums).toEqual(sums.toSorted((a, b) => b - a));
    // The keys of both tenants, and the programs that have none.
    expect(whole.rows).toHaveLength(5);
    expect(whole.rows.find(({ group }) => group.key === "")?.values.requests).toBe(0);
    const billable = await ask({ ...question, measures: "billable", order: "key" });
    expect(whole.totals["meter:requests"]).toBe(billable.totals.billable);
    expect(whole.previous?.rows.length).toBeGreaterThan(0);
    const cut = await ask({ ...question, limit: "2" });
    expect(cut.rows).toEqual(whole.rows.slice(0, 2));
    expect(cut).toMatchObject({ truncated: true, totals: whole.totals });
    const byLatency = await ask({ ...question, order: "-latency_p95,-meter:by-sum" });
    expect(byLatency.totals).toEqual(whole.totals);
  });

  it("has the same numbers for consecutive windows as for each window alone, empty ones too", async () => {
    const { tenantId, context } = tenants.ours;
    for (const measures of [...MEASURES, [...MEASURES, "requests"].join(",")]) {
      const fromMs = CHANGES_MS[0] - DAY_MS;
      const question = usageQuery.parse({
        tenantId,
        measures,
        from: new Date(fromMs).toISOString(),
        to: new Date(fromMs + DAY_MS).toISOString(),
      });
      const windows = await queryWindows(services, context, { question, windowMs: HOUR_MS });
      expect(windows).toHaveLength(24);
      for (const { endMs, values } of windows) {
        const from = new Date(endMs - HOUR_MS).toISOString();
        const alone = await askOurs({ measures, from, to: new Date(endMs).toISOString() });
        expect(values, `${measures} from ${from}`).toEqual(alone.totals);
      }
      expect(
        windows.filter(({ values }) => [null, "0"].includes(values["meter:by-sum"] ?? null)).length,
      ).toBeGreaterThan(0);
    }
  });

  it("is ordered by its first meter by default, null last", async () => {
    const day = { from: "2026-03-27T00:00:00Z", to: "2026-04-01T00:00:00Z" };
    const { rows } = await ask({
      ...day,
      measures: "meter:by-max,meter:by-count",
      dimensions: "event:region,tenant",
    });
    const values = rows.map((row) => Number(row.values["meter:by-max"]));
    expect(values).toEqual(values.toSorted((a, b) => b - a));
    const csv = toUsageCsv(
      await ask({
        ...day,
        measures: "meter:by-max",
        dimensions: "event:region",
        order: "event:region",
      }),
    );
    expect(csv.split("\r\n")[0]).toBe("event:region,meter:by-max");
  });

  it("shows a tenant its own events alone, and operators all, by tenant and plan", async () => {
    const question = { ...YEAR, measures: MEASURES.join(","), dimensions: "event:model" };
    const own = events.filter(({ tenant }) => tenant === tenants.ours.tenantId);
    const ours = await askOurs(question);
    expect(ours.totals["meter:by-count"]).toBe(String(own.length));
    const viaKey = await queryUsageOfAll(
      services,
      tenants.ours.context,
      allUsageQuery.parse({ ...question, dimensions: "event:model,tenant" }),
    );
    expect(viaKey.totals).toEqual(ours.totals);
    const all = await ask({ ...question, dimensions: "tenant,plan" });
    expect(all.rows.map(({ group }) => group.plan).toSorted()).toEqual(["free", "pro"]);
    const theirs = all.rows.find(({ group }) => group.tenant === tenants.theirs.tenantId);
    expect(theirs?.values["meter:by-count"]).toBe(String(events.length - own.length));
  });
});

describe("what cannot be answered", () => {
  it("is invalid with more meters than one question may have", () => {
    const measures = Array.from({ length: 11 }, (_, index) => `meter:m${String(index)}`);
    expect(usageQuery.shape.measures.safeParse(measures.join(",")).success).toBe(false);
  });

  it.each([
    [{ measures: "meter:nothing" }, "/measures", 'no meter "nothing"'],
    [{ meter: "nothing" }, "/meter", 'no meter "nothing"'],
    [{ measures: "meter:by-sum", meter: "nothing" }, "/meter", 'no meter "nothing"'],
    [
      { measures: "meter:by-sum,requests", dimensions: "event:model" },
      "/dimensions",
      "requests is about calls",
    ],
    [{ measures: "requests", event: "model:small" }, "/event", "requests is about calls"],
    [{ measures: "meter:requests", dimensions: "event:model" }, "/dimensions", "counts calls"],
    [{ measures: "meter:by-sum", dimensions: "event:colour" }, "/dimensions", "only region, model"],
    [{ measures: "meter:by-sum", event: "colour:red" }, "/event", "keeps no"],
    [{ measures: "meter:by-sum", dimensions: "route" }, "/dimensions", "have no route"],
    [{ measures: "meter:by-avg", status_class: "2xx" }, "/status_class", "have no status_class"],
    [{ measures: "meter:by-avg", dimensions: "key" }, "/dimensions", "make the key a dimension"],
    [
      {
        measures: "meter:by-max",
        grain: "minute",
        from: "2026-03-28T00:00:00Z",
        to: "2026-03-29T00:00:00Z",
      },
      "/grain",
      "quarter of an hour",
    ],
    [
      { measures: "meter:by-max", from: "2026-03-28T00:01:00Z", to: "2026-03-28T00:05:00Z" },
      "/from",
      "quarter of an hour",
    ],
    [{ measures: "requests", order: "meter:by-sum" }, "/order", "asked measures"],
    [{ measures: "meter:by-sum", order: "event:model" }, "/order", "asked dimensions"],
  ])("is refused: %j, at %s, with the reason", async (question, pointer, part) => {
    expect(await refusalOf(ask({ ...YEAR, ...question }))).toMatchObject({
      code: "INVALID_REQUEST",
      errors: [{ pointer, message: expect.stringContaining(part) }],
    });
  });

  it("is refused rather than summed in part, also for unique values", async () => {
    const question = { ...YEAR, measures: "meter:by-unique-count,meter:by-avg" };
    const read = (rollupsMax: number) =>
      readRollups(services, { tenantId: null, actor: OPERATOR_CONTEXT.actor }, (tx) => {
        const versionsOf = new Map(
          [...METERS].map(([meterId, aggregation]) => [
            meterId,
            [1, 2].map((version) => ({
              meterId,
              version,
              aggregation,
              name: "",
              unit: "",
              eventType: "llm.call",
            })),
          ]),
        );
        const plan = planQuery(allUsageQuery.parse(question), services.clock.now(), versionsOf);
        const input = { tenantId: null, plan, period: plan.period, hasLatency: false, rowsMax: 10 };
        return readSums(tx, { ...input, rollupsMax });
      });
    const rollups = Number((await read(1_000_000)).total?.rollups);
    expect(rollups).toBeGreaterThan(events.length);
    expect(await refusalOf(read(100))).toMatchObject({ code: "QUERY_TOO_COSTLY" });
  });
});
