import { describe, expect, it } from "vitest";
import { createChartFormats } from "./chart-formats.ts";

const at = (iso: string) => Date.parse(iso);
const inZone = (timeZone: string) => createChartFormats(timeZone, { value: String, exact: String });

describe("createChartFormats", () => {
  it("names an hour by its day and both its ends, in the zone", () => {
    const bucket = { fromMs: at("2026-11-21T12:30Z"), toMs: at("2026-11-21T13:30Z") };
    expect(inZone("Asia/Kolkata").bucket(bucket)).toBe("Sat, Nov 21, 18:00 – 19:00");
  });

  it("names days without their hours, also one of 23, and never the day after the last", () => {
    const day = { fromMs: at("2026-03-28T23:00Z"), toMs: at("2026-03-29T22:00Z") };
    expect(inZone("Europe/Berlin").bucket(day)).toBe("Sun, Mar 29");
    const week = { fromMs: at("2026-11-16T00:00Z"), toMs: at("2026-11-23T00:00Z") };
    expect(inZone("UTC").bucket(week)).toMatch(/^Mon, Nov 16\s–\sSun, Nov 22$/);
  });

  it("writes hours of the range only where they say something", () => {
    const hours = { fromMs: at("2026-11-21T09:00Z"), toMs: at("2026-11-21T12:00Z") };
    expect(inZone("UTC").span(hours)).toBe("Nov 21, 2026, 09:00 – 12:00");
    const month = { fromMs: at("2026-11-01T00:00Z"), toMs: at("2026-12-01T00:00Z") };
    expect(inZone("UTC").span(month)).toMatch(/^Nov 1\s–\s30, 2026$/);
  });

  it("writes midnight as 00:00 and marks by their unit", () => {
    const { tick } = inZone("UTC");
    const midnight = at("2026-01-01T00:00Z");
    expect((["time", "day", "month", "year"] as const).map((unit) => tick(midnight, unit))).toEqual(
      ["00:00", "Jan 1", "Jan", "2026"],
    );
  });
});
