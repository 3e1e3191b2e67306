import { queryOptions } from "@tanstack/react-query";
import type { ApiClient } from "#platform/api-client.ts";
import type { OwnTenant } from "#platform/current-tenant.ts";

/** Days looked back: more than anything that is said needs. */
const HISTORY_DAYS = 60;

/** The days on which the tenant had calls. */
export function historyQuery(api: ApiClient, tenantId: OwnTenant["tenantId"]) {
  return queryOptions({
    queryKey: ["usage", tenantId, "history"],
    queryFn: ({ signal }) =>
      api.usage.query(
        {
          tenantId,
          measures: "requests",
          grain: "day",
          from: new Date(Date.now() - HISTORY_DAYS * 86_400_000).toISOString(),
        },
        { signal },
      ),
  });
}
