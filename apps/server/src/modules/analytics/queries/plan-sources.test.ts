import { HOUR_MS, listBucketStarts, MINUTE_MS } from "@turnpike/domain/time/zoned-buckets";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { planSources, withoutOldMinutes } from "./plan-sources.ts";

const FIRST_MS = Date.UTC(2026, 9, 20);
const range = fc
  .tuple(fc.integer({ min: 0, max: 20_000 }), fc.integer({ min: 1, max: 20_000 }))
  .map(([from, minutes]) => ({
    fromMs: FIRST_MS + from * MINUTE_MS,
    toMs: FIRST_MS + (from + minutes) * MINUTE_MS,
  }));
const zone = fc.constantFrom("UTC", "Europe/Berlin", "Australia/Lord_Howe", "Asia/Kathmandu");
const grain = fc.constantFrom("minute", "hour", "day", "week", null);

describe("planSources", () => {
  it("tiles the range: each minute is read once, and hours are read whole and within one bucket", () => {
    fc.assert(
      fc.property(range, zone, grain, (asked, timeZone, by) => {
        const starts = by === null ? [] : listBucketStarts(by, timeZone, asked);
        const { hours, minutes } = planSources(asked, starts);
        const parts = [...hours, ...minutes].sort((a, b) => a.fromMs - b.fromMs);
        expect(parts[0]?.fromMs).toBe(asked.fromMs);
        expect(parts.at(-1)?.toMs).toBe(asked.toMs);
        for (const [index, { fromMs, toMs }] of parts.entries()) {
          expect(fromMs).toBeLessThan(toMs);
          expect(toMs).toBe(parts[index + 1]?.fromMs ?? asked.toMs);
        }
        for (const { fromMs, toMs } of hours) {
          expect([fromMs % HOUR_MS, toMs % HOUR_MS]).toEqual([0, 0]);
          const cut = starts.find((ms) => ms > fromMs && ms < toMs && ms % HOUR_MS !== 0);
          expect(cut).toBeUndefined();
        }
      }),
    );
  });

  it("reads whole days by the hour alone, and minutes only where a zone's days begin within an hour", () => {
    const week = { fromMs: Date.UTC(2026, 0, 5), toMs: Date.UTC(2026, 0, 12) };
    const utc = planSources(week, listBucketStarts("day", "UTC", week));
    expect(utc).toEqual({ hours: [week], minutes: [] });
    const india = planSources(week, listBucketStarts("day", "Asia/Kolkata", week));
    expect(india.minutes).toHaveLength(7);
    expect(india.minutes[0]).toEqual({
      fromMs: Date.UTC(2026, 0, 5, 18),
      toMs: Date.UTC(2026, 0, 5, 19),
    });
  });
});

describe("withoutOldMinutes", () => {
  /** The hours and minutes that are read, each by its start. */
  function listReads(sources: ReturnType<typeof planSources>, lengthMs: number): number[] {
    const intervals = lengthMs === HOUR_MS ? sources.hours : sources.minutes;
    return intervals.flatMap(({ fromMs, toMs }) =>
      Array.from({ length: (toMs - fromMs) / lengthMs }, (_, index) => fromMs + index * lengthMs),
    );
  }

  it("reads each hour that begins in the range once, and by the minute only what is kept by the minute", () => {
    fc.assert(
      fc.property(
        range,
        zone,
        grain,
        fc.integer({ min: 0, max: 700 }),
        (asked, timeZone, by, at) => {
          const starts = by === null ? [] : listBucketStarts(by, timeZone, asked);
          const minutesFromMs = FIRST_MS + at * HOUR_MS;
          const whole = planSources(asked, starts);
          const sources = withoutOldMinutes(whole, minutesFromMs);
          expect(sources.minutes.every(({ fromMs }) => fromMs >= minutesFromMs)).toBe(true);
          const oldHours = listReads(sources, HOUR_MS).filter((ms) => ms < minutesFromMs);
          const expected: number[] = [];
          const firstMs = Math.ceil(asked.fromMs / HOUR_MS) * HOUR_MS;
          for (let ms = firstMs; ms < Math.min(asked.toMs, minutesFromMs); ms += HOUR_MS) {
            expected.push(ms);
          }
          expect(oldHours).toEqual(expected);
          const isKept = (ms: number) => ms >= minutesFromMs;
          expect(listReads(sources, HOUR_MS).filter(isKept)).toEqual(
            listReads(whole, HOUR_MS).filter(isKept),
          );
          expect(listReads(sources, MINUTE_MS)).toEqual(listReads(whole, MINUTE_MS).filter(isKept));
        },
      ),
    );
  });

  it("changes nothing where everything is kept", () => {
    const sources = planSources({ fromMs: FIRST_MS + 1, toMs: FIRST_MS + HOUR_MS }, []);
    expect(withoutOldMinutes(sources, null)).toBe(sources);
  });
});
