import { t } from "@lingui/core/macro";
import type { Column } from "@turnpike/ui/column";
import { ColumnChoice } from "@turnpike/ui/column-choice";
import { SearchField } from "@turnpike/ui/search-field";
import { Select } from "@turnpike/ui/select";
import { useEffect, useEffectEvent, useState } from "react";
import type { Environment } from "#platform/current-environment.ts";
import type { Key } from "./api-keys.queries.ts";
import { type KeyState, type KeysView, narrow } from "./api-keys-search.view-model.ts";

/** The pause after the last letter before the search starts, in milliseconds. */
export const SEARCH_DELAY_MS = 250;

export type KeysToolbarProps = {
  view: KeysView;
  columns: readonly Column<Key>[];
  /** `replace` for one of many similar changes, such as each letter of a search. */
  onChange: (view: KeysView, how?: "replace") => void;
};

/** The filters and columns of the list, all kept in the address. */
export function KeysToolbar({ view, columns, onChange }: KeysToolbarProps) {
  return (
    <search aria-label={t`Filters`} className="mb-3 flex flex-wrap items-center gap-2">
      <KeySearch q={view.q} onSearch={(q) => onChange(narrow(view, { q }), "replace")} />
      <div className="w-36 max-sm:grow">
        <Select<KeyState | "any">
          label={t`State`}
          value={view.state ?? "any"}
          onValueChange={(state) =>
            onChange(narrow(view, { state: state === "any" ? undefined : state }))
          }
          choices={[
            { value: "any", label: t`Any state` },
            { value: "active", label: t`Active` },
            { value: "disabled", label: t`Disabled` },
            { value: "expired", label: t`Expired` },
            { value: "revoked", label: t`Revoked` },
          ]}
        />
      </div>
      <div className="w-36 max-sm:grow">
        <Select<Environment | "both">
          label={t`Environment`}
          value={view.environment ?? "both"}
          onValueChange={(environment) =>
            onChange(
              narrow(view, { environment: environment === "both" ? undefined : environment }),
            )
          }
          choices={[
            { value: "both", label: t`Live and test` },
            { value: "live", label: t`Live` },
            { value: "test", label: t`Test` },
          ]}
        />
      </div>
      <div className="ml-auto max-md:hidden">
        <ColumnChoice
          columns={columns}
          hidden={view.hidden}
          onHiddenChange={(hidden) => onChange({ ...view, hidden }, "replace")}
        />
      </div>
    </search>
  );
}

type KeySearchProps = { q: string; onSearch: (q: string) => void };

/** Searches once the person pauses typing. */
function KeySearch({ q, onSearch }: KeySearchProps) {
  const [typed, setTyped] = useState(q);
  const [asked, setAsked] = useState(q);
  const [address, setAddress] = useState(q);
  if (q !== address) {
    setAddress(q);
    // The address changed elsewhere, through Back or a cleared filter, so the field follows it.
    if (q !== asked) {
      setAsked(q);
      setTyped(q);
    }
  }
  const ask = useEffectEvent(() => {
    setAsked(typed);
    onSearch(typed);
  });
  // The outside system is the clock.
  useEffect(() => {
    if (typed === asked) {
      return;
    }
    const timer = setTimeout(() => ask(), SEARCH_DELAY_MS);
    return () => clearTimeout(timer);
  }, [typed, asked]);
  return (
    <SearchField
      label={t`Search keys`}
      placeholder={t`Name, id, or start or end of a key`}
      className="max-w-80 grow basis-64 max-sm:max-w-none max-sm:basis-full"
      maxLength={100}
      value={typed}
      onValueChange={setTyped}
    />
  );
}
