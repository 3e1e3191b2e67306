import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { EVENT_IDS_KEPT_DAYS, judgeEventTime, parseEventTime } from "./event-time.ts";

const DAY_MS = 24 * 3_600_000;
const NOW = Date.UTC(2026, 2, 29, 1, 30);

describe("parseEventTime", () => {
  it.each([
    ["2026-03-29T01:30:00Z", NOW],
    ["2026-03-29t01:30:00z", NOW],
    ["2026-03-29T03:30:00+02:00", NOW],
    ["2026-03-28T20:00:00.000-05:30", NOW],
    ["2026-03-29T01:30:00.123456789Z", NOW + 123],
    ["2028-02-29T00:00:00Z", Date.UTC(2028, 1, 29)],
    ["2026-02-29T00:00:00Z", undefined],
    ["2026-04-31T00:00:00Z", undefined],
    ["2026-13-01T00:00:00Z", undefined],
    ["2026-00-01T00:00:00Z", undefined],
    ["2026-03-29T24:00:00Z", undefined],
    ["2026-03-29T01:60:00Z", undefined],
    ["2026-03-29T01:30:60Z", undefined],
    ["2026-03-29T01:30:00", undefined],
    ["2026-03-29 01:30:00Z", undefined],
    ["2026-03-29", undefined],
    ["1774747800", undefined],
    ["+002026-03-29T01:30:00Z", undefined],
  ])("reads %s", (text, expected) => {
    expect(parseEventTime(text)).toBe(expected);
  });

  it("reads back every instant, and never throws", () => {
    fc.assert(
      fc.property(fc.date({ noInvalidDate: true, min: new Date(0) }), (date) => {
        fc.pre(date.getUTCFullYear() < 10_000);
        expect(parseEventTime(date.toISOString())).toBe(date.getTime());
      }),
    );
    fc.assert(
      fc.property(fc.string(), (text) => {
        expect(["number", "undefined"]).toContain(typeof parseEventTime(text));
      }),
    );
  });
});

describe("judgeEventTime", () => {
  it.each([
    [-35 * DAY_MS - 1, "too old"],
    [-35 * DAY_MS, "recordable"],
    [0, "recordable"],
    [5 * 60_000, "recordable"],
    [5 * 60_000 + 1, "too far ahead"],
  ])("at %i ms from now says %s", (offsetMs, expected) => {
    expect(judgeEventTime(NOW + offsetMs, NOW)).toBe(expected);
  });

  it("never accepts an event whose identity may have been forgotten", () => {
    const time = fc.integer({ min: -40 * DAY_MS, max: 40 * DAY_MS });
    const laterMs = fc.integer({ min: EVENT_IDS_KEPT_DAYS * DAY_MS, max: 100 * DAY_MS });
    fc.assert(
      fc.property(time, laterMs, (offsetMs, later) => {
        fc.pre(judgeEventTime(NOW + offsetMs, NOW) === "recordable");
        expect(judgeEventTime(NOW + offsetMs, NOW + later)).toBe("too old");
      }),
    );
  });
});
