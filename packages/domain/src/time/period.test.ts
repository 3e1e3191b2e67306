import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  CALENDAR_UNITS,
  minuteOf,
  type Period,
  type PeriodUnit,
  period,
  periodAt,
  startOfMonth,
} from "./period.ts";

const DAY_MS = 86_400_000;
const INDICES = 60;
const instant = fc.date({
  min: new Date("1970-01-01T00:00:00Z"),
  max: new Date("2199-12-31T23:59:59.999Z"),
  noInvalidDate: true,
});
/** Days that some months lack, at any time of day. */
const lateAnchor = fc
  .record({
    month: fc.integer({ min: 0, max: 400 }),
    day: fc.integer({ min: 27, max: 31 }),
    timeMs: fc.integer({ min: 0, max: DAY_MS - 1 }),
  })
  .map(({ month, day, timeMs }) => new Date(Date.UTC(2000, month, day) + timeMs));
const anchor = fc.oneof(instant, lateAnchor);
const calendarUnit = fc.constantFrom(...CALENDAR_UNITS);
const unit: fc.Arbitrary<PeriodUnit> = fc.oneof(
  calendarUnit,
  fc.record({ every: fc.integer({ min: 1, max: 24 }), unit: calendarUnit }),
);
const monthly: fc.Arbitrary<PeriodUnit> = unit.filter((candidate) => {
  const name = typeof candidate === "string" ? candidate : candidate.unit;
  return name !== "day" && name !== "week";
});

function at(text: string): Date {
  return new Date(text);
}

function day(text: string): Date {
  return at(`${text}T00:00:00Z`);
}

function list(from: Date, of: PeriodUnit, first = -INDICES / 2): Period[] {
  return Array.from({ length: INDICES }, (_, place) => period(from, of, first + place));
}

function lastDayOfMonth(date: Date): number {
  return new Date(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 0)).getUTCDate();
}

describe("period", () => {
  it("tiles time: each end is the next start, and boundaries rise strictly", () => {
    fc.assert(
      fc.property(anchor, unit, (from, of) => {
        const periods = list(from, of);
        for (const [place, { start, end }] of periods.entries()) {
          expect(start.getTime()).toBeLessThan(end.getTime());
          expect(periods[place + 1]?.start ?? end).toEqual(end);
        }
      }),
    );
  });

  it("starts on the anchor's day, clamped to the last day of the month, at the anchor's time of day", () => {
    fc.assert(
      fc.property(anchor, monthly, (from, of) => {
        for (const { start } of list(from, of)) {
          expect(start.getUTCDate()).toBe(Math.min(from.getUTCDate(), lastDayOfMonth(start)));
          expect(start.toISOString().slice(-13)).toBe(from.toISOString().slice(-13));
        }
      }),
    );
  });

  it("counts days and weeks in whole days from the anchor", () => {
    fc.assert(
      fc.property(
        anchor,
        fc.integer({ min: 1, max: 24 }),
        fc.constantFrom("day", "week"),
        (from, every, name) => {
          const days = every * (name === "week" ? 7 : 1);
          for (const [place, { start }] of list(from, { every, unit: name }, 0).entries()) {
            expect(start.getTime() - from.getTime()).toBe(place * days * DAY_MS);
          }
        },
      ),
    );
  });

  it("starts period 0 at the anchor, in every unit", () => {
    fc.assert(
      fc.property(anchor, unit, (from, of) => {
        expect(period(from, of, 0).start).toEqual(from);
      }),
    );
  });

  it("treats a quarter as 3 months, a year as 12, a week as 7 days, and every 1 as the unit itself", () => {
    fc.assert(
      fc.property(anchor, fc.integer({ min: -60, max: 60 }), (from, index) => {
        const every = (count: number, name: "day" | "month") =>
          period(from, { every: count, unit: name }, index);
        expect(period(from, "quarter", index)).toEqual(every(3, "month"));
        expect(period(from, "year", index)).toEqual(every(12, "month"));
        expect(period(from, "week", index)).toEqual(every(7, "day"));
        expect(period(from, "month", index)).toEqual(every(1, "month"));
      }),
    );
  });

  it.each([
    ["2025-01-31", "month", 1, "2025-02-28", "2025-03-31"],
    ["2024-01-31", "month", 1, "2024-02-29", "2024-03-31"],
    ["2025-01-31", "month", -2, "2024-11-30", "2024-12-31"],
    ["2025-11-30", "quarter", 1, "2026-02-28", "2026-05-30"],
    ["2024-02-29", "year", 1, "2025-02-28", "2026-02-28"],
    ["2024-02-29", "year", 4, "2028-02-29", "2029-02-28"],
    ["2024-02-29", "year", 76, "2100-02-28", "2101-02-28"],
    ["2025-12-29", "week", 1, "2026-01-05", "2026-01-12"],
    ["2024-02-28", "day", 1, "2024-02-29", "2024-03-01"],
  ] as const)("from %s, %s %i is [%s, %s)", (from, of, index, start, end) => {
    expect(period(day(from), of, index)).toEqual({ start: day(start), end: day(end) });
  });

  it.each([0, -1, 1.5, Number.NaN])("refuses every %d units", (every) => {
    const of = { every, unit: "month" } as const;
    expect(() => period(day("2025-01-01"), of, 0)).toThrow(RangeError);
    expect(() => periodAt(day("2025-01-01"), of, day("2025-01-01"))).toThrow(RangeError);
  });

  it("handles years before 100, which Date.UTC would move to the twentieth century", () => {
    const from = at("0001-01-31T00:00:00Z");
    expect(period(from, "month", 1).start).toEqual(at("0001-02-28T00:00:00Z"));
  });
});

