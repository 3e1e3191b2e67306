import { toRouteTemplate } from "./route-template.ts";

/** The route of calls beyond the routes that are told apart. */
export const OTHER_ROUTE = "{other}";

export type RouteRegistry = {
  /**
   * The route under which a call is counted: its template, or {@link OTHER_ROUTE} when the tenant has as many as are told
   * apart already.
   *
   * @param rawTarget - The request target as sent.
   * @param nowMs - Wall clock, epoch milliseconds.
   */
  routeOf(tenantId: string, rawTarget: string, nowMs: number): string;
};

export type RouteRegistryOptions = {
  /** Routes of one tenant that are told apart in a day. */
  perTenantMax: number;
  /** Routes of all tenants together, which bounds memory. */
  totalMax: number;
};

const DAY_MS = 24 * 3600 * 1000;

/**
 * Makes the list of routes that this process has met today (UTC). It is what keeps the number of rollups bounded when an API
 * puts into its paths what no rule sees as a value, or when somebody tries paths at random. Every day starts anew, so that
 * what filled the list does not keep out routes that are new.
 */
export function createRouteRegistry(options: RouteRegistryOptions): RouteRegistry {
  const routesOf = new Map<string, Set<string>>();
  let total = 0;
  let day = Number.NaN;

  function startDay(nowMs: number): void {
    const today = Math.floor(nowMs / DAY_MS);
    if (today !== day) {
      day = today;
      total = 0;
      routesOf.clear();
    }
  }

  function learn(tenantId: string, known: Set<string> | undefined, route: string): string {
    if (total >= options.totalMax || (known?.size ?? 0) >= options.perTenantMax) {
      return OTHER_ROUTE;
    }
    total += 1;
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
