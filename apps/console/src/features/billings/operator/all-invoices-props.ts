import type { AllInvoicesSearch } from "./all-invoices-search.view-model.ts";

/** What the screens of all invoices are given. */
export type AllInvoicesProps = {
  search: AllInvoicesSearch;
  onSearchChange: (search: AllInvoicesSearch) => void;
};
