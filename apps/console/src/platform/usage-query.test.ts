import { usageQuery as usageQuerySchema } from "@turnpike/contract/usage";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { joinCommaList, splitCommaList, toQueryInput, type UsageQuestion } from "./usage-query.ts";

const TENANT = "ten_0199f3b0c1d27a4e8f60112233445566" as UsageQuestion["tenantId"];
const NOW_MS = Date.parse("2026-11-21T12:00:00.000Z");
const QUESTION: UsageQuestion = {
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

  it("is what the API understands, whatever is asked", () => {
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

describe("comma lists", () => {
  it("come back as they went, whatever is in them", () => {
    fc.assert(
      fc.property(fc.array(fc.string({ unit: "binary" }), { minLength: 1 }), (values) => {
        expect(splitCommaList(joinCommaList(values))).toEqual(values);
      }),
    );
  });
});
