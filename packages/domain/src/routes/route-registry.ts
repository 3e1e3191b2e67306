import { createDailyNames, type DailyNamesOptions } from "../text/daily-names.ts";
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

export type RouteRegistryOptions = DailyNamesOptions;

/**
 * Makes the registry of routes that this process has seen today (UTC). It bounds the number of rollups when an API has values
 * in its paths that no rule recognises, or when someone tries paths at random.
 */
export function createRouteRegistry(options: RouteRegistryOptions): RouteRegistry {
  const routes = createDailyNames(options);
  return {
    routeOf(tenantId, rawTarget, nowMs) {
      const route = toRouteTemplate(rawTarget);
      return routes.learn(tenantId, route, nowMs) ? route : OTHER_ROUTE;
    },
  };
}
