import { describe, expect, it } from "vitest";
import { listMonthsUntil, parseCalendarRange } from "./calendar-range.ts";

describe("a range of the calendar", () => {
  it.each([
    ["2026", "2026-01-01", "2027-01-01"],
    ["2026-Q1", "2026-01-01", "2026-04-01"],
    ["2026-Q4", "2026-10-01", "2027-01-01"],
    ["2024-02", "2024-02-01", "2024-03-01"],
    ["2026-12", "2026-12-01", "2027-01-01"],
  ])("%s is from %s until before %s", (text, from, to) => {
    expect(parseCalendarRange(text)).toEqual({ from: new Date(from), to: new Date(to) });
  });

  it.each(["", "26", "2026-Q5", "2026-13", "2026-00", "2026-1", "2026-11-26", " 2026"])(
    "%j is none",
    (text) => {
      expect(parseCalendarRange(text)).toBeUndefined();
    },
  );
});

describe("the last months", () => {
  it("end with the one that holds the moment before, over the end of a year", () => {
    expect(listMonthsUntil(new Date("2026-02-01T00:00:00Z"), 3)).toEqual([
      "2025-11",
      "2025-12",
      "2026-01",
    ]);
    expect(listMonthsUntil(new Date("2026-02-01T00:00:00.001Z"), 1)).toEqual(["2026-02"]);
  });
});
