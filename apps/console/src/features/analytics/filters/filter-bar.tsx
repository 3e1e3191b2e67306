import { t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { Button } from "@turnpike/ui/button";
import type { TimeGrain } from "@turnpike/ui/charts/time-buckets.view-model";
import { joinClasses } from "@turnpike/ui/join-classes";
import { inSentence } from "@turnpike/ui/language";
import { SegmentedControl } from "@turnpike/ui/segmented-control";
import { Select } from "@turnpike/ui/select";
import SlidersHorizontal from "lucide-react/icons/sliders-horizontal";
import { useState } from "react";
import { TimeZoneChoice } from "#components/time-zone-choice.tsx";
import { createChartFormats } from "#platform/chart-formats.ts";
import { formatCount } from "#platform/format.ts";
import { countWeeksBefore } from "#platform/usage-query.ts";
import type { AnalyticsScope } from "../analytics.queries.ts";
import {
  type AnalyticsView,
  countFilters,
  listGrains,
  RANGE_PRESETS,
  type RangePreset,
  toLengthMs,
  toUsageRange,
} from "../analytics-search.view-model.ts";
import type { KeyName } from "../breakdown.view-model.ts";
import { CustomRange } from "./custom-range.tsx";
import { FacetFilters } from "./facet-filters.tsx";
import { FilterChips } from "./filter-chips.tsx";

export type FilterBarProps = {
  scope: AnalyticsScope;
  keyNames: ReadonlyMap<string, KeyName>;
  nowMs: number;
  onChange: (view: AnalyticsView) => void;
};

const GRAIN_LABELS: Readonly<Record<TimeGrain, string>> = {
  minute: t`Minute`,
  hour: t`Hour`,
  day: t`Day`,
  week: t`Week`,
  month: t`Month`,
};

/** The controls of the view: range, grain, comparison, time zone and filters, all kept in the address. */
export function FilterBar({ scope, keyNames, nowMs, onChange }: FilterBarProps) {
  const { view, grain, timeZone } = scope;
  const [isOpen, setIsOpen] = useState(false);
  const count = countFilters(view);
  const weeks = countWeeksBefore(toLengthMs(view), grain);
  const moreClasses = joinClasses("flex-wrap gap-2 md:flex", isOpen ? "flex" : "hidden");
  return (
    <search aria-label={t`Filters`}>
      <div className="flex flex-wrap items-center gap-2">
        <RangeChoice view={view} timeZone={timeZone} nowMs={nowMs} onChange={onChange} />
        <Button aria-expanded={isOpen} onClick={() => setIsOpen(!isOpen)} className="md:hidden">
          <SlidersHorizontal className="size-4 text-ink-faint" aria-hidden="true" />
          {count === 0 ? t`Filters` : t`Filters (${String(count)})`}
        </Button>
        <div className={joinClasses(moreClasses, "items-center")}>
          <div className="w-36">
            <Select<TimeGrain | "auto">
              label={t`Grain`}
              value={view.grain === grain ? grain : "auto"}
              onValueChange={(chosen) =>
                onChange({ ...view, grain: chosen === "auto" ? undefined : chosen })
              }
              choices={[
                { value: "auto", label: t`Auto (${inSentence(GRAIN_LABELS[grain])})` },
                ...listGrains(view).map((value) => ({
                  value,
                  label: t`By ${inSentence(GRAIN_LABELS[value])}`,
                })),
              ]}
            />
          </div>
          <TimeZoneChoice
            timeZone={timeZone}
            onChange={(name) => onChange({ ...view, timeZone: name })}
          />
          <Button
            aria-pressed={view.isCompared}
            onClick={() => onChange({ ...view, isCompared: !view.isCompared })}
            className="aria-pressed:bg-selected"
          >
            <Trans>Compare with previous</Trans>
          </Button>
          {weeks !== undefined && (
            <span className="text-ink-faint text-xs">
              <Trans>same weekdays, {formatCount(weeks)} weeks earlier</Trans>
            </span>
          )}
        </div>
      </div>
      <div className={joinClasses(moreClasses, "mt-2")}>
        <FacetFilters scope={scope} keyNames={keyNames} onChange={onChange} />
      </div>
      <FilterChips view={view} keyNames={keyNames} onChange={onChange} />
    </search>
  );
}

type RangeChoiceProps = {
  view: AnalyticsView;
  timeZone: string;
  nowMs: number;
  onChange: (view: AnalyticsView) => void;
};

/** The range of the page: one that ends now, or any other. */
export function RangeChoice({ view, timeZone, nowMs, onChange }: RangeChoiceProps) {
  const range = toUsageRange(view);
  const ends = "lastMs" in range ? { fromMs: nowMs - range.lastMs, toMs: nowMs } : range;
  const preset = "preset" in view.range ? view.range.preset : undefined;
  const choose = (chosen: RangePreset) => onChange({ ...view, range: { preset: chosen } });
  const formats = createChartFormats(timeZone, { value: String, exact: String });
  return (
    <>
      <div className="max-md:hidden">
        <SegmentedControl<RangePreset | "custom">
          label={t`Range`}
          value={preset ?? "custom"}
          segments={RANGE_PRESETS.map(({ value }) => ({ value, label: value }))}
          onValueChange={(chosen) => chosen !== "custom" && choose(chosen)}
        />
      </div>
      <div className="w-32 md:hidden">
        <Select
          label={t`Range`}
          value={preset ?? null}
          placeholder={t`Custom`}
          choices={RANGE_PRESETS.map(({ value, label }) => ({ value, label: label() }))}
          onValueChange={choose}
        />
      </div>
      <CustomRange
        {...ends}
        timeZone={timeZone}
        isChosen={preset === undefined}
        label={preset === undefined ? formats.span(ends) : t`Custom`}
        onChoose={(fromMs, toMs) => onChange({ ...view, range: { fromMs, toMs } })}
      />
    </>
  );
}
