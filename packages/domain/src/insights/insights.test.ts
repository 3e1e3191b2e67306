import { createBelow } from "@turnpike/testkit/seeded-chance";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { advanceInsight } from "./advance-insight.ts";
import { findIncident, findIncidents } from "./find-incident.ts";
import { groupIncidents } from "./group-incidents.ts";
import type { Hour, Incident } from "./incident.ts";

const HOUR_MS = 60 * 60_000;
const DAY_MS = 24 * HOUR_MS;
const START_MS = Date.UTC(2026, 0, 5);
const HOURS = 28 * 24;
const EVENT_AT = HOURS - 10;
const RECENT_MS = START_MS + (HOURS - 48) * HOUR_MS;

function createHours(change: (value: number, since: number) => number | null): Hour[] {
  const below = createBelow(11);
  return Array.from({ length: HOURS }, (_, at) => {
    const usual = 500 + Math.round(200 * Math.sin((at / 24) * 2 * Math.PI)) + below(60);
    return {
      timeMs: START_MS + at * HOUR_MS,
      value: at < EVENT_AT ? usual : change(usual, at - EVENT_AT),
    };
  });
}

const find = (measure: Incident["measure"], hours: readonly Hour[], fromMs: number) => {
  const calls = measure === "requests" ? hours : hours.map((hour) => ({ ...hour, value: 2000 }));
  return findIncident({ measure, hours, calls }, fromMs);
};

describe("findIncident", () => {
  it("says since when, how big, against which band, and whether it is over", () => {
    const hours = createHours((value, since) => (since < 4 ? value * 3 : value));
    expect(find("requests", hours, RECENT_MS)).toMatchObject({
      measure: "requests",
      direction: "up",
      sinceMs: START_MS + EVENT_AT * HOUR_MS,
      untilMs: START_MS + (EVENT_AT + 4) * HOUR_MS,
      isOver: true,
    });
    const lasting = find(
      "errors",
      createHours((value) => value * 3),
      RECENT_MS,
    );
    expect(lasting).toMatchObject({ isOver: false, untilMs: START_MS + HOURS * HOUR_MS });
    expect(lasting?.actual).toBeGreaterThan(lasting?.high ?? Number.POSITIVE_INFINITY);
    expect(lasting?.confidence).toBeGreaterThan(0.5);
  });

  it("is quiet about what is usual, small, good news, long ago or hidden behind too little history", () => {
    const usual = createHours((value) => value);
    expect(find("requests", usual, 0)).toBeUndefined();
    const few = createHours((value) => value).map(({ timeMs, value }, at) => ({
      timeMs,
      value: at === EVENT_AT ? 12 : (value ?? 0) % 2,
    }));
    expect(find("errors", few, RECENT_MS)).toBeUndefined();
    const silent = createHours(() => 0);
    expect(find("errors", silent, RECENT_MS)).toBeUndefined();
    expect(find("requests", silent, RECENT_MS)?.direction).toBe("down");
    const tripled = createHours((value) => value * 3);
    expect(find("requests", tripled, START_MS + HOURS * HOUR_MS)).toBeUndefined();
    expect(find("requests", tripled.slice(-150), 0)).toBeUndefined();
  });

  it("stands hours without anything to measure", () => {
    const gaps = createHours((value) => value * 3).map((hour, at) =>
      at % 24 === 3 ? { ...hour, value: null } : hour,
    );
    expect(find("latency_avg", gaps, RECENT_MS)?.direction).toBe("up");
  });
});

describe("findIncidents", () => {
  it("takes back no claim and changes no judgement when later hours come", () => {
    const change = fc.record({
      at: fc.integer({ min: 250, max: HOURS - 20 }),
      hours: fc.integer({ min: 1, max: 15 }),
      factor: fc.constantFrom(0, 0.3, 1.5, 2, 4, 10),
    });
    const cut = fc.integer({ min: 240, max: HOURS });
    fc.assert(
      fc.property(fc.array(change, { minLength: 1, maxLength: 4 }), cut, (changes, until) => {
        const hours = createHours((value) => value).map(({ timeMs, value }, at) => {
          const here = changes.filter((one) => at >= one.at && at < one.at + one.hours);
          return { timeMs, value: here.reduce((sum, { factor }) => sum * factor, value ?? 0) };
        });
        const claims = (seen: Hour[]) =>
          findIncidents({ measure: "requests", hours: seen, calls: seen });
        const all = claims(hours);
        for (const past of claims(hours.slice(0, until))) {
          const later = all.find(
            ({ sinceMs, untilMs }) => sinceMs <= past.sinceMs && untilMs >= past.untilMs,
          );
          expect(later).toBeDefined();
          if (later?.sinceMs === past.sinceMs) {
            const { statistic, confidence, direction } = past;
            expect(later).toMatchObject({ statistic, confidence, direction });
          }
        }
      }),
      { numRuns: 30 },
    );
  });
});

