import type { BillingPlace } from "#platform/billing-queries.ts";
import type { OwnTenant } from "#platform/current-tenant.ts";
import type { BillingsSearch } from "./billings-search.view-model.ts";

/** What the parts of `/billings` are given. */
export type BillingsProps = {
  tenant: OwnTenant;
  place: BillingPlace;
  search: BillingsSearch;
  onSearchChange: (search: BillingsSearch) => void;
};
