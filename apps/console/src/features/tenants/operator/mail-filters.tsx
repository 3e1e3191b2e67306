import { t } from "@lingui/core/macro";
import { SearchField } from "@turnpike/ui/search-field";
import { Select } from "@turnpike/ui/select";
import { useTypedSearch } from "#components/use-typed-search.ts";
import { MAIL_KINDS, toMailState } from "./mail.view-model.ts";
import type { OperatorProps } from "./operator-props.ts";
import { MAIL_STATE_CHOICES, type OperatorSearch } from "./operator-search.view-model.ts";

const ALL = "all";
const STATES = [
  { value: ALL, label: t`Every state` },
  ...MAIL_STATE_CHOICES.map((state) => ({
    value: state,
    label: toMailState({ state, text: null }).label,
  })),
];

/** What the outbox lists: by state, by kind and by part of the address. They stay in the address of the page. */
export function MailFilters({ search, onSearchChange }: OperatorProps) {
  const { mailState, mailKind, q } = search;
  const change = (to: Partial<Record<"mailState" | "mailKind" | "q", string>>) => {
    const chosen = { mailState, mailKind, q, ...to };
    const kept = Object.entries(chosen).filter(([, value]) => value !== ALL && value !== "");
    onSearchChange({ ...Object.fromEntries(kept) } as OperatorSearch);
  };
  const typed = useTypedSearch(q ?? "", (text) => change({ q: text }));
  // A kind from an address that someone passed on is shown as it is.
  const kinds = MAIL_KINDS.some(({ value }) => value === mailKind) ? [] : [mailKind ?? []].flat();
  return (
    <div className="flex flex-wrap gap-2">
      <SearchField
        className="sm:w-72"
        label={t`Search address`}
        maxLength={100}
        value={typed.text}
        onValueChange={typed.setText}
      />
      <Select
        label={t`State`}
        className="sm:w-40"
        choices={STATES}
        value={mailState ?? ALL}
        onValueChange={(value) => change({ mailState: value })}
      />
      <Select
        label={t`Kind`}
        className="sm:w-60"
        choices={[
          { value: ALL, label: t`Every kind` },
          ...MAIL_KINDS,
          ...kinds.map((value) => ({ value, label: value })),
        ]}
        value={mailKind ?? ALL}
        onValueChange={(value) => change({ mailKind: value })}
      />
    </div>
  );
}
