import { t } from "@lingui/core/macro";
import { useQuery } from "@tanstack/react-query";
import type { Choice } from "@turnpike/ui/choice";
import { FacetFilter } from "@turnpike/ui/facet-filter";
import { useState } from "react";
import { usePlatform } from "#platform/platform.tsx";
import { analyticsQueries, type ChoicesScope } from "../analytics.queries.ts";
import {
  type AnalyticsView,
  FILTER_DIMENSIONS,
  type FilterDimension,
  isFilterValue,
  setFilter,
} from "../analytics-search.view-model.ts";
import { type KeyName, toDimensionName } from "../breakdown.view-model.ts";
import { listTokenMeters } from "../meters.view-model.ts";
import { FILTER_LABELS } from "./filter-labels.ts";

export type FacetFiltersProps = {
  scope: ChoicesScope;
  keyNames: ReadonlyMap<string, KeyName>;
  onChange: (view: AnalyticsView) => void;
};

/** Fixed choices, offered whether or not such calls exist. */
const FIXED: Partial<Record<FilterDimension, readonly string[]>> = {
  environment: ["live", "test"],
  status_class: ["2xx", "3xx", "4xx", "5xx"],
};

/** One filter for each property of a call. The choices are the values seen in the range. */
export function FacetFilters(props: FacetFiltersProps) {
  // Loads the choices only when someone comes near: most visitors never filter the page.
  const [isNear, setIsNear] = useState(false);
  const names = useFilters(props.scope);
  return (
    <fieldset
      aria-label={t`Filter by`}
      className="contents"
      onPointerEnter={() => setIsNear(true)}
      onFocus={() => setIsNear(true)}
    >
      {names.map((name) => (
        <Facet key={name} name={name} isNear={isNear} {...props} />
      ))}
    </fieldset>
  );
}

/** Models are of APIs that answer with tokens, whose units calls are counted in. */
function useFilters({ view }: ChoicesScope): readonly FilterDimension[] {
  const { api } = usePlatform();
  const meters = useQuery(analyticsQueries.meters(api));
  const hasModels =
    view.filters.model !== undefined || listTokenMeters(meters.data?.items ?? []).length > 0;
  return FILTER_DIMENSIONS.filter((name) => name !== "model" || hasModels);
}

type FacetProps = FacetFiltersProps & { name: FilterDimension; isNear: boolean };

function Facet({ name, isNear, scope, keyNames, onChange }: FacetProps) {
  const { api } = usePlatform();
  const { view } = scope;
  const fixed = FIXED[name];
  const seen = useQuery({
    ...analyticsQueries.choices(api, scope, name),
    enabled: isNear && fixed === undefined,
  });
  const values = fixed ?? seen.data?.rows.map((row) => row.group[name] ?? "") ?? [];
  const chosen = view.filters[name] ?? [];
  const known = new Set([...values, ...(name === "key" ? keyNames.keys() : []), ...chosen]);
  return (
    <FacetFilter
      label={FILTER_LABELS[name]}
      value={chosen}
      onValueChange={(next) => onChange(setFilter(view, name, next))}
      emptyText={seen.isPending && fixed === undefined ? t`Loading…` : t`Nothing in this range.`}
      choices={[...known]
        .filter((value) => isFilterValue(name, value))
        .map((value) => toChoice(name, value, keyNames))}
    />
  );
}

function toChoice(
  name: FilterDimension,
  value: string,
  keyNames: ReadonlyMap<string, KeyName>,
): Choice<string> {
  const { label, detail = name === "outcome" ? value : undefined } = toDimensionName(
    name,
    value,
    keyNames,
  );
  return { value, label, ...(detail === undefined ? {} : { note: detail }) };
}
