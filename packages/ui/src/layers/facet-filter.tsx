import { Combobox as BaseCombobox } from "@base-ui/react/combobox";
import { t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import type { ReactElement, Ref } from "react";
import { toButtonClasses } from "../button.tsx";
import type { Choice } from "../choice.tsx";
import { joinClasses } from "../join-classes.tsx";
import { inSentence } from "../language.tsx";
import { SearchablePopup } from "./combobox.tsx";

export type FacetFilterProps<Value extends string> = {
  /** What is filtered: "Status". */
  label: string;
  choices: readonly Choice<Value>[];
  /** None chosen means no filter. */
  value: readonly Value[];
  onValueChange: (value: Value[]) => void;
  emptyText?: string;
};

export type FacetFilterLayerProps<Value extends string> = FacetFilterProps<Value> & {
  trigger: ReactElement<Record<string, unknown>>;
  triggerRef: Ref<HTMLElement>;
};

/** The list of choices beside the button of a filter. */
export function FacetFilter<Value extends string>(props: FacetFilterLayerProps<Value>) {
  const chosen = props.choices.filter((choice) => props.value.includes(choice.value));
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
        ref={props.triggerRef as Ref<HTMLButtonElement>}
        render={props.trigger}
      />
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
