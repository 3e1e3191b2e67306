import { describe, expect, it } from "vitest";
import { describeMissed, listDays, toForecastView } from "./forecast.view-model.ts";

const DAY_MS = 86_400_000;
const START_MS = Date.UTC(2026, 4, 4);

/** Weeks of 100 calls on workdays and 20 on others, with a day that is not over at the end. */
function makeCounts(days: number) {
  const times = Array.from({ length: days + 1 }, (_, day) =>
    new Date(START_MS + day * DAY_MS).toISOString(),
  );
  const rows = times.map((time, day) => ({
    time,
    values: { requests: day % 7 < 5 ? 100 : 20 },
  }));
  return { times, rows };
}

describe("the forecast of calls", () => {
  it("continues the weeks, and says how far it was off a week ago", () => {
    const view = toForecastView(makeCounts(56));
    if (!view.isEnough) {
      throw new Error("Eight weeks are enough.");
    }
    const [week] = view.outlooks;
    expect(Math.round(week?.mean ?? 0)).toBe(540);
    expect(Math.round(view.missed ?? 1)).toBe(0);
    expect(view.buckets).toHaveLength(60);
    for (const { values } of view.series) {
      expect(values).toHaveLength(60);
    }
  });

  it("waits for three weeks, counted from the first day with calls, without the running one", () => {
    expect(toForecastView(makeCounts(20))).toEqual({ isEnough: false, days: 20, needed: 21 });
    const { times, rows } = makeCounts(30);
    expect(listDays({ times, rows: rows.slice(12) })).toHaveLength(18);
    expect(listDays({ times, rows: [] })).toEqual([]);
  });

  it("says which way it was off", () => {
    expect(describeMissed(0.058)).toContain("6 % too high");
    expect(describeMissed(-0.2)).toContain("20 % too low");
    expect(describeMissed(0.001)).toContain("right to 1 %");
  });
});
