import { USAGE_ROWS_MAX, type UsageQuestion, type UsageReport } from "@turnpike/contract/usage";
import type { CallContext } from "@turnpike/domain/access/actor";
import { REQUESTS_METER } from "@turnpike/domain/catalog/plan";
import type { WatchedMeasure } from "@turnpike/domain/insights/incident";
import { queryUsage, queryUsageOfAll } from "#modules/analytics/index.ts";
import type { AppServices } from "#platform/app-services.ts";
import type { UsageScope } from "./usage-scope.ts";

const PERCENT = 100;
/** A share of fewer calls than these says little. */
const CALLS_FOR_RATE = 20;

/** The product itself asks. */
export function systemContext(deps: AppServices): CallContext {
  return { actor: { type: "system", id: "insights" }, requestId: deps.newId("request") };
}

/** Asks about calls in `[fromMs, toMs)`: by the hour, or by parts, or by the hour and parts. */
export async function askUsage(
  deps: AppServices,
  { tenantId, route }: UsageScope,
  input: {
    fromMs: number;
    toMs: number;
    isHourly: boolean;
    by: readonly ("key" | "route" | "status" | "outcome" | "tenant")[];
    routes?: readonly string[];
  },
): Promise<UsageReport> {
  const routes = route === undefined ? input.routes : [route];
  const question: UsageQuestion = {
    measures: ["requests", "errors", "error_rate", "latency_avg", "denied"],
    meter: REQUESTS_METER,
    dimensions: [...input.by],
    from: new Date(input.fromMs).toISOString(),
    to: new Date(input.toMs).toISOString(),
    ...(input.isHourly ? { grain: "hour" as const } : {}),
    ...(routes === undefined ? {} : { route: [...routes] }),
    timeZone: "UTC",
    limit: USAGE_ROWS_MAX,
  };
  return tenantId === null
    ? await queryUsageOfAll(deps, systemContext(deps), question)
    : await queryUsage(deps, systemContext(deps), { tenantId, ...question });
}

/** Reads a measure of a row: 0 for a count, null for a quotient of nothing, or of too little to tell. */
export function readMeasure(
  values: UsageReport["totals"] | undefined,
  measure: WatchedMeasure,
): number | null {
  switch (measure) {
    case "latency_avg":
      return values?.latency_avg ?? null;
    case "error_rate": {
      const rate = values?.error_rate ?? null;
      const isEnough = (values?.requests ?? 0) - (values?.denied ?? 0) >= CALLS_FOR_RATE;
      return rate === null || !isEnough ? null : rate * PERCENT;
    }
    default:
      return values?.[measure] ?? 0;
  }
}
