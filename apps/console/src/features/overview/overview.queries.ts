import { queryOptions } from "@tanstack/react-query";
import type { ApiClient } from "#platform/api-client.ts";
import type { Environment } from "#platform/current-environment.ts";
import type { OwnTenant } from "#platform/current-tenant.ts";
import { usageQuery } from "#platform/usage-query.ts";
import { EXPIRES_SOON_MS } from "./attention.view-model.ts";

type TenantId = OwnTenant["tenantId"];

export type OverviewScope = {
  tenantId: TenantId;
  /** Undefined for both. */
  environment: Environment | undefined;
  timeZone: string;
};

/** The chart and the trends look back this far, in milliseconds. */
const RANGE_MS = 30 * 86_400_000;
const DAY_MS = 86_400_000;
/** What is used shows here within this time, in milliseconds. */
export const REFRESH_MS = 15_000;
/** Keys looked at for what needs attention, and entries of the audit trail shown. */
const KEYS_MAX = 100;
const ACTIVITY_MAX = 6;
/** Members whose names are known here; of the rest it is said without a name. */
const PEOPLE_MAX = 100;

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
      { ...inScope(scope), measures: ["requests"], dimensions: ["outcome", "status_class"] },
      { refetchMs: REFRESH_MS },
    ),
  /** What was denied of the last 24 hours, with keys of both environments. */
  lastDay: (api: ApiClient, tenantId: TenantId) =>
    usageQuery(
      api,
      { tenantId, measures: ["requests", "denied"], range: { lastMs: DAY_MS } },
      { refetchMs: REFRESH_MS },
    ),
  keys: (api: ApiClient, tenantId: TenantId) =>
    queryOptions({
      queryKey: ["keys", tenantId, "names"],
      queryFn: ({ signal }) => api.keys.list({ tenantId, limit: KEYS_MAX }, { signal }),
    }),
  /** Keys that work and end soon, however many newer ones there are. */
  endingKeys: (api: ApiClient, tenantId: TenantId) =>
    queryOptions({
      queryKey: ["keys", tenantId, "ending"],
      queryFn: async ({ signal }) => {
        const expiresBefore = new Date(Date.now() + EXPIRES_SOON_MS).toISOString();
        return await api.keys.list(
          { tenantId, state: "active", expiresBefore, limit: KEYS_MAX },
          { signal },
        );
      },
    }),
  /** Names of the tenant's people by their id, for what happened to them. */
  people: (api: ApiClient, tenantId: TenantId) =>
    queryOptions({
      queryKey: ["tenants", tenantId, "members", "names"],
      queryFn: async ({ signal }) => {
        const { items } = await api.tenants.listMembers(
          { tenantId, limit: PEOPLE_MAX },
          { signal },
        );
        return new Map(
          items.map(({ userId, name, email }) => [String(userId), name ?? email ?? String(userId)]),
        );
      },
    }),
  activity: (api: ApiClient, tenantId: TenantId) =>
    queryOptions({
      queryKey: ["audit", tenantId, "newest"],
      queryFn: async ({ signal }) =>
        (await api.tenants.listAudit({ tenantId, limit: ACTIVITY_MAX }, { signal })).items,
    }),
};
