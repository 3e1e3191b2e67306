import { type QueryClient, queryOptions } from "@tanstack/react-query";
import type { ApiClient } from "#platform/api-client.ts";
import { billingKey } from "#platform/billing-queries.ts";
import type { Environment } from "#platform/current-environment.ts";
import {
  type AllInvoicesSearch,
  toFilters,
  toInvoiceQuery,
} from "./all-invoices-search.view-model.ts";

const ALL_KEY = "all-invoices";
const PER_PAGE = 25;

export type AllInvoices = Awaited<ReturnType<ApiClient["invoicing"]["listAllInvoices"]>>;
export type InvoiceSum = AllInvoices["sums"][number];

/** A page of the invoices of all tenants, with the sums of all that match. */
export function allInvoicesQuery(
  api: ApiClient,
  environment: Environment,
  search: AllInvoicesSearch,
) {
  const filters = toInvoiceQuery(toFilters(search));
  const { cursor } = search;
  return queryOptions({
    queryKey: [ALL_KEY, environment, filters, cursor],
    queryFn: ({ signal }): Promise<AllInvoices> =>
      api.invoicing.listAllInvoices(
        { environment, limit: PER_PAGE, ...filters, ...(cursor === undefined ? {} : { cursor }) },
        { signal },
      ),
    staleTime: 0,
  });
}

/** Asks again for what a change of an invoice has made old. */
export async function refreshInvoices(
  client: QueryClient,
  tenantId: Parameters<typeof billingKey>[0]["tenantId"],
): Promise<void> {
  await Promise.all([
    client.invalidateQueries({ queryKey: [ALL_KEY] }),
    client.invalidateQueries({ queryKey: billingKey({ tenantId }) }),
  ]);
}