describe("what calls do not back up", () => {
  const steady = createHours((value) => value);
  const raised = (factor: number) =>
    steady.map(({ timeMs, value }, at) => ({
      timeMs,
      value: (value ?? 0) * (at < EVENT_AT ? 1 : factor),
    }));

  it("is no incident: errors that grow with the calls, and a mean that a few slow calls make", () => {
    const errors = raised(4).map((hour) => ({ ...hour, value: Math.round(hour.value / 10) }));
    const judge = (calls: Hour[]) => findIncident({ measure: "errors", hours: errors, calls }, 0);
    expect(judge(raised(4))).toBeUndefined();
    expect(judge(raised(1))).toMatchObject({ measure: "errors", direction: "up" });
    const latency = (callsAnHour: number) => {
      const calls = steady.map(({ timeMs }) => ({ timeMs, value: callsAnHour }));
      return findIncident({ measure: "latency_avg", hours: raised(4), calls }, 0);
    };
    expect(latency(1)).toBeUndefined();
    expect(latency(1000)).toMatchObject({ measure: "latency_avg" });
  });
});

describe("groupIncidents", () => {
  const incident = (measure: Incident["measure"], hour: number, route: string | null = null) => ({
    measure,
    route,
    statistic: "residual" as const,
    sinceMs: START_MS + hour * HOUR_MS,
    untilMs: START_MS + (hour + 1) * HOUR_MS,
    isOver: false,
    direction: "up" as const,
    actual: 2,
    low: 0,
    expected: 1,
    high: 1,
    confidence: 0.7,
  });

  it("makes one of what begins together, and leaves the rest apart", () => {
    const groups = groupIncidents([
      incident("requests", 0),
      incident("errors", 2),
      incident("latency_avg", 30),
    ]);
    expect(groups.map(({ measure, also }) => [measure, also])).toEqual([
      ["errors", ["requests"]],
      ["latency_avg", []],
    ]);
  });

  it("lets all calls speak for their routes, and a route for itself alone", () => {
    const groups = groupIncidents([
      incident("error_rate", 0, "/a"),
      incident("error_rate", 0),
      incident("error_rate", 30, "/a"),
      incident("latency_avg", 31, "/a"),
      incident("latency_avg", 31, "/b"),
    ]);
    expect(groups.map(({ measure, route, also }) => [measure, route, also])).toEqual([
      ["error_rate", null, []],
      ["error_rate", "/a", ["latency_avg"]],
      ["latency_avg", "/b", []],
    ]);
  });
});

describe("advanceInsight", () => {
  const nowMs = START_MS;
  const first = advanceInsight(undefined, { sinceMs: nowMs, isOver: false }, nowMs);

  it("keeps one insight of one cause, ends it, and tells it again when it comes back", () => {
    expect(first).toMatchObject({ sinceMs: nowMs, endedAtMs: null, dismissedAtMs: null });
    const ended = advanceInsight(first, { sinceMs: nowMs, isOver: true }, nowMs + HOUR_MS);
    expect(ended).toMatchObject({ sinceMs: nowMs, endedAtMs: nowMs + HOUR_MS });
    const seen = advanceInsight(ended, { sinceMs: nowMs, isOver: true }, nowMs + 2 * HOUR_MS);
    expect(seen).toMatchObject({ endedAtMs: nowMs + HOUR_MS, seenAtMs: nowMs + 2 * HOUR_MS });
    const again = advanceInsight(seen, { sinceMs: nowMs + DAY_MS, isOver: false }, nowMs + DAY_MS);
    expect(again).toMatchObject({ endedAtMs: null, dismissedAtMs: null });
  });

  it.each([
    ["dismissed", { dismissedAtMs: nowMs }, 7],
    ["not useful", { isUseful: false, ratedAtMs: nowMs }, 30],
  ])("stays quiet after %s, and not for ever", (_name, change, days) => {
    const state = { ...first, ...change };
    const after = (ms: number) =>
      advanceInsight(state, { sinceMs: nowMs + ms, isOver: false }, nowMs + ms).dismissedAtMs;
    expect(after(days * DAY_MS - HOUR_MS)).not.toBeNull();
    expect(after(days * DAY_MS + HOUR_MS)).toBeNull();
  });
});
