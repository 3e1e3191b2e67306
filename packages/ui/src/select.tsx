import { t } from "@lingui/core/macro";
import ChevronsUpDown from "lucide-react/icons/chevrons-up-down";
import { cloneElement, type ReactNode } from "react";
import { FormField } from "./form-field.tsx";
import { joinClasses } from "./join-classes.tsx";
import { createLateLayer } from "./late-layer.tsx";
import { isArrow, useLateTrigger } from "./late-trigger.tsx";
import { CONTROL_CLASSES } from "./layer-styles.tsx";
import type { SelectProps } from "./layers/select.tsx";

const SELECT = createLateLayer(() => import("./layers/select.tsx"));

/** One choice of a few. Arrow keys, typing ahead, Enter and Escape work as in the system's own list. */
export function Select<Value extends string>(props: SelectProps<Value>) {
  const { layer, ref, toWaiting } = useLateTrigger(SELECT, { isOpenKey });
  const chosen = props.choices.find(({ value }) => value === props.value);
  const shown = chosen?.label ?? props.value ?? "";
  const trigger = (
    <button
      type="button"
      {...(props.id === undefined ? { "aria-label": props.label } : { id: props.id })}
      aria-describedby={props["aria-describedby"]}
      aria-invalid={props["aria-invalid"]}
      className={joinClasses(
        CONTROL_CLASSES,
        "flex h-9 cursor-pointer items-center justify-between gap-2 pr-2 pl-3 text-left hover:bg-hover touch:h-11",
        props.className,
      )}
    >
      <span className={joinClasses("min-w-0 truncate", shown === "" && "text-ink-faint")}>
        {shown === "" ? (props.placeholder ?? t`Choose…`) : shown}
      </span>
      <ChevronsUpDown className="size-4 shrink-0 text-ink-faint" aria-hidden="true" />
    </button>
  );
  return layer === undefined ? (
    toWaiting(
      cloneElement(trigger, {
        role: "combobox",
        "aria-haspopup": "listbox",
        disabled: props.isDisabled,
      }),
    )
  ) : (
    <layer.Select {...props} trigger={trigger} triggerRef={ref} />
  );
}

/** The first letters of a choice go to it, also while the list is closed. */
function isOpenKey(key: string): boolean {
  return isArrow(key) || (key.length === 1 && key !== " ");
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