describe("periodAt", () => {
  it("returns the one period of the sequence that holds the instant", () => {
    fc.assert(
      fc.property(anchor, unit, instant, (from, of, when) => {
        const { start, end } = periodAt(from, of, when);
        expect(start.getTime()).toBeLessThanOrEqual(when.getTime());
        expect(when.getTime()).toBeLessThan(end.getTime());
        expect(periodAt(from, of, start)).toEqual({ start, end });
        expect(periodAt(from, of, new Date(end.getTime() - 1))).toEqual({ start, end });
        expect(periodAt(from, of, end).start).toEqual(end);
      }),
    );
  });

  it("finds every period by its own start", () => {
    fc.assert(
      fc.property(anchor, unit, (from, of) => {
        for (const expected of list(from, of)) {
          expect(periodAt(from, of, expected.start)).toEqual(expected);
        }
      }),
    );
  });

  it.each([
    [
      "2025-01-31",
      "2025-02-10",
      "2025-01-31",
      "2025-02-28",
      "the 31st becomes the last of February",
    ],
    ["2025-01-31", "2025-03-10", "2025-02-28", "2025-03-31", "and does not stay at the 28th"],
    ["2025-01-31", "2025-04-30", "2025-04-30", "2025-05-31", "and is the 30th in a short month"],
    ["2024-01-31", "2024-02-29", "2024-02-29", "2024-03-31", "a leap year has a 29th"],
    ["2024-02-29", "2025-02-28", "2025-02-28", "2025-03-29", "an anchor on the leap day"],
    ["2024-02-29", "2028-02-29", "2028-02-29", "2028-03-29", "and the next leap day"],
    ["2023-12-29", "2100-02-28", "2100-02-28", "2100-03-29", "2100 is no leap year"],
    ["2025-01-30", "2025-03-01", "2025-02-28", "2025-03-30", "the 30th in February"],
    [
      "2025-06-15",
      "2025-01-01",
      "2024-12-15",
      "2025-01-15",
      "before the anchor, over a year's end",
    ],
    ["2025-01-01", "2025-12-31", "2025-12-01", "2026-01-01", "calendar months"],
  ])("anchor %s at %s gives [%s, %s): %s", (from, when, start, end) => {
    expect(periodAt(day(from), "month", day(when))).toEqual({
      start: day(start),
      end: day(end),
    });
  });

  it("is half-open to the millisecond", () => {
    const from = at("2025-01-31T10:30:00.500Z");
    const boundary = at("2025-02-28T10:30:00.500Z");
    expect(periodAt(from, "month", boundary).start).toEqual(boundary);
    expect(periodAt(from, "month", new Date(boundary.getTime() - 1)).end).toEqual(boundary);
  });
});

describe("startOfMonth", () => {
  it("returns the first instant of the month in UTC", () => {
    expect(startOfMonth(at("2024-02-29T23:59:59.999Z"))).toEqual(at("2024-02-01T00:00:00Z"));
    expect(startOfMonth(at("2025-01-01T00:00:00Z"))).toEqual(at("2025-01-01T00:00:00Z"));
  });
});

describe("minuteOf", () => {
  it("returns the start of the minute, even before 1970", () => {
    fc.assert(
      fc.property(fc.integer({ min: -4e12, max: 4e12 }), (epochMs) => {
        const minute = minuteOf(epochMs);
        expect(minute).toBe(new Date(epochMs).setUTCSeconds(0, 0));
      }),
    );
  });
});
