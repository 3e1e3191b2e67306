import { toRouteTemplate } from "./route-template.ts";

/** The route of all calls beyond the limit of distinct routes. */
export const OTHER_ROUTE = "{other}";

export type RouteRegistry = {
  /**
   * The route under which a call is counted: its template, or {@link OTHER_ROUTE} when the tenant already has as many routes
   * as it may.
   *
   * @param rawTarget - The request target as sent.
   * @param nowMs - Wall clock, epoch milliseconds.
   */
  routeOf(tenantId: string, rawTarget: string, nowMs: number): string;
};

export type RouteRegistryOptions = {
  /** Distinct routes of one tenant in a day. */
  perTenantMax: number;
  /** The first of them, which no other tenant can take. */
  reservedPerTenant: number;
  /** Routes of all tenants together beyond the reserved ones, which bounds memory. */
  sharedMax: number;
};

const DAY_MS = 24 * 3600 * 1000;

/**
 * Makes the registry of routes that this process has seen today (UTC). It bounds the number of rollups when an API has values
 * in its paths that no rule recognises, or when someone tries paths at random. Every day starts empty, so that what filled
 * the registry does not keep out new routes.
 */
export function createRouteRegistry(options: RouteRegistryOptions): RouteRegistry {
  const routesOf = new Map<string, Set<string>>();
  let shared = 0;
  let day = Number.NaN;

  function startDay(nowMs: number): void {
    const today = Math.floor(nowMs / DAY_MS);
    if (today !== day) {
      day = today;
      shared = 0;
      routesOf.clear();
    }
  }

  function learn(tenantId: string, known: Set<string> | undefined, route: string): string {
    const own = known?.size ?? 0;
    const isReserved = own < options.reservedPerTenant;
    if (own >= options.perTenantMax || (!isReserved && shared >= options.sharedMax)) {
      return OTHER_ROUTE;
    }
    shared += isReserved ? 0 : 1;
    if (known === undefined) {
      routesOf.set(tenantId, new Set([route]));
    } else {
      known.add(route);
    }
    return route;
  }

  return {
    routeOf(tenantId, rawTarget, nowMs) {
      startDay(nowMs);
      const route = toRouteTemplate(rawTarget);
      const known = routesOf.get(tenantId);
      return known?.has(route) === true ? route : learn(tenantId, known, route);
    },
  };
}
