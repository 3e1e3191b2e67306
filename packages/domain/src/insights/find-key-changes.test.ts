import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { findNewRefusals, findRouteChanges, type KeyCalls } from "./find-key-changes.ts";

const calls = (key: string, route: string, count: number, outcome = "VALID"): KeyCalls => ({
  key,
  route,
  outcome,
  calls: count,
});
const HABIT = [calls("a", "/cities", 900), calls("b", "/cities", 700), calls("c", "/cities", 20)];

describe("a change of what keys call", () => {
  it("names the key and its new routes, with their share", () => {
    const after = [calls("a", "/export", 60), calls("a", "/dump", 20), calls("a", "/cities", 20)];
    expect(findRouteChanges({ before: HABIT, after })).toEqual([
      { keys: ["a"], routes: ["/export", "/dump"], calls: 80, share: 0.8 },
    ]);
  });

  it("is one for all keys that began to call the same route", () => {
    const after = [calls("a", "/v2", 100), calls("b", "/v2", 60), calls("b", "/cities", 40)];
    expect(findRouteChanges({ before: HABIT, after })).toEqual([
      { keys: ["a", "b"], routes: ["/v2"], calls: 160, share: 0.8 },
    ]);
  });

  it("is none for few calls, a key without a habit, a small part, and routes that are not told apart", () => {
    const after = [
      calls("a", "/new", 40),
      calls("b", "/new", 40),
      calls("b", "/cities", 60),
      calls("c", "/new", 400),
    ];
    expect(findRouteChanges({ before: HABIT, after })).toEqual([]);
    const unnamed = [calls("a", "", 400), calls("b", "{other}", 400), calls("", "/new", 4000)];
    expect(findRouteChanges({ before: HABIT, after: unnamed })).toEqual([]);
  });

  it("says nothing of keys that do what they did, also when others change", () => {
    const row = fc.record({
      key: fc.constantFrom("a", "b"),
      route: fc.constantFrom("/cities", "/new", "/v2"),
      outcome: fc.constant("VALID"),
      calls: fc.integer({ min: 1, max: 900 }),
    });
    fc.assert(
      fc.property(fc.array(row), fc.array(row), (before, after) => {
        const told = findRouteChanges({ before, after }).flatMap(({ keys }) => keys);
        expect(new Set(told).size).toBe(told.length);
        for (const key of told) {
          const routesOf = (rows: KeyCalls[]) =>
            rows.filter((each) => each.key === key).map(({ route }) => route);
          expect(routesOf(after).some((route) => !routesOf(before).includes(route))).toBe(true);
          const alone = (rows: KeyCalls[]) => rows.filter((each) => each.key === key);
          const own = findRouteChanges({ before: alone(before), after: alone(after) });
          expect(own.map(({ keys }) => keys)).toEqual([[key]]);
        }
      }),
    );
  });
});

it("a refusal is news only for a key that never had it before, and not for one or two calls", () => {
  const before = [calls("a", "/cities", 3, "FORBIDDEN_NETWORK"), ...HABIT];
  const after = [
    calls("a", "/cities", 90, "FORBIDDEN_NETWORK"),
    calls("b", "/cities", 8, "FORBIDDEN_NETWORK"),
    calls("b", "/export", 4, "FORBIDDEN_NETWORK"),
    calls("c", "/cities", 9, "FORBIDDEN_NETWORK"),
    calls("c", "/cities", 90, "RATE_LIMITED"),
  ];
  expect(findNewRefusals({ before, after }, "FORBIDDEN_NETWORK")).toEqual([
    { key: "b", calls: 12 },
  ]);
});
