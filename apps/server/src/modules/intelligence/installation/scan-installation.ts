import { INSIGHTS_MAX } from "@turnpike/contract/insights";
import type { WatchedMeasure } from "@turnpike/domain/insights/incident";
import { askUsage } from "../ask-usage.ts";
import { findAnomalies } from "../find-anomalies.ts";
import type { WatchedSeries } from "../incident-finder.ts";
import { readHours, toSeries, watchedRange } from "../read-hours.ts";
import { saveFound } from "../save-found.ts";
import type { ScanDeps } from "../scan-tenant.ts";
import type { UsageScope } from "../usage-scope.ts";
import { findTenantOutlooks } from "./find-tenant-outlooks.ts";
import { installationBook, saveInstallationCheck } from "./installation-insights.store.ts";

const DAY_MS = 24 * 60 * 60_000;
/** Of a few tenants that grow, the sum of errors grows; their share does not. */
const MEASURES: readonly WatchedMeasure[] = ["requests", "error_rate", "latency_avg", "denied"];
const ROUTE_MEASURES: readonly WatchedMeasure[] = ["error_rate", "latency_avg"];
/** As many as one answer holds by the hour: 12 times 720 rows. */
const ROUTES_MAX = 12;
const ALL: UsageScope = { tenantId: null };

/** The routes with most calls of a week. */
async function listWatchedRoutes(deps: ScanDeps): Promise<string[]> {
  const { toMs } = watchedRange(deps);
  const { rows } = await askUsage(deps, ALL, {
    fromMs: toMs - 7 * DAY_MS,
    toMs,
    isHourly: false,
    by: ["route"],
  });
  // A route that is all there is says nothing that the whole does not say.
  return rows.length < 2 ? [] : rows.slice(0, ROUTES_MAX).map(({ group }) => group.route ?? "");
}

async function readRouteHours(deps: ScanDeps): Promise<WatchedSeries[]> {
  const routes = await listWatchedRoutes(deps);
  if (routes.length === 0) {
    return [];
  }
  const { rows, times } = await askUsage(deps, ALL, {
    ...watchedRange(deps),
    isHourly: true,
    by: ["route"],
    routes,
  });
  return routes.flatMap((route) =>
    toSeries(
      rows.filter(({ group }) => group.route === route),
      { times, measures: ROUTE_MEASURES, route },
    ),
  );
}

/** Looks at the usage of all tenants together, at its largest routes, and at which tenants may leave or outgrow
 * their plans, and stores what was found. */
export async function scanInstallation(deps: ScanDeps): Promise<void> {
  const usage = await readHours(deps, ALL, MEASURES);
  const series = [...usage, ...(await readRouteHours(deps))];
  const anomalies = await findAnomalies(deps, ALL, series);
  const found = [...anomalies, ...(await findTenantOutlooks(deps))].slice(0, INSIGHTS_MAX);
  await deps.transact.asOperator(async (tx) => {
    await saveFound(deps, tx, { book: installationBook, found });
    await saveInstallationCheck(tx, {
      checked_at: deps.clock.now(),
      history_hours: usage[0]?.hours.length ?? 0,
    });
  });
}
