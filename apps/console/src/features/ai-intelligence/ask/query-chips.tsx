import { t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { Button } from "@turnpike/ui/button";
import { Combobox } from "@turnpike/ui/combobox";
import { Popover } from "@turnpike/ui/popover";
import { Select } from "@turnpike/ui/select";
import { TextField } from "@turnpike/ui/text-field";
import Plus from "lucide-react/icons/plus";
import X from "lucide-react/icons/x";
import { useState } from "react";
import { toDimensionNoun } from "#components/questions/dimension-label.view-model.ts";
import type { QuestionChoices, QuestionQuery } from "#components/questions/questions.queries.ts";
import { TimeZoneChoice } from "#components/time-zone-choice.tsx";
import {
  describeDates,
  describeFilter,
  listFilterChoices,
  listRankChoices,
  NONE,
  toDates,
  toRank,
  withDates,
  withDimension,
  withFilter,
  withRank,
} from "./query-chips.view-model.ts";

export type QueryChipsProps = {
  query: QuestionQuery;
  choices: QuestionChoices | undefined;
  timeZone: string;
  onChange: (query: QuestionQuery) => void;
  onTimeZoneChange: (timeZone: string | undefined) => void;
};

const GRAINS = [
  { value: NONE, label: t`In sum` },
  { value: "hour", label: t`Per hour` },
  { value: "day", label: t`Per day` },
  { value: "week", label: t`Per week` },
  { value: "month", label: t`Per month` },
];
const COMPARISONS = [
  { value: NONE, label: t`Not compared` },
  { value: "previous_period", label: t`With the period before` },
  { value: "previous_year", label: t`With a year before` },
];
const DIMENSIONS_MAX = 2;
/** As wide as its text, where other choices fill their line. */
const CHIP = "w-auto! max-w-full";

/** What was understood, each part of which can be changed. */
export function QueryChips({
  query,
  choices,
  timeZone,
  onChange,
  onTimeZoneChange,
}: QueryChipsProps) {
  const [measure = ""] = query.measures;
  const known = choices?.measures.map(({ name, title }) => ({ value: name, label: title })) ?? [];
  const measures = query.measures.map((name) => ({
    value: name,
    label: known.find(({ value }) => value === name)?.label ?? name.replaceAll("_", " "),
  }));
  const dimensions = [...new Set([...(choices?.dimensions ?? []), ...query.dimensions])];
  const breakdowns = [
    { value: NONE, label: t`Not broken down` },
    ...dimensions.map((name) => ({ value: name, label: t`By ${toDimensionNoun(name)}` })),
  ];
  const seconds = [
    { value: NONE, label: t`And by…` },
    ...breakdowns.slice(1).filter(({ value }) => value !== query.dimensions[0]),
  ];
  const places = [...query.dimensions, NONE].slice(0, DIMENSIONS_MAX);
  const grains =
    GRAINS.some(({ value }) => value === query.grain) || query.grain === undefined
      ? GRAINS
      : [...GRAINS, { value: query.grain, label: t`Per ${query.grain}` }];
  return (
    <fieldset className="flex min-w-0 flex-wrap items-center gap-2">
      <legend className="sr-only">
        <Trans>What was understood</Trans>
      </legend>
      {query.measures.length === 1 ? (
        <Select
          className={CHIP}
          label={t`Measure`}
          choices={[...measures, ...known.filter(({ value }) => value !== measure)]}
          value={measure}
          onValueChange={(value) => onChange({ ...query, measures: [value] })}
        />
      ) : (
        measures.map(({ value, label }) => (
          <Chip
            key={value}
            text={label}
            label={t`Leave out ${label}`}
            onRemove={() =>
              onChange({ ...query, measures: query.measures.filter((name) => name !== value) })
            }
          />
        ))
      )}
      {places.map((dimension, at) => (
        <Select
          // A breakdown is known by its place.
          key={at === 0 ? "first" : "second"}
          className={CHIP}
          label={at === 0 ? t`Broken down by` : t`And by`}
          choices={at === 0 ? breakdowns : seconds}
          value={dimension}
          onValueChange={(value) => onChange(withDimension(query, at, value))}
        />
      ))}
      {query.filters.map((filter) => (
        <Chip
          key={JSON.stringify(filter)}
          text={describeFilter(filter)}
          label={t`Remove the filter: ${describeFilter(filter)}`}
          onRemove={() =>
            onChange({ ...query, filters: query.filters.filter((one) => one !== filter) })
          }
        />
      ))}
      <Combobox
        label={t`Add a filter`}
        trigger={
          <Button aria-label={t`Add a filter`}>
            <Plus className="size-4 text-ink-faint" aria-hidden="true" />
            <Trans>Filter</Trans>
          </Button>
        }
        choices={listFilterChoices(choices)}
        value={null}
        onValueChange={(value) => onChange(withFilter(query, value))}
        emptyText={t`No such value.`}
      />
      <DatesChip query={query} timeZone={timeZone} onChange={onChange} />
      <Select
        className={CHIP}
        label={t`Step`}
        choices={grains}
        value={query.grain ?? NONE}
        onValueChange={(value) => {
          const { grain: _, ...rest } = query;
          onChange(value === NONE ? rest : { ...rest, grain: value as "day" });
        }}
      />
      {query.dimensions.length > 0 && (
        <Select
          className={CHIP}
          label={t`How many`}
          choices={listRankChoices(query)}
          value={toRank(query)}
          onValueChange={(value) => onChange(withRank(query, value))}
        />
      )}
      <Select
        className={CHIP}
        label={t`Comparison`}
        choices={COMPARISONS}
        value={query.compare ?? NONE}
        onValueChange={(value) => {
          const { compare: _, ...rest } = query;
          onChange(value === NONE ? rest : { ...rest, compare: value as "previous_period" });
        }}
      />
      <TimeZoneChoice timeZone={timeZone} onChange={onTimeZoneChange} />
    </fieldset>
  );
}

function Chip({ text, label, onRemove }: { text: string; label: string; onRemove: () => void }) {
  return (
    <Button onClick={onRemove} aria-label={label} className="max-w-full">
      <span className="truncate">{text}</span>
      <X className="size-3.5 shrink-0" aria-hidden="true" />
    </Button>
  );
}

function DatesChip({
  query,
  timeZone,
  onChange,
}: Pick<QueryChipsProps, "query" | "timeZone" | "onChange">) {
  const [isOpen, setIsOpen] = useState(false);
  const [dates, setDates] = useState(toDates(query, timeZone));
  const changed = withDates(query, dates);
  return (
    <Popover
      title={t`Range`}
      align="start"
      isOpen={isOpen}
      onOpenChange={(next) => {
        setDates(toDates(query, timeZone));
        setIsOpen(next);
      }}
      trigger={
        <Button className="max-w-full">
          <span className="truncate">{describeDates(query, timeZone)}</span>
        </Button>
      }
    >
      <form
        className="space-y-3"
        onSubmit={(event) => {
          event.preventDefault();
          if (changed !== undefined) {
            setIsOpen(false);
            onChange(changed);
          }
        }}
      >
        <TextField
          label={t`First day`}
          type="date"
          value={dates.first}
          onChange={(event) => setDates({ ...dates, first: event.currentTarget.value })}
        />
        <TextField
          label={t`Last day`}
          type="date"
          value={dates.last}
          error={changed === undefined ? t`It must not come before the first.` : undefined}
          onChange={(event) => setDates({ ...dates, last: event.currentTarget.value })}
        />
        <p className="text-ink-muted text-xs">
          <Trans>Days begin in {timeZone}.</Trans>
        </p>
        <Button type="submit" look="primary">
          <Trans>Apply</Trans>
        </Button>
      </form>
    </Popover>
  );
}
