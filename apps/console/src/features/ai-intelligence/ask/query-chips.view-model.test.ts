import { describe, expect, it } from "vitest";
import {
  describeDates,
  describeFilter,
  NONE,
  toDates,
  toRank,
  withDates,
  withDimension,
  withFilter,
  withRank,
} from "./query-chips.view-model.ts";

const QUERY = {
  measures: ["requests"],
  dimensions: ["key", "route"],
  filters: [{ field: "route", op: "eq" as const, value: "/v1/search" }],
  from: "2026-07-06",
  to: "2026-07-13",
  order: "desc" as const,
  limit: 5,
};

describe("chips", () => {
  it("show a half-open range by its days and change it to whole days", () => {
    expect(toDates(QUERY, "UTC")).toEqual({ first: "2026-07-06", last: "2026-07-12" });
    const instants = { from: "2026-07-14T22:00:00Z", to: "2026-07-15T22:00:00Z" };
    expect(toDates(instants, "Europe/Berlin")).toEqual({ first: "2026-07-15", last: "2026-07-15" });
    expect(withDates(QUERY, { first: "2026-07-01", last: "2026-07-31" })).toMatchObject({
      from: "2026-07-01",
      to: "2026-08-01",
    });
    expect(withDates(QUERY, { first: "2026-07-31", last: "2026-07-01" })).toBeUndefined();
    expect(describeDates(QUERY, "UTC").replace(/\s/gu, " ")).toBe("Jul 6 – 12, 2026");
    expect(describeDates(instants, "Europe/Berlin")).toContain("00:00");
  });

  it("name filters, and add a value as an alternative to the same field's", () => {
    const { filters } = withFilter(QUERY, JSON.stringify(["route", "/v1/orders"]));
    expect(filters.map(describeFilter)).toEqual(["route is /v1/search or /v1/orders"]);
    const other = withFilter(QUERY, JSON.stringify(["key", "production"]));
    expect(other.filters.map(describeFilter)).toEqual(["route is /v1/search", "key is production"]);
  });

  it("change breakdowns and how many of them, and drop an order of nothing", () => {
    expect(withDimension(QUERY, 0, "status").dimensions).toEqual(["status", "route"]);
    const one = withDimension(QUERY, 1, NONE);
    expect(one.dimensions).toEqual(["key"]);
    expect(withDimension(one, 0, NONE)).not.toHaveProperty("order");
    expect(toRank(QUERY)).toBe("desc 5");
    expect(withRank(QUERY, "asc 3")).toMatchObject({ order: "asc", limit: 3 });
    expect(withRank(QUERY, NONE)).not.toHaveProperty("limit");
  });
});
