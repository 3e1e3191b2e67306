import { NumberField as BaseNumberField } from "@base-ui/react/number-field";
import { t } from "@lingui/core/macro";
import Minus from "lucide-react/icons/minus";
import Plus from "lucide-react/icons/plus";
import type { ReactNode } from "react";
import { FormField } from "./form-field.tsx";
import { joinClasses } from "./join-classes.tsx";
import { LANGUAGE } from "./language.tsx";
import { CONTROL_CLASSES } from "./layer-styles.tsx";

export type NumberFieldProps = {
  label: ReactNode;
  help?: ReactNode;
  error?: string | undefined;
  isOptional?: boolean;
  className?: string;
  /** Null while nothing is entered. */
  value: number | null;
  onValueChange: (value: number | null) => void;
  min?: number;
  max?: number;
  step?: number;
  /** Shown after the number: "requests", "per minute". */
  unit?: string;
  name?: string;
  isRequired?: boolean;
  isDisabled?: boolean;
  format?: Intl.NumberFormatOptions;
};

const STEPPER_CLASSES =
  "grid w-8 shrink-0 cursor-pointer place-items-center text-ink-muted hover:bg-hover hover:text-ink data-disabled:cursor-not-allowed data-disabled:opacity-40 touch:w-11 [&_svg]:size-3.5";

/** Shows the digits that are typed; left to itself the library would show three behind the point. */
const AS_TYPED: Intl.NumberFormatOptions = { maximumFractionDigits: 12 };

/**
 * A labelled number, with separators, arrow keys and buttons to step. Steps stay within the bounds; what is typed beyond them
 * stays as it is, for the form to say what is wrong with it.
 */
export function NumberField(props: NumberFieldProps) {
  const { label, help, error, isOptional = false, className } = props;
  return (
    <FormField {...{ label, help, error, isOptional, className }}>
      {({ id, ...control }) => (
        <BaseNumberField.Root
          id={id}
          value={props.value}
          onValueChange={props.onValueChange}
          min={props.min}
          max={props.max}
          step={props.step ?? 1}
          allowOutOfRange
          name={props.name}
          required={props.isRequired}
          disabled={props.isDisabled}
          locale={LANGUAGE}
          format={props.format ?? AS_TYPED}
        >
          <BaseNumberField.Group
            className={joinClasses(
              CONTROL_CLASSES,
              "flex h-9 overflow-hidden focus-frame touch:h-11 has-[input[aria-invalid=true]]:border-danger",
            )}
          >
            <BaseNumberField.Input
              {...control}
              className="h-full min-w-0 grow bg-transparent px-3 tabular-nums focus-bare"
            />
            {props.unit !== undefined && (
              <span className="self-center pr-2 text-ink-muted text-xs whitespace-nowrap">
                {props.unit}
              </span>
            )}
            <BaseNumberField.Decrement aria-label={t`Decrease`} className={STEPPER_CLASSES}>
              <Minus aria-hidden="true" />
            </BaseNumberField.Decrement>
            <BaseNumberField.Increment aria-label={t`Increase`} className={STEPPER_CLASSES}>
              <Plus aria-hidden="true" />
            </BaseNumberField.Increment>
          </BaseNumberField.Group>
        </BaseNumberField.Root>
      )}
    </FormField>
  );
}
