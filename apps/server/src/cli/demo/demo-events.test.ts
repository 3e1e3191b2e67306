import { toId } from "@turnpike/domain/ids/ids";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type DemoEventsInput, generateEvents } from "./demo-events.ts";
import { DAY_MS } from "./demo-usage.ts";

const UNTIL_MS = Date.UTC(2026, 10, 21, 9, 30);
const input: DemoEventsInput = {
  seed: 1,
  window: { fromMs: UNTIL_MS - 90 * DAY_MS, untilMs: UNTIL_MS },
  tenantId: toId("tenant", "0199f3b0c1d27a4e8f60112233445501"),
  name: "Parcelweft",
  joinedAtMs: UNTIL_MS - 90 * DAY_MS,
  peakHour: 12,
};

describe("generateEvents", () => {
  it("gives events in the order of their time, within what the ledger takes, each with an id of its own", () => {
    fc.assert(
      fc.property(fc.nat(), fc.integer({ min: 1, max: 60 }), (seed, days) => {
        const joinedAtMs = UNTIL_MS - days * DAY_MS;
        const events = [...generateEvents({ ...input, seed, joinedAtMs })];
        const times = events.map(({ time }) => Date.parse(time));
        expect(times).toEqual(times.toSorted((a, b) => a - b));
        for (const timeMs of times) {
          expect(timeMs).toBeGreaterThanOrEqual(Math.max(joinedAtMs, UNTIL_MS - 34 * DAY_MS));
          expect(timeMs).toBeLessThan(UNTIL_MS);
        }
        expect(new Set(events.map(({ id }) => id)).size).toBe(events.length);
        expect([...generateEvents({ ...input, seed, joinedAtMs })]).toEqual(events);
      }),
      { numRuns: 10 },
    );
  });

  it("gives enough to look at, and other ones for another seed", () => {
    const events = [...generateEvents(input)];
    expect(events.length).toBeGreaterThan(500);
    expect(new Set(events.map(({ data }) => data.model)).size).toBe(3);
    expect([...generateEvents({ ...input, seed: 2 })]).not.toEqual(events);
  });
});
