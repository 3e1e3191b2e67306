import { t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { Button } from "@turnpike/ui/button";
import X from "lucide-react/icons/x";
import {
  type AnalyticsView,
  clearFilters,
  FILTER_DIMENSIONS,
  toggleFilter,
} from "../analytics-search.view-model.ts";
import { type KeyName, toDimensionName } from "../breakdown.view-model.ts";
import { FILTER_LABELS } from "./filter-labels.ts";

export type FilterChipsProps = {
  view: AnalyticsView;
  keyNames: ReadonlyMap<string, KeyName>;
  onChange: (view: AnalyticsView) => void;
};

/** The filter values of the page, one chip each. Renders nothing without filters. */
export function FilterChips({ view, keyNames, onChange }: FilterChipsProps) {
  const chips = FILTER_DIMENSIONS.flatMap((name) =>
    (view.filters[name] ?? []).map((value) => ({ name, value })),
  );
  if (chips.length === 0) {
    return null;
  }
  return (
    <div className="mt-3 flex flex-wrap items-center gap-2">
      <ul aria-label={t`Active filters`} className="flex min-w-0 flex-wrap gap-2">
        {chips.map(({ name, value }) => {
          const { label, detail } = toDimensionName(name, value, keyNames);
          return (
            <li
              key={`${name} ${value}`}
              className="flex min-w-0 max-w-full items-center rounded-full border border-line-control bg-surface pl-3 text-xs"
            >
              <span className="min-w-0 truncate">
                <span className="text-ink-muted">{FILTER_LABELS[name]} </span>
                <span className="font-medium">{label}</span>
                {detail !== undefined && (
                  <span className="ml-1.5 font-mono text-ink-muted">{detail}</span>
                )}
              </span>
              <button
                type="button"
                aria-label={t`Remove filter ${FILTER_LABELS[name]} ${label}`}
                onClick={() => onChange(toggleFilter(view, name, value))}
                className="grid size-7 shrink-0 cursor-pointer place-items-center rounded-full text-ink-muted hover:bg-hover hover:text-ink touch:size-11"
              >
                <X className="size-3.5" aria-hidden="true" />
              </button>
            </li>
          );
        })}
      </ul>
      <Button look="quiet" size="small" onClick={() => onChange(clearFilters(view))}>
        <Trans>Clear filters</Trans>
      </Button>
    </div>
  );
}
