import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { billingPeriodAt, minuteOf, startOfMonth } from "./billing-period.ts";

const DAY_MS = 86_400_000;
const instant = fc.date({
  min: new Date("1970-01-01T00:00:00Z"),
  max: new Date("2199-12-31T23:59:59.999Z"),
  noInvalidDate: true,
});
/** The days on which months differ, at any time of the day. */
const lateAnchor = fc
  .record({
    month: fc.integer({ min: 0, max: 400 }),
    day: fc.integer({ min: 27, max: 31 }),
    timeMs: fc.integer({ min: 0, max: DAY_MS - 1 }),
  })
  .map(({ month, day, timeMs }) => new Date(Date.UTC(2000, month, day) + timeMs));
const anchor = fc.oneof(instant, lateAnchor);

function at(text: string): Date {
  return new Date(text);
}

describe("billingPeriodAt", () => {
  it("holds the instant it was asked for, whatever the anchor", () => {
    fc.assert(
      fc.property(anchor, instant, (from, when) => {
        const { start, end } = billingPeriodAt(from, when);
        expect(start.getTime()).toBeLessThanOrEqual(when.getTime());
        expect(when.getTime()).toBeLessThan(end.getTime());
      }),
    );
  });

  it("tiles time: the next period starts where this one ends, the one before ends where it starts", () => {
    fc.assert(
      fc.property(anchor, instant, (from, when) => {
        const period = billingPeriodAt(from, when);
        expect(billingPeriodAt(from, period.end).start).toEqual(period.end);
        const before = billingPeriodAt(from, new Date(period.start.getTime() - 1));
        expect(before.end).toEqual(period.start);
      }),
    );
  });

  it("gives every instant of a period the same period", () => {
    fc.assert(
      fc.property(
        anchor,
        instant,
        fc.double({ min: 0, max: 1, noNaN: true }),
        (from, when, part) => {
          const period = billingPeriodAt(from, when);
          const lengthMs = period.end.getTime() - period.start.getTime();
          const inside = Math.min(lengthMs - 1, Math.floor(part * lengthMs));
          expect(billingPeriodAt(from, new Date(period.start.getTime() + inside))).toEqual(period);
        },
      ),
    );
  });

  it("starts a period at the anchor, and lasts a month of 28 to 31 days", () => {
    fc.assert(
      fc.property(anchor, instant, (from, when) => {
        expect(billingPeriodAt(from, from).start).toEqual(from);
        const { start, end } = billingPeriodAt(from, when);
        const days = (end.getTime() - start.getTime()) / DAY_MS;
        expect([28, 29, 30, 31]).toContain(days);
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
    expect(billingPeriodAt(at(`${from}T00:00:00Z`), at(`${when}T00:00:00Z`))).toEqual({
      start: at(`${start}T00:00:00Z`),
      end: at(`${end}T00:00:00Z`),
    });
  });

  it("is half-open to the millisecond", () => {
    const from = at("2025-01-31T10:30:00.500Z");
    const boundary = at("2025-02-28T10:30:00.500Z");
    expect(billingPeriodAt(from, boundary).start).toEqual(boundary);
    expect(billingPeriodAt(from, new Date(boundary.getTime() - 1)).end).toEqual(boundary);
  });
});

describe("startOfMonth", () => {
  it("gives the first instant of the month in UTC", () => {
    expect(startOfMonth(at("2024-02-29T23:59:59.999Z"))).toEqual(at("2024-02-01T00:00:00Z"));
    expect(startOfMonth(at("2025-01-01T00:00:00Z"))).toEqual(at("2025-01-01T00:00:00Z"));
  });
});

describe("minuteOf", () => {
  it("gives the start of the minute, also before 1970", () => {
    fc.assert(
      fc.property(fc.integer({ min: -4e12, max: 4e12 }), (epochMs) => {
        const minute = minuteOf(epochMs);
        expect(minute).toBe(new Date(epochMs).setUTCSeconds(0, 0));
      }),
    );
  });
});
