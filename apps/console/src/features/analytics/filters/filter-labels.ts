import type { FilterDimension } from "../analytics-search.view-model.ts";

/** The names of the filters. */
export const FILTER_LABELS: Readonly<Record<FilterDimension, string>> = {
  outcome: "Outcome",
  status_class: "Status class",
  status: "Status",
  route: "Route",
  method: "Method",
  key: "Key",
  environment: "Environment",
};
