import { describe, expect, it } from "vitest";
import { parseReportsSearch } from "./reports-search.view-model.ts";
import { formatChange, formatShare } from "./revenue.view-model.ts";
import { formatPeriod, listPeriods, nameCountry, quarterOf } from "./tax.view-model.ts";

describe("the address of a report", () => {
  it("keeps what is understood, and rows only with their month", () => {
    const search = { report: "revenue", month: "2026-11", rows: "new", period: 2026, age: 31 };
    expect(parseReportsSearch(search)).toEqual({ ...search, period: "2026" });
    expect(parseReportsSearch({ report: "tax", month: "2026-11", rows: "all", age: 5 })).toEqual({
      report: "tax",
    });
    expect(parseReportsSearch({ report: "other", month: "2026-11", rows: "new" })).toEqual({});
  });
});

describe("the texts of a report", () => {
  it("write changes with their sign and shares with one decimal, never rounded up to a whole", () => {
    expect(["31.00", "-4.00", "0.00"].map((change) => formatChange(change, "EUR"))).toEqual([
      "+€31.00",
      "-€4.00",
      "€0.00",
    ]);
    expect([formatShare("99.99"), formatShare(null)]).toEqual(["99.9%", "–"]);
    expect([nameCountry("FR"), nameCountry("ZZ")]).toEqual(["France", "Not given"]);
  });

  it("list the periods since the first invoice, the newest first, each once", () => {
    const nowMs = Date.UTC(2027, 0, 15);
    expect(listPeriods(nowMs, Date.UTC(2026, 10, 3))).toEqual([
      "2027-Q1",
      "2026-Q4",
      "2027-01",
      "2026-12",
      "2026-11",
      "2027",
      "2026",
    ]);
    expect(listPeriods(nowMs, undefined)).toEqual(["2027-Q1", "2027-01", "2027"]);
    expect(quarterOf(nowMs)).toBe("2027-Q1");
    expect(["2026", "2026-Q4", "2026-11"].map(formatPeriod)).toEqual([
      "Year 2026",
      "Q4 2026",
      "November 2026",
    ]);
  });
});
