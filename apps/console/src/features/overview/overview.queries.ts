import { queryOptions } from "@tanstack/react-query";
import type { ApiClient } from "#platform/api-client.ts";
import type { Environment } from "#platform/current-environment.ts";
import type { OwnTenant } from "#platform/current-tenant.ts";
import { usageQuery } from "#platform/usage-query.ts";

type TenantId = OwnTenant["tenantId"];

export type OverviewScope = {
  tenantId: TenantId;
  /** Undefined for both. */
  environment: Environment | undefined;
  timeZone: string;
};

/** The chart and the trends look back this far, in milliseconds. */
const RANGE_MS = 30 * 86_400_000;
/** What is used shows here within this time, in milliseconds. */
export const REFRESH_MS = 15_000;
/** Keys looked at for what needs attention, and entries of the audit trail shown. */
const KEYS_MAX = 100;
const ACTIVITY_MAX = 6;

function inScope({ tenantId, environment, timeZone }: OverviewScope) {
  return {
    tenantId,
    timeZone,
    range: { lastMs: RANGE_MS },
    grain: "day" as const,
    ...(environment === undefined ? {} : { filters: { environment: [environment] } }),
  };
}

export const overviewQueries = {
  figures: (api: ApiClient, scope: OverviewScope) =>
    usageQuery(
      api,
      {
        ...inScope(scope),
        measures: ["requests", "errors", "error_rate", "denied", "latency_p95"],
        isCompared: true,
      },
      { refetchMs: REFRESH_MS },
    ),
  outcomes: (api: ApiClient, scope: OverviewScope) =>
    usageQuery(
      api,
      { ...inScope(scope), measures: ["requests"], dimensions: ["outcome"] },
      { refetchMs: REFRESH_MS },
    ),
  keys: (api: ApiClient, tenantId: TenantId) =>
    queryOptions({
      queryKey: ["keys", tenantId, "names"],
      queryFn: ({ signal }) => api.keys.list({ tenantId, limit: KEYS_MAX }, { signal }),
    }),
  activity: (api: ApiClient, tenantId: TenantId) =>
    queryOptions({
      queryKey: ["audit", tenantId, "newest"],
      queryFn: async ({ signal }) =>
        (await api.tenants.listAudit({ tenantId, limit: ACTIVITY_MAX }, { signal })).items,
    }),
};
