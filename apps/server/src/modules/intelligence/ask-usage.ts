import { USAGE_ROWS_MAX, type UsageReport } from "@turnpike/contract/usage";
import type { CallContext } from "@turnpike/domain/access/actor";
import { REQUESTS_METER } from "@turnpike/domain/catalog/plan";
import type { TenantId } from "@turnpike/domain/ids/ids";
import { WATCHED_MEASURES, type WatchedMeasure } from "@turnpike/domain/insights/incident";
import { queryUsage } from "#modules/analytics/index.ts";
import type { AppServices } from "#platform/app-services.ts";

/** The product itself asks. */
export function systemContext(deps: AppServices): CallContext {
  return { actor: { type: "system", id: "insights" }, requestId: deps.newId("request") };
}

/** Asks about calls in `[fromMs, toMs)`: by the hour, or by parts. */
export async function askUsage(
  deps: AppServices,
  input: {
    tenantId: TenantId;
    fromMs: number;
    toMs: number;
    by: "hour" | "key" | "route" | "status" | "outcome";
  },
): Promise<UsageReport> {
  return await queryUsage(deps, systemContext(deps), {
    tenantId: input.tenantId,
    measures: [...WATCHED_MEASURES],
    meter: REQUESTS_METER,
    dimensions: input.by === "hour" ? [] : [input.by],
    from: new Date(input.fromMs).toISOString(),
    to: new Date(input.toMs).toISOString(),
    ...(input.by === "hour" ? { grain: "hour" as const } : {}),
    timeZone: "UTC",
    limit: USAGE_ROWS_MAX,
  });
}

/** Reads a measure of a row: 0 for a count, null for a quotient of nothing. */
export function readMeasure(
  values: UsageReport["totals"] | undefined,
  measure: WatchedMeasure,
): number | null {
  return values?.[measure] ?? (measure === "latency_avg" ? null : 0);
}
