import type { UsageReport } from "@turnpike/contract/usage";
import { USAGE_ROWS_MAX, type UsageQuestion } from "@turnpike/contract/usage-query";
import type { CallContext } from "@turnpike/domain/access/actor";
import { REQUESTS_METER } from "@turnpike/domain/catalog/plan";
import type { CallDimension } from "@turnpike/domain/insights/explained-by";
import type { SummedCalls } from "@turnpike/domain/insights/read-measure";
import { queryUsage, queryUsageOfAll } from "#modules/analytics/index.ts";
import type { AppServices } from "#platform/app-services.ts";
import type { UsageScope } from "./usage-scope.ts";

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
    by: readonly CallDimension[];
    routes?: readonly string[];
  },
): Promise<UsageReport> {
  const routes = route === undefined ? input.routes : [route];
  const question: UsageQuestion = {
    measures: ["requests", "errors", "latency_avg", "denied"],
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

export function toSummedCalls(values: UsageReport["totals"]): SummedCalls {
  const { requests = 0, errors = 0, denied = 0, latency_avg: latencyMs = null } = values;
  return { requests, errors, denied, latencyMs, spend: 0 };
}
