import { queryOptions } from "@tanstack/react-query";
import type { ApiClient } from "#platform/api-client.ts";
import { type BillingPlace, billingKey } from "#platform/billing-queries.ts";
import type { OwnTenant } from "#platform/current-tenant.ts";

/** A tenant that an operator bills, as the parts of a tenant's own page take it. */
export type BilledTenant = OwnTenant;

/** An id from the address: one that is none is refused by the API, whose answer is shown. */
export function asTenantId(owner: string): BillingPlace["tenantId"] {
  return owner as BillingPlace["tenantId"];
}

export function billedTenantQuery(api: ApiClient, owner: string) {
  const tenantId = asTenantId(owner);
  return queryOptions({
    queryKey: [...billingKey({ tenantId }), "tenant"],
    queryFn: async ({ signal }): Promise<BilledTenant> => {
      const { role, ...facts } = await api.tenants.get({ tenantId }, { signal });
      return role === null ? { ...facts, role: "viewer", isVisited: true } : { ...facts, role };
    },
  });
}
