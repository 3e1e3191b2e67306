import { queryOptions } from "@tanstack/react-query";
import type { ApiClient } from "./api-client.ts";
import type { OwnTenant } from "./current-tenant.ts";

export type PlanAdvice = Awaited<ReturnType<ApiClient["advice"]["plans"]>>;
export type TriedPlan = PlanAdvice["plans"][number];
export type QuotaUse = PlanAdvice["quotas"][number];

/** Closed months do not change: the answer is asked for again when the screen is opened later. */
const FRESH_MS = 10 * 60_000;

export function planAdviceQuery(api: ApiClient, tenantId: OwnTenant["tenantId"]) {
  return queryOptions({
    queryKey: ["advice", tenantId, "plans"],
    queryFn: ({ signal }): Promise<PlanAdvice> => api.advice.plans({ tenantId }, { signal }),
    staleTime: FRESH_MS,
  });
}
