import { t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { Button } from "@turnpike/ui/button";
import { SearchField } from "@turnpike/ui/search-field";
import { Select } from "@turnpike/ui/select";
import { DateRangeFields } from "#components/date-range-fields.tsx";
import { useTypedSearch } from "#components/use-typed-search.ts";
import { STATE_LABELS } from "../invoice.view-model.ts";
import {
  type InvoiceFilters,
  STATE_FILTERS,
  type StateFilter,
} from "./all-invoices-search.view-model.ts";

const ANY = "any";

export type InvoiceFiltersProps = {
  filters: InvoiceFilters;
  /** Currencies to choose from, besides the one that is chosen. */
  currencies: readonly string[];
  onChange: (filters: InvoiceFilters) => void;
};

/** Narrows the list of all invoices. Each filter is in the address. */
export function InvoiceFilterBar({ filters, currencies, onChange }: InvoiceFiltersProps) {
  const { status, currency, q, from, to } = filters;
  const set = (part: { [Name in keyof InvoiceFilters]: InvoiceFilters[Name] | undefined }) =>
    onChange(withoutUndefined({ ...filters, ...part }));
  const typed = useTypedSearch(q ?? "", (text) => set({ q: text === "" ? undefined : text }));
  const known = [...new Set([...(currency === undefined ? [] : [currency]), ...currencies])];
  return (
    <search aria-label={t`Filters`} className="flex flex-wrap items-end gap-2">
      <SearchField
        className="grow basis-56 sm:max-w-72"
        label={t`Search number or tenant`}
        placeholder={t`Number or tenant`}
        maxLength={100}
        value={typed.text}
        onValueChange={typed.setText}
      />
      <div className="w-40 max-sm:grow">
        <Select
          label={t`State`}
          value={status ?? ANY}
          choices={[
            { value: ANY, label: t`All states` },
            ...STATE_FILTERS.map((value) => ({ value, label: nameState(value) })),
          ]}
          onValueChange={(value) => set({ status: STATE_FILTERS.find((each) => each === value) })}
        />
      </div>
      {known.length > 0 && (
        <div className="w-36 max-sm:grow">
          <Select
            label={t`Currency`}
            value={currency ?? ANY}
            choices={[
              { value: ANY, label: t`All currencies` },
              ...known.map((code) => ({ value: code, label: code })),
            ]}
            onValueChange={(value) => set({ currency: value === ANY ? undefined : value })}
          />
        </div>
      )}
      <DateRangeFields
        range={{ from, to }}
        labels={{ from: t`Issued from`, to: t`Issued until` }}
        onChange={set}
      />
      {Object.keys(filters).length > 0 && (
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

function nameState(value: StateFilter): string {
  return value === "overdue" ? t`Overdue` : STATE_LABELS[value];
}

function withoutUndefined(
  filters: {
    [Name in keyof InvoiceFilters]: InvoiceFilters[Name] | undefined;
  },
): InvoiceFilters {
  return Object.fromEntries(Object.entries(filters).filter(([, value]) => value !== undefined));
}
