import { queryOptions } from "@tanstack/react-query";
import type { ApiClient } from "#platform/api-client.ts";
import { type BillingPlace, billingKey } from "#platform/billing-queries.ts";

export type BillingDetails = Awaited<ReturnType<ApiClient["billing"]["getBillingDetails"]>>;

/** The addressee of the invoices of a tenant. */
export function billingDetailsQuery(api: ApiClient, place: Pick<BillingPlace, "tenantId">) {
  return queryOptions({
    queryKey: [...billingKey(place), "details"],
    queryFn: ({ signal }): Promise<BillingDetails> =>
      api.billing.getBillingDetails({ tenantId: place.tenantId }, { signal }),
  });
}
