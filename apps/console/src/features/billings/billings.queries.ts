import { queryOptions } from "@tanstack/react-query";
import type { ApiClient } from "#platform/api-client.ts";
import type { OwnTenant } from "#platform/current-tenant.ts";

type TenantId = OwnTenant["tenantId"];

/** What is used shows on the running period within this time, in milliseconds. */
export const REFRESH_MS = 15_000;

export const billingsQueries = {
  /** Billable units of one meter since the period began, live keys only, by key. */
  byKey: (api: ApiClient, input: { tenantId: TenantId; meterId: string; from: string }) =>
    queryOptions({
      queryKey: ["usage", input.tenantId, "period-by-key", input.meterId, input.from],
      queryFn: async ({ signal }) => {
        const { tenantId, meterId, from } = input;
        const [usage, keys] = await Promise.all([
          api.usage.query(
            {
              tenantId,
              meter: meterId,
              measures: "billable,requests",
              dimensions: "key",
              environment: "live",
              from,
              order: "-billable",
              limit: 10,
            },
            { signal },
          ),
          api.keys.list({ tenantId, limit: 100 }, { signal }),
        ]);
        const names = new Map(keys.items.map((key) => [String(key.keyId), key.name]));
        return { rows: usage.rows, total: usage.totals.billable ?? "0", names };
      },
      refetchInterval: REFRESH_MS,
    }),
};
