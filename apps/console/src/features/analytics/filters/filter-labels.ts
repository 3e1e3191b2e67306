import type { FilterDimension } from "../analytics-search.view-model.ts";

/** What filters are called. */
export const FILTER_LABELS: Readonly<Record<FilterDimension, string>> = {
  outcome: "Outcome",
  status_class: "Status class",
  status: "Status",
  route: "Route",
  method: "Method",
  key: "Key",
  environment: "Environment",
};
