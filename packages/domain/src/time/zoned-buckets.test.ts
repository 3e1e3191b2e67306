import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  DAY_MS,
  GRAINS,
  type Grain,
  HOUR_MS,
  isTimeZone,
  listBucketStarts,
  MINUTE_MS,
  precedingRange,
} from "./zoned-buckets.ts";

const ZONES = [
  "UTC",
  "Europe/Berlin",
  "America/New_York",
  "Australia/Lord_Howe",
  "Asia/Kolkata",
  "America/Sao_Paulo",
  "Africa/Casablanca",
  "Pacific/Apia",
] as const;

function range(from: string, to: string) {
  return { fromMs: Date.parse(from), toMs: Date.parse(to) };
}

function startsOf(grain: Grain, timeZone: string, from: string, to: string): string[] {
  return listBucketStarts(grain, timeZone, range(from, to)).map((ms) =>
    new Date(ms).toISOString().slice(0, 16),
  );
}

/** The local time of a zone, as text that is the same for every instant of a bucket. */
function labelOf(grain: Exclude<Grain, "hour">, timeZone: string, ms: number): string {
  const format = new Intl.DateTimeFormat("en-CA", {
    timeZone,
    dateStyle: "short",
    timeStyle: "short",
    hourCycle: "h23",
  });
  const [day = "", time = ""] = format.format(ms).split(", ");
  switch (grain) {
    case "minute":
      return `${day} ${time}`;
    case "day":
      return day;
    case "month":
      return day.slice(0, 7);
    case "week": {
      const date = new Date(`${day}T00:00:00Z`);
      const sinceMonday = (date.getUTCDay() + 6) % 7;
      return new Date(date.getTime() - sinceMonday * DAY_MS).toISOString().slice(0, 10);
    }
  }
}

const someRange = fc
  .record({
    fromMinute: fc.integer({
      min: Date.parse("1995-01-01") / MINUTE_MS,
      max: Date.parse("2035-01-01") / MINUTE_MS,
    }),
    minutes: fc.integer({ min: 1, max: 60 * 24 * 70 }),
  })
  .map(({ fromMinute, minutes }) => ({
    fromMs: fromMinute * MINUTE_MS,
    toMs: (fromMinute + minutes) * MINUTE_MS,
  }));

describe("listBucketStarts", () => {
  it("starts at or before the range and ends within it, ascending", () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...GRAINS),
        fc.constantFrom(...ZONES),
        someRange,
        (grain, zone, asked) => {
          const short = { ...asked, toMs: Math.min(asked.toMs, asked.fromMs + 3 * DAY_MS) };
          const starts = listBucketStarts(grain, zone, grain === "minute" ? short : asked);
          expect(starts[0]).toBeLessThanOrEqual(asked.fromMs);
          expect(starts[1] ?? Number.POSITIVE_INFINITY).toBeGreaterThan(asked.fromMs);
          expect(starts.at(-1)).toBeLessThan(asked.toMs);
          expect(starts).toEqual([...new Set(starts)].sort((a, b) => a - b));
        },
      ),
    );
  });

  it.each(["day", "week", "month"] as const)(
    "puts two instants into one %s exactly when the zone's calendar does",
    (grain) => {
      fc.assert(
        fc.property(fc.constantFrom(...ZONES), someRange, (zone, asked) => {
          const starts = listBucketStarts(grain, zone, asked);
          for (const [place, startMs] of starts.entries()) {
            const label = labelOf(grain, zone, startMs);
            const lastMs = (starts[place + 1] ?? asked.toMs) - MINUTE_MS;
            expect(labelOf(grain, zone, Math.max(startMs, lastMs))).toBe(label);
            expect(labelOf(grain, zone, startMs - MINUTE_MS)).not.toBe(label);
          }
        }),
        { numRuns: 60 },
      );
    },
  );

  it("starts an hour at every full hour of local time", () => {
    fc.assert(
      fc.property(fc.constantFrom(...ZONES), someRange, (zone, asked) => {
        const starts = new Set(listBucketStarts("hour", zone, asked));
        const untilMs = Math.min(asked.toMs, asked.fromMs + 4 * HOUR_MS);
        for (let ms = asked.fromMs; ms < untilMs; ms += MINUTE_MS) {
          const isFull = labelOf("minute", zone, ms).endsWith(":00");
          expect(starts.has(ms) || ms === asked.fromMs).toBe(isFull || ms === asked.fromMs);
        }
      }),
      { numRuns: 20 },
    );
  });

  it.each([
    {
      why: "the day on which summer time begins has 23 hours",
      asked: ["day", "Europe/Berlin", "2026-03-28T23:00Z", "2026-03-30T22:00Z"],
      starts: ["2026-03-28T23:00", "2026-03-29T22:00"],
    },
    {
      why: "the day on which it ends has 25 hours",
      asked: ["day", "America/New_York", "2026-11-01T04:00Z", "2026-11-03T05:00Z"],
      starts: ["2026-11-01T04:00", "2026-11-02T05:00"],
    },
    {
      why: "where the clocks are set back half an hour, one hour has 90 minutes",
      asked: ["hour", "Australia/Lord_Howe", "2026-04-04T14:00Z", "2026-04-04T17:00Z"],
      starts: ["2026-04-04T14:00", "2026-04-04T15:30", "2026-04-04T16:30"],
    },
    {
      why: "a day without a midnight starts at its first instant",
      asked: ["day", "America/Sao_Paulo", "2018-11-03T12:00Z", "2018-11-05T00:00Z"],
      starts: ["2018-11-03T03:00", "2018-11-04T03:00"],
    },
    {
      why: "a day that a zone left out has no bucket",
      asked: ["day", "Pacific/Apia", "2011-12-29T10:00Z", "2011-12-31T10:00Z"],
      starts: ["2011-12-29T10:00", "2011-12-30T10:00"],
    },
    {
      why: "weeks start on Monday, by the zone's clocks",
      asked: ["week", "America/New_York", "2026-03-02T05:00Z", "2026-03-10T00:00Z"],
      starts: ["2026-03-02T05:00", "2026-03-09T04:00"],
    },
    {
      why: "months have their own lengths",
      asked: ["month", "Asia/Kolkata", "2026-01-31T18:29Z", "2026-03-01T00:00Z"],
      starts: ["2025-12-31T18:30", "2026-01-31T18:30", "2026-02-28T18:30"],
    },
  ] as const)("$why", ({ asked: [grain, zone, from, to], starts }) => {
    expect(startsOf(grain, zone, from, to)).toEqual(starts);
  });
});

