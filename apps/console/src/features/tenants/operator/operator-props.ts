import type { OperatorSearch } from "./operator-search.view-model.ts";

/** The search parameters that an operator's screen shows, and how it changes them. */
export type OperatorProps = {
  search: OperatorSearch;
  onSearchChange: (search: OperatorSearch) => void;
};
