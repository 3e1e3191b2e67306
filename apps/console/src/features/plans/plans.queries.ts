import { queryOptions } from "@tanstack/react-query";
import type { ApiClient } from "#platform/api-client.ts";
import type { OwnTenant } from "#platform/current-tenant.ts";

export const plansQueries = {
  /** The newest version of every plan, and what their limits count. */
  catalog: (api: ApiClient) =>
    queryOptions({
      queryKey: ["catalog"],
      queryFn: async ({ signal }) => {
        const [plans, meters] = await Promise.all([
          api.catalog.listPlans({}, { signal }),
          api.catalog.listMeters({}, { signal }),
        ]);
        return { plans: plans.items, meters: meters.items };
      },
    }),

  /** What the tenant has used of each limit in this period. */
  limits: (api: ApiClient, tenantId: OwnTenant["tenantId"]) =>
    queryOptions({
      queryKey: ["limits", tenantId],
      queryFn: ({ signal }) => api.usage.limits({ tenantId }, { signal }),
    }),
};