describe("precedingRange", () => {
  function before(grain: Grain | null, zone: string, from: string, to: string) {
    const { fromMs, toMs } = precedingRange(grain, zone, range(from, to));
    return [fromMs, toMs].map((ms) => new Date(ms).toISOString().slice(0, 16));
  }

  it("compares a day of 23 hours with the whole previous day", () => {
    expect(before("day", "Europe/Berlin", "2026-03-28T23:00Z", "2026-03-29T22:00Z")).toEqual([
      "2026-03-27T23:00",
      "2026-03-28T23:00",
    ]);
    expect(before(null, "Europe/Berlin", "2026-03-29T22:00Z", "2026-03-30T22:00Z")).toEqual([
      "2026-03-28T23:00",
      "2026-03-29T22:00",
    ]);
  });

  it.each([
    ["begins at 01:00", "Africa/Cairo", "2026-04-23T22:00", "2026-04-24T21:00", "2026-04-22T22:00"],
    [
      "ends where the next begins at 01:00",
      "Africa/Cairo",
      "2026-04-22T22:00",
      "2026-04-23T22:00",
      "2026-04-21T22:00",
    ],
    [
      "follows on one that began at 01:00",
      "Africa/Cairo",
      "2026-04-24T21:00",
      "2026-04-25T21:00",
      "2026-04-23T22:00",
    ],
    [
      "begins at 01:00 in the south",
      "America/Santiago",
      "2026-09-06T04:00",
      "2026-09-07T03:00",
      "2026-09-05T04:00",
    ],
  ])(
    "compares a whole day with a whole day where clocks skip midnight: one that %s",
    (_, zone, from, to, begin) => {
      expect(before("day", zone, `${from}Z`, `${to}Z`)).toEqual([begin, from]);
    },
  );

  it("compares a month with the previous month at month grain, and with as many days otherwise", () => {
    expect(before("month", "UTC", "2026-03-01T00:00Z", "2026-04-01T00:00Z")[0]).toBe(
      "2026-02-01T00:00",
    );
    expect(before("day", "UTC", "2026-03-01T00:00Z", "2026-04-01T00:00Z")[0]).toBe(
      "2026-01-29T00:00",
    );
  });

  it("ends where the range starts, and has its exact length when the range is not whole days", () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...GRAINS, null),
        fc.constantFrom(...ZONES),
        someRange,
        (grain, zone, asked) => {
          const found = precedingRange(grain, zone, asked);
          expect(found.toMs).toBe(asked.fromMs);
          const differenceMs = found.toMs - found.fromMs - (asked.toMs - asked.fromMs);
          const [dayMs] = listBucketStarts("day", zone, {
            fromMs: asked.fromMs,
            toMs: asked.fromMs + 1,
          });
          const isWhole = dayMs === asked.fromMs;
          expect(Math.abs(differenceMs)).toBeLessThanOrEqual(isWhole ? 31 * DAY_MS : 0);
        },
      ),
    );
  });
});

describe("isTimeZone", () => {
  it.each(["UTC", "Europe/Berlin", "America/Argentina/Ushuaia", "Etc/GMT+5"])(
    "knows %s",
    (name) => {
      expect(isTimeZone(name)).toBe(true);
    },
  );

  it.each(["", "Mars/Olympus", "+01:00", "Europe/Berlin'; --", "__proto__", "A".repeat(65)])(
    "refuses %j",
    (name) => {
      expect(isTimeZone(name)).toBe(false);
    },
  );
});
