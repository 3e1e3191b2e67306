import type { TenantsSearch } from "./tenants-search.view-model.ts";

/** What the page and each of its tabs show of the address, and how they change it. */
export type TabProps = {
  search: TenantsSearch;
  onSearchChange: (search: TenantsSearch) => void;
};
