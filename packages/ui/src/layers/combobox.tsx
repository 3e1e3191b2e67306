import { Combobox as BaseCombobox } from "@base-ui/react/combobox";
import { t } from "@lingui/core/macro";
import Check from "lucide-react/icons/check";
import type { ReactElement, ReactNode, Ref } from "react";
import type { Choice } from "../choice.tsx";
import { joinClasses } from "../join-classes.tsx";
import { OPTION_CLASSES, POPUP_CLASSES, POSITIONER_CLASSES } from "../layer-styles.tsx";

export type ComboboxProps<Value extends string> = {
  label: string;
  choices: readonly Choice<Value>[];
  value: Value | null;
  onValueChange: (value: Value) => void;
  placeholder?: string;
  searchLabel?: string;
  emptyText?: string;
  /** Replaces the button that opens the list. */
  trigger?: ReactElement<Record<string, unknown>>;
  /** Stands below the list, such as an entry that creates. */
  footer?: ReactNode;
  side?: "top" | "right" | "bottom";
};

export type ComboboxLayerProps<Value extends string> = Omit<ComboboxProps<Value>, "trigger"> & {
  trigger: ReactElement<Record<string, unknown>>;
  triggerRef: Ref<HTMLElement>;
};

/** The list with its search beside the button of a combobox. */
export function Combobox<Value extends string>(props: ComboboxLayerProps<Value>) {
  const chosen = props.choices.find((choice) => choice.value === props.value) ?? null;
  return (
    <BaseCombobox.Root<Choice<Value>>
      items={props.choices}
      value={chosen}
      isItemEqualToValue={(item, value) => item.value === value.value}
      itemToStringLabel={toText}
      autoHighlight
      onValueChange={(choice) => choice !== null && props.onValueChange(choice.value)}
    >
      <BaseCombobox.Trigger
        ref={props.triggerRef as Ref<HTMLButtonElement>}
        render={props.trigger}
      />
      <SearchablePopup {...props} />
    </BaseCombobox.Root>
  );
}

type SearchablePopupProps = {
  label: string;
  searchLabel?: string;
  emptyText?: string;
  footer?: ReactNode;
  side?: "top" | "right" | "bottom";
  /** Each choice begins with a box that shows whether it is chosen, as several can be. */
  hasBoxes?: boolean;
};

/** The list of choices with its search above. */
export function SearchablePopup(props: SearchablePopupProps) {
  const search = props.searchLabel ?? t`Search…`;
  return (
    <BaseCombobox.Portal>
      <BaseCombobox.Positioner
        className={POSITIONER_CLASSES}
        sideOffset={4}
        align="start"
        side={props.side ?? "bottom"}
      >
        <BaseCombobox.Popup
          aria-label={props.label}
          className={joinClasses(
            POPUP_CLASSES,
            "flex max-h-[min(24rem,var(--available-height))] min-w-[max(var(--anchor-width),15rem)] flex-col overflow-hidden",
          )}
        >
          <div className="border-line border-b p-1">
            <BaseCombobox.Input
              aria-label={search}
              placeholder={search}
              className="focus-bare h-8 w-full bg-transparent px-2 text-sm placeholder:text-ink-faint touch:h-11 touch:text-base"
            />
          </div>
          <BaseCombobox.Empty>
            <p className="px-3 py-4 text-ink-muted">{props.emptyText ?? t`Nothing found.`}</p>
          </BaseCombobox.Empty>
          <BaseCombobox.List className="min-h-0 overflow-y-auto overscroll-contain p-1 empty:p-0">
            {(choice: Choice<string>) => (
              <BaseCombobox.Item
                key={choice.value}
                value={choice}
                disabled={choice.isDisabled}
                className={joinClasses(
                  OPTION_CLASSES,
                  "data-highlighted:bg-hover",
                  props.hasBoxes !== true && "pr-8",
                )}
              >
                {props.hasBoxes === true && (
                  <span
                    aria-hidden="true"
                    className="grid size-4 shrink-0 place-items-center rounded border border-line-control [[data-selected]>&]:border-action [[data-selected]>&]:bg-action [[data-selected]>&]:text-on-action"
                  >
                    <BaseCombobox.ItemIndicator>
                      <Check className="size-3" />
                    </BaseCombobox.ItemIndicator>
                  </span>
                )}
                <span className="min-w-0 grow">
                  <span className="block truncate">{choice.label}</span>
                  {choice.note !== undefined && (
                    <span className="block truncate text-ink-muted text-xs">{choice.note}</span>
                  )}
                </span>
                {props.hasBoxes !== true && (
                  <BaseCombobox.ItemIndicator className="absolute right-2">
                    <Check className="size-4" aria-hidden="true" />
                  </BaseCombobox.ItemIndicator>
                )}
              </BaseCombobox.Item>
            )}
          </BaseCombobox.List>
          {props.footer !== undefined && (
            <div className="border-line border-t p-1">{props.footer}</div>
          )}
        </BaseCombobox.Popup>
      </BaseCombobox.Positioner>
    </BaseCombobox.Portal>
  );
}

function toText(choice: Choice<string>): string {
  return choice.note === undefined ? choice.label : `${choice.label} ${choice.note}`;
}
