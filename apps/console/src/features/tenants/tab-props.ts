import type { TenantsSearch } from "./tenants-search.view-model.ts";

/** The search parameters that the page and its tabs show, and how they change them. */
export type TabProps = {
  search: TenantsSearch;
  onSearchChange: (search: TenantsSearch) => void;
};
