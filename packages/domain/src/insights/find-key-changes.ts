import type { Outcome } from "../metering/outcome.ts";
import { OTHER_ROUTE } from "../routes/route-registry.ts";

/** Calls of a key to a route that ended in one way. The empty route is that of calls whose route is not known. */
export type KeyCalls = { key: string; route: string; outcome: string; calls: number };

/** What keys did before, and what they do now: without a gap between them. */
export type ComparedKeyCalls = { before: readonly KeyCalls[]; after: readonly KeyCalls[] };

/** Keys that began to call other routes at once. */
export type RouteChange = {
  keys: string[];
  /** What is called that was never called before, the most first. */
  routes: string[];
  /** Calls of these routes. */
  calls: number;
  /** Of all calls of these keys now, from 0.5 to 1. */
  share: number;
};

/** A key that is refused for a reason that it never was before. */
export type NewRefusal = { key: string; calls: number };

/** Of fewer calls, a share says little; and what was hardly used has no habit. */
const CALLS_AFTER_MIN = 50;
const CALLS_BEFORE_MIN = 500;
const CHANGED_SHARE = 0.5;
/** Fewer refusals are a person's mistake. */
const REFUSALS_MIN = 10;

function sumOf(rows: readonly KeyCalls[]): number {
  return rows.reduce((sum, { calls }) => sum + calls, 0);
}

/** A route that is not told apart is no news. */
function isNamed({ route }: KeyCalls): boolean {
  return route !== "" && route !== OTHER_ROUTE;
}

type OwnChange = { key: string; routes: ReadonlyMap<string, number>; all: number };

function findOwnChange(
  key: string,
  { before, after }: { before: readonly KeyCalls[]; after: readonly KeyCalls[] },
): OwnChange | undefined {
  const all = sumOf(after);
  if (all < CALLS_AFTER_MIN || sumOf(before) < CALLS_BEFORE_MIN) {
    return;
  }
  const known = new Set(before.map(({ route }) => route));
  const routes = new Map<string, number>();
  for (const row of after.filter(isNamed)) {
    if (!known.has(row.route)) {
      routes.set(row.route, (routes.get(row.route) ?? 0) + row.calls);
    }
  }
  const calls = [...routes.values()].reduce((sum, each) => sum + each, 0);
  return calls < CHANGED_SHARE * all ? undefined : { key, routes, all };
}

function isTogether(one: OwnChange, other: OwnChange): boolean {
  return [...one.routes.keys()].some((route) => other.routes.has(route));
}

/**
 * Finds keys of whose calls at least half go to routes that they never called before. Keys that began to call the same route are one
 * change: a release of their program, rather than a stranger with each of them.
 *
 * @returns By the ids of the keys.
 */
export function findRouteChanges({ before, after }: ComparedKeyCalls): RouteChange[] {
  const earlier = Map.groupBy(before, ({ key }) => key);
  const groups: OwnChange[][] = [];
  const byKey = [...Map.groupBy(after, ({ key }) => key)].sort(([a], [b]) => (a < b ? -1 : 1));
  for (const [key, rows] of byKey) {
    const change =
      key === "" ? undefined : findOwnChange(key, { before: earlier.get(key) ?? [], after: rows });
    if (change !== undefined) {
      const group = groups.find((members) => members.some((each) => isTogether(each, change)));
      if (group === undefined) {
        groups.push([change]);
      } else {
        group.push(change);
      }
    }
  }
  return groups.map((members) => {
    const routes = new Map<string, number>();
    for (const [route, calls] of members.flatMap((member) => [...member.routes])) {
      routes.set(route, (routes.get(route) ?? 0) + calls);
    }
    const calls = [...routes.values()].reduce((sum, each) => sum + each, 0);
    return {
      keys: members.map(({ key }) => key),
      routes: [...routes].sort(([, a], [, b]) => b - a).map(([route]) => route),
      calls,
      share: calls / members.reduce((sum, { all }) => sum + all, 0),
    };
  });
}

/** Finds keys that are refused for a reason that they were never refused for before. @returns By their ids. */
export function findNewRefusals(
  { before, after }: ComparedKeyCalls,
  outcome: Outcome,
): NewRefusal[] {
  const isRefused = (row: KeyCalls) => row.outcome === outcome && row.key !== "";
  const known = new Set(before.filter(isRefused).map(({ key }) => key));
  return [...Map.groupBy(after.filter(isRefused), ({ key }) => key)]
    .map(([key, rows]) => ({ key, calls: sumOf(rows) }))
    .filter(({ key, calls }) => !known.has(key) && calls >= REFUSALS_MIN)
    .sort((a, b) => (a.key < b.key ? -1 : 1));
}
