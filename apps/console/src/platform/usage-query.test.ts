import { usageQuery as usageQuerySchema } from "@turnpike/contract/usage-query";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  countWeeksBefore,
  joinCommaList,
  type ScreenQuestion,
  splitCommaList,
  toQueryInput,
  toWholeWeeksBefore,
  withPrevious,
} from "./usage-query.ts";
import { makeUsageReport } from "./usage-report.fixture.ts";

const TENANT = "ten_0199f3b0c1d27a4e8f60112233445566" as ScreenQuestion["tenantId"];
const NOW_MS = Date.parse("2026-11-21T12:00:00.000Z");
const QUESTION: ScreenQuestion = {
  tenantId: TENANT,
  measures: ["requests", "latency_p95"],
  range: { lastMs: 3_600_000 },
};

describe("toQueryInput", () => {
  it("resolves the last hour at the moment of asking, with an open end", () => {
    const input = toQueryInput(QUESTION, NOW_MS);
    expect(input.from).toBe("2026-11-21T11:00:00.000Z");
    expect(input).not.toHaveProperty("to");
  });

  it("is what the API understands, for every question", () => {
    const input = toQueryInput(
      {
        ...QUESTION,
        range: { fromMs: NOW_MS - 86_400_000, toMs: NOW_MS },
        dimensions: ["key", "outcome"],
        filters: { route: ["/a,b", "/c\\d", ""], status: ["404"], method: [] },
        meter: "requests",
        grain: "hour",
        timeZone: "Asia/Kolkata",
        order: "-requests",
        limit: 10,
        isCompared: true,
      },
      NOW_MS,
    );
    expect(usageQuerySchema.parse(input)).toMatchObject({
      measures: ["requests", "latency_p95"],
      dimensions: ["key", "outcome"],
      route: ["/a,b", "/c\\d", ""],
      status: [404],
      from: "2026-11-20T12:00:00.000Z",
      to: "2026-11-21T12:00:00.000Z",
      grain: "hour",
      timeZone: "Asia/Kolkata",
      order: ["-requests"],
      compare: "previous",
    });
    expect(input).not.toHaveProperty("method");
  });

  it("asks without dimensions, grain and comparison unless told to", () => {
    const parsed = usageQuerySchema.parse(toQueryInput(QUESTION, NOW_MS));
    expect(parsed).toMatchObject({ dimensions: [], timeZone: "UTC", meter: "requests" });
    expect(parsed.grain).toBe(undefined);
    expect(parsed.compare).toBe(undefined);
  });
});

describe("what a range is compared with", () => {
  const DAY_MS = 86_400_000;

  it.each([
    [1, undefined],
    [7, undefined],
    [8, 2],
    [14, undefined],
    [30, 5],
    [90, 13],
  ])("is for %s days the period before, or whole weeks earlier: %s", (days, weeks) => {
    expect(countWeeksBefore(days * DAY_MS, undefined)).toBe(weeks);
    const question = { ...QUESTION, range: { lastMs: days * DAY_MS }, isCompared: true };
    const input = toQueryInput(question, NOW_MS);
    expect("compare" in input).toBe(weeks === undefined);
    expect(toWholeWeeksBefore(question, NOW_MS) === undefined).toBe(weeks === undefined);
    expect(toWholeWeeksBefore({ ...question, isCompared: false }, NOW_MS)).toBe(undefined);
  });

  it("is what the API says by months, and for weeks in which clocks change", () => {
    expect(countWeeksBefore(92 * DAY_MS, "month")).toBe(undefined);
    expect(countWeeksBefore(7 * DAY_MS + 3_600_000, "day")).toBe(undefined);
    expect(countWeeksBefore(14 * DAY_MS - 3_600_000, "day")).toBe(undefined);
  });

  it("has the same days of the week, and the same time of day where the clocks have changed", () => {
    const earlier = toWholeWeeksBefore(
      { ...QUESTION, range: { lastMs: 30 * DAY_MS }, timeZone: "Europe/Berlin", isCompared: true },
      NOW_MS,
    );
    expect(earlier && toQueryInput(earlier, NOW_MS)).toMatchObject({
      from: "2026-09-17T12:00:00.000Z",
      to: "2026-10-17T11:00:00.000Z",
    });
  });
});

describe("a report with the weeks before it", () => {
  const KEPT_FROM = "2026-11-19T00:00:00.000Z";

  it("says from when on usage is kept, though that lies in the weeks before", () => {
    const before = makeUsageReport({ from: "2026-11-14T09:00:00.000Z", keptFrom: KEPT_FROM });
    const both = withPrevious(makeUsageReport(), before);
    expect(both).toMatchObject({ keptFrom: KEPT_FROM, previous: { from: before.from } });
    expect(withPrevious(makeUsageReport(), makeUsageReport())).not.toHaveProperty("keptFrom");
  });
});

describe("comma lists", () => {
  it("come back as they went, with anything in them", () => {
    fc.assert(
      fc.property(fc.array(fc.string({ unit: "binary" }), { minLength: 1 }), (values) => {
        expect(splitCommaList(joinCommaList(values))).toEqual(values);
      }),
    );
  });
});
