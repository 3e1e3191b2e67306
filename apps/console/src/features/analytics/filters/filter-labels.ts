import { t } from "@lingui/core/macro";
import type { FilterDimension } from "../analytics-search.view-model.ts";

/** The names of the filters. */
export const FILTER_LABELS: Readonly<Record<FilterDimension, string>> = {
  outcome: t`Outcome`,
  status_class: t`Status class`,
  status: t`Status`,
  route: t`Route`,
  method: t`Method`,
  key: t`Key`,
  environment: t`Environment`,
  model: t`Model`,
};
