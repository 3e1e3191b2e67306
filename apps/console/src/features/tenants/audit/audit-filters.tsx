import { t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { Button } from "@turnpike/ui/button";
import type { Choice } from "@turnpike/ui/choice";
import { Combobox } from "@turnpike/ui/combobox";
import { SearchField } from "@turnpike/ui/search-field";
import { DateRangeFields } from "#components/date-range-fields.tsx";
import { useTypedSearch } from "#components/use-typed-search.ts";
import {
  type AuditFilter,
  isNarrowed,
  PROGRAM_KINDS,
  withoutUndefined,
} from "./audit-filter.view-model.ts";

const ANY = "any";

export type AuditFiltersProps = {
  filter: AuditFilter;
  /** People to choose from. */
  people: ReadonlyMap<string, string>;
  /** Nouns of actions to choose from. */
  nouns: readonly Choice<string>[];
  onChange: (filter: AuditFilter) => void;
};

/** What an address names and the list does not is shown as it is. */
function withChosen(choices: readonly Choice<string>[], value: string | undefined) {
  const isKnown = value === undefined || choices.some((choice) => choice.value === value);
  return isKnown ? choices : [...choices, { value, label: value }];
}

/** Narrows an audit log. Each filter is in the address. */
export function AuditFilters({ filter, people, nouns, onChange }: AuditFiltersProps) {
  const { q, actor, action, from, to } = filter;
  const set = (part: { [Name in keyof AuditFilter]: AuditFilter[Name] | undefined }) =>
    onChange(withoutUndefined({ ...filter, ...part }));
  const typed = useTypedSearch(q ?? "", (text) => set({ q: text === "" ? undefined : text }));
  const choose = (value: string) => (value === ANY ? undefined : value);
  const who = [
    { value: ANY, label: t`Everyone` },
    ...[...people].map(([value, label]) => ({ value, label })),
    ...PROGRAM_KINDS,
  ];
  return (
    <search aria-label={t`Filters`} className="flex flex-wrap items-end gap-2">
      <SearchField
        className="grow basis-56 sm:max-w-72"
        label={t`Search names, addresses and ids`}
        placeholder={t`Name, address or id`}
        maxLength={100}
        value={typed.text}
        onValueChange={typed.setText}
      />
      <div className="w-52 max-sm:w-full">
        <Combobox
          label={t`Who`}
          choices={withChosen(who, actor)}
          value={actor ?? ANY}
          onValueChange={(value) => set({ actor: choose(value) })}
        />
      </div>
      <div className="w-44 max-sm:w-full">
        <Combobox
          label={t`What`}
          choices={[{ value: ANY, label: t`Everything` }, ...withChosen(nouns, action)]}
          value={action ?? ANY}
          onValueChange={(value) => set({ action: choose(value) })}
        />
      </div>
      <DateRangeFields
        range={{ from, to }}
        labels={{ from: t`From`, to: t`Until` }}
        onChange={set}
      />
      {isNarrowed(filter) && (
        <Button
          look="quiet"
          onClick={() => {
            typed.setText("");
            onChange({});
          }}
        >
          <Trans>Clear filters</Trans>
        </Button>
      )}
    </search>
  );
}
