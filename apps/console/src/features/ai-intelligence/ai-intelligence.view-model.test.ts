import { describe, expect, it } from "vitest";
import { ABILITIES, countDays, toReadiness } from "./ai-intelligence.view-model.ts";

describe("toReadiness", () => {
  it("says how far each ability is, and never more than there is to need", () => {
    expect(toReadiness(9).map(({ progress }) => progress)).toEqual([
      "9 of 14 days",
      "9 of 28 days",
      "9 of 31 days",
    ]);
    expect(toReadiness(400).every(({ share }) => share === 1)).toBe(true);
    expect(toReadiness(0).every(({ share }) => share === 0)).toBe(true);
    expect(toReadiness(0)).toHaveLength(ABILITIES.length);
  });
});

describe("countDays", () => {
  it("leaves out the day that is not over", () => {
    const rows = [{ time: "2026-11-19T00:00:00.000Z" }, { time: "2026-11-20T00:00:00.000Z" }];
    expect(countDays(rows, "2026-11-20T00:00:00.000Z")).toBe(1);
    expect(countDays(rows, "2026-11-21T00:00:00.000Z")).toBe(2);
    expect(countDays([], undefined)).toBe(0);
  });
});
