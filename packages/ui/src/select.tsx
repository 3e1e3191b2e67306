import { Select as BaseSelect } from "@base-ui/react/select";
import { t } from "@lingui/core/macro";
import Check from "lucide-react/icons/check";
import ChevronsUpDown from "lucide-react/icons/chevrons-up-down";
import type { ReactNode } from "react";
import { FormField } from "./form-field.tsx";
import { joinClasses } from "./join-classes.tsx";
import {
  CONTROL_CLASSES,
  OPTION_CLASSES,
  POPUP_CLASSES,
  POSITIONER_CLASSES,
  SCROLLING_CLASSES,
} from "./layer-styles.tsx";

export type Choice<Value extends string> = {
  value: Value;
  label: string;
  /** A second line that says what choosing it means. */
  note?: string;
  isDisabled?: boolean;
};

export type SelectProps<Value extends string> = {
  /** The name of the control for screen readers when it has no visible label. */
  label: string;
  choices: readonly Choice<Value>[];
  /** Null while nothing is chosen. */
  value: Value | null;
  onValueChange: (value: Value) => void;
  placeholder?: string;
  isDisabled?: boolean;
  className?: string;
  name?: string;
  id?: string;
  "aria-describedby"?: string;
  "aria-invalid"?: true | undefined;
};

/** One choice of a few. Arrow keys, typing ahead, Enter and Escape work as in the system's own list. */
export function Select<Value extends string>(props: SelectProps<Value>) {
  return (
    <BaseSelect.Root<Value>
      items={props.choices}
      value={props.value}
      name={props.name}
      disabled={props.isDisabled}
      onValueChange={(value) => value !== null && props.onValueChange(value)}
    >
      <BaseSelect.Trigger
        {...(props.id === undefined ? { "aria-label": props.label } : { id: props.id })}
        aria-describedby={props["aria-describedby"]}
        aria-invalid={props["aria-invalid"]}
        className={joinClasses(
          CONTROL_CLASSES,
          "flex h-9 cursor-pointer items-center justify-between gap-2 pr-2 pl-3 text-left hover:bg-hover touch:h-11",
          props.className,
        )}
      >
        <BaseSelect.Value
          className="min-w-0 truncate data-placeholder:text-ink-faint"
          placeholder={props.placeholder ?? t`Choose…`}
        />
        <BaseSelect.Icon className="shrink-0 text-ink-faint">
          <ChevronsUpDown className="size-4" aria-hidden="true" />
        </BaseSelect.Icon>
      </BaseSelect.Trigger>
      <BaseSelect.Portal>
        <BaseSelect.Positioner
          className={POSITIONER_CLASSES}
          sideOffset={4}
          align="start"
          alignItemWithTrigger={false}
        >
          <BaseSelect.Popup
            className={joinClasses(POPUP_CLASSES, SCROLLING_CLASSES, "min-w-(--anchor-width) p-1")}
          >
            <BaseSelect.List>
              {props.choices.map((choice) => (
                <BaseSelect.Item
                  key={choice.value}
                  value={choice.value}
                  disabled={choice.isDisabled}
                  className={joinClasses(OPTION_CLASSES, "pr-8 data-highlighted:bg-hover")}
                >
                  <span className="min-w-0">
                    <BaseSelect.ItemText className="block truncate">
                      {choice.label}
                    </BaseSelect.ItemText>
                    {choice.note !== undefined && (
                      <span className="block text-ink-muted text-xs">{choice.note}</span>
                    )}
                  </span>
                  <BaseSelect.ItemIndicator className="absolute right-2">
                    <Check className="size-4" aria-hidden="true" />
                  </BaseSelect.ItemIndicator>
                </BaseSelect.Item>
              ))}
            </BaseSelect.List>
          </BaseSelect.Popup>
        </BaseSelect.Positioner>
      </BaseSelect.Portal>
    </BaseSelect.Root>
  );
}

export type SelectFieldProps<Value extends string> = Omit<SelectProps<Value>, "id"> & {
  help?: ReactNode;
  error?: string | undefined;
  isOptional?: boolean;
};

/** A choice in the frame of a form field. */
export function SelectField<Value extends string>(props: SelectFieldProps<Value>) {
  const { help, error, isOptional = false, className, ...select } = props;
  return (
    <FormField {...{ label: props.label, help, error, isOptional, className }}>
      {(control) => <Select {...select} {...control} />}
    </FormField>
  );
}
