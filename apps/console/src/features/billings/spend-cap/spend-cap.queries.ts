import { queryOptions } from "@tanstack/react-query";
import type { ApiClient } from "#platform/api-client.ts";
import { askAgainIn } from "#platform/ask-again-in.ts";
import { type BillingPlace, billingKey } from "#platform/billing-queries.ts";
import { REFRESH_MS } from "../billings.queries.ts";

export type SpendCap = Awaited<ReturnType<ApiClient["billing"]["getSpendCap"]>>;

/** The cap of a tenant; there is none in the sandbox. */
export function spendCapQuery(api: ApiClient, place: Pick<BillingPlace, "tenantId">) {
  return queryOptions({
    queryKey: [...billingKey(place), "spend-cap"],
    queryFn: ({ signal }): Promise<SpendCap> =>
      api.billing.getSpendCap({ tenantId: place.tenantId }, { signal }),
    refetchInterval: askAgainIn(REFRESH_MS),
  });
}
