import { Combobox as BaseCombobox } from "@base-ui/react/combobox";
import { t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import ListFilter from "lucide-react/icons/list-filter";
import { toButtonClasses } from "./button.tsx";
import { SearchablePopup } from "./combobox.tsx";
import { joinClasses } from "./join-classes.tsx";
import { inSentence } from "./language.tsx";
import type { Choice } from "./select.tsx";

/** Names shown on the button before it only counts them. */
const NAMED_MAX = 2;

export type FacetFilterProps<Value extends string> = {
  /** What is filtered: "Status". */
  label: string;
  choices: readonly Choice<Value>[];
  /** None chosen means no filter. */
  value: readonly Value[];
  onValueChange: (value: Value[]) => void;
  emptyText?: string;
};

/** A filter by one property of a list: any number of values, found by typing. */
export function FacetFilter<Value extends string>(props: FacetFilterProps<Value>) {
  const chosen = props.choices.filter((choice) => props.value.includes(choice.value));
  // What the list does not know (from a shared address) still filters, so it is shown too.
  const names = props.value.map(
    (value) => props.choices.find((choice) => choice.value === value)?.label ?? value,
  );
  const shown = names.length > NAMED_MAX ? t`${names.length} selected` : names.join(", ");
  return (
    <BaseCombobox.Root<Choice<Value>, true>
      multiple
      items={props.choices}
      value={chosen}
      isItemEqualToValue={(item, value) => item.value === value.value}
      itemToStringLabel={(choice) => choice.label}
      onValueChange={(choices) => props.onValueChange(choices.map((choice) => choice.value))}
    >
      <BaseCombobox.Trigger
        aria-label={
          shown === "" ? t`Filter by ${props.label}` : t`Filter by ${props.label}: ${shown}`
        }
        className={joinClasses(
          toButtonClasses("secondary"),
          "max-w-full",
          shown === "" && "border-dashed",
        )}
      >
        <ListFilter className="size-4 shrink-0 text-ink-faint" aria-hidden="true" />
        <span>{props.label}</span>
        {shown !== "" && (
          <span className="max-w-48 truncate rounded bg-selected px-1.5 py-0.5 text-ink text-xs">
            {shown}
          </span>
        )}
      </BaseCombobox.Trigger>
      <SearchablePopup
        label={t`Filter by ${props.label}`}
        searchLabel={t`Search ${inSentence(props.label)}`}
        hasBoxes
        {...(props.emptyText !== undefined && { emptyText: props.emptyText })}
        {...(props.value.length > 0 && {
          footer: (
            <button
              type="button"
              onClick={() => props.onValueChange([])}
              className={joinClasses(toButtonClasses("quiet", "small"), "w-full")}
            >
              <Trans>Clear filter</Trans>
            </button>
          ),
        })}
      />
    </BaseCombobox.Root>
  );
}
