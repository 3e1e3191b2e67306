import { queryOptions } from "@tanstack/react-query";
import type { ApiClient } from "#platform/api-client.ts";
import { askAgainIn } from "#platform/ask-again-in.ts";
import type { Tenant, TenantId } from "../tenants.queries.ts";

const PAGE = 25;
/** Insights are looked for each hour; a screen that stays open notices within this time, in milliseconds. */
const REFRESH_MS = 5 * 60_000;
/** More tenants than these are not asked for by name; their ids are shown. */
const NAMED_MAX = 30;
const TENANT_ID = /ten_[0-9a-f]{32}/g;

export const OVER_ALL_KEY = ["installation-insights"] as const;

export type TenantName = Pick<Tenant, "name" | "slug">;

export const insightQueries = {
  overAll: (api: ApiClient) =>
    queryOptions({
      queryKey: OVER_ALL_KEY,
      queryFn: ({ signal }) => api.installationInsights.list({}, { signal }),
      refetchInterval: askAgainIn(REFRESH_MS),
    }),

  byTenant: (api: ApiClient, cursor: string | undefined) =>
    queryOptions({
      queryKey: ["all-insights", cursor ?? null],
      queryFn: ({ signal }) =>
        api.allInsights.list(
          { limit: PAGE, ...(cursor === undefined ? {} : { cursor }) },
          { signal },
        ),
      refetchInterval: askAgainIn(REFRESH_MS),
    }),

  /** The tenants that texts name by their ids. One that cannot be read has no name. */
  namesOf: (api: ApiClient, texts: readonly string[]) => {
    const ids = [...new Set(texts.flatMap((text) => text.match(TENANT_ID) ?? []))]
      .sort()
      .slice(0, NAMED_MAX);
    return queryOptions({
      queryKey: ["tenants", "names", ids],
      queryFn: async ({ signal }): Promise<ReadonlyMap<string, TenantName>> => {
        const tenants = await Promise.all(
          ids.map((id) =>
            api.tenants.get({ tenantId: id as TenantId }, { signal }).catch(() => undefined),
          ),
        );
        return new Map(
          tenants.flatMap((tenant) =>
            tenant === undefined ? [] : [[String(tenant.tenantId), tenant]],
          ),
        );
      },
      enabled: ids.length > 0,
    });
  },
};
