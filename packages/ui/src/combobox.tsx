import { t } from "@lingui/core/macro";
import ChevronsUpDown from "lucide-react/icons/chevrons-up-down";
import { cloneElement, type ReactNode } from "react";
import { type ControlProps, FormField } from "./form-field.tsx";
import { joinClasses } from "./join-classes.tsx";
import { createLateLayer } from "./late-layer.tsx";
import { isArrow, useLateTrigger } from "./late-trigger.tsx";
import { CONTROL_CLASSES } from "./layer-styles.tsx";
import type { ComboboxProps } from "./layers/combobox.tsx";

const COMBOBOX = createLateLayer(() => import("./layers/combobox.tsx"));

/** One choice of many, found by typing. */
export function Combobox<Value extends string>(props: ComboboxProps<Value>) {
  const { layer, ref, toWaiting } = useLateTrigger(COMBOBOX, { isOpenKey: isArrow });
  const trigger = props.trigger ?? toButton(props);
  return layer === undefined ? (
    toWaiting(cloneElement(trigger, { role: "combobox", "aria-haspopup": "dialog" }))
  ) : (
    <layer.Combobox {...props} trigger={trigger} triggerRef={ref} />
  );
}

export type ComboboxFieldProps<Value extends string> = Omit<ComboboxProps<Value>, "trigger"> & {
  help?: ReactNode;
  error?: string | undefined;
  isOptional?: boolean;
};

/** One choice of many in the frame of a form field. */
export function ComboboxField<Value extends string>(props: ComboboxFieldProps<Value>) {
  const { help, error, isOptional = false, ...combobox } = props;
  return (
    <FormField {...{ label: props.label, help, error, isOptional }}>
      {(control) => <Combobox {...combobox} trigger={toButton(combobox, control)} />}
    </FormField>
  );
}

function toButton<Value extends string>(
  { label, choices, value, placeholder }: ComboboxProps<Value>,
  control?: ControlProps,
) {
  const chosen = choices.find((choice) => choice.value === value);
  return (
    <button
      type="button"
      {...(control ?? { "aria-label": label })}
      className={joinClasses(
        CONTROL_CLASSES,
        "flex h-9 cursor-pointer items-center justify-between gap-2 pr-2 pl-3 text-left hover:bg-hover touch:h-11",
      )}
    >
      <span className={joinClasses("min-w-0 truncate", chosen === undefined && "text-ink-faint")}>
        {chosen?.label ?? placeholder ?? t`Choose…`}
      </span>
      <ChevronsUpDown className="size-4 shrink-0 text-ink-faint" aria-hidden="true" />
    </button>
  );
}
