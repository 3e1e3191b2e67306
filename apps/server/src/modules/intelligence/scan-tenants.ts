import { USAGE_ROWS_MAX } from "@turnpike/contract/usage-query";
import { REQUESTS_METER } from "@turnpike/domain/catalog/plan";
import { AppError } from "@turnpike/domain/errors/app-error";
import type { TenantId } from "@turnpike/domain/ids/ids";
import { queryUsageOfAll } from "#modules/analytics/index.ts";
import type { AppServices } from "#platform/app-services.ts";
import { systemContext } from "./ask-usage.ts";
import { listTenantsWithInsights } from "./insights.store.ts";
import { type ScanDeps, scanTenant } from "./scan-tenant.ts";

const HOUR_MS = 60 * 60_000;
/** A tenant that fell silent is looked at for so long. */
const ACTIVE_HOURS = 72;

/** Tenants with usage in the last three days, those with most calls first. */
export async function listActiveTenants(deps: AppServices): Promise<TenantId[]> {
  const now = deps.clock.now();
  const report = await queryUsageOfAll(deps, systemContext(deps), {
    measures: ["requests"],
    meter: REQUESTS_METER,
    dimensions: ["tenant"],
    from: new Date(now.getTime() - ACTIVE_HOURS * HOUR_MS).toISOString(),
    to: now.toISOString(),
    timeZone: "UTC",
    limit: USAGE_ROWS_MAX,
  });
  return report.rows.flatMap(({ group }) => (group.tenant ? [group.tenant as TenantId] : []));
}

/** Active tenants, then others with an open insight, which may be over by now. */
async function listTenantsToScan(deps: AppServices): Promise<Set<TenantId>> {
  const active = await listActiveTenants(deps);
  const others = await deps.transact.asOperator((tx) =>
    listTenantsWithInsights(tx, USAGE_ROWS_MAX),
  );
  return new Set([...active, ...others]);
}

/**
 * Looks at every tenant with usage in the last three days, those with most calls first, and at those with an open insight. One that
 * fails does not hold up the others.
 *
 * @throws What went wrong first and was not expected, once all were looked at.
 */
export async function scanTenants(deps: ScanDeps, signal: AbortSignal): Promise<number> {
  let scanned = 0;
  const failures: unknown[] = [];
  for (const tenantId of await listTenantsToScan(deps)) {
    if (signal.aborted) {
      return scanned;
    }
    try {
      await scanTenant(deps, tenantId);
      scanned += 1;
    } catch (error) {
      // Deleted meanwhile, or too much to sum: the next hour tries again.
      if (!(error instanceof AppError)) {
        failures.push(error);
      }
      deps.logger.warn({ err: error, tenantId }, "The insights of a tenant were not updated");
    }
  }
  if (failures.length > 0) {
    throw failures[0];
  }
  return scanned;
}
