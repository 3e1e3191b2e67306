import { Checkbox as BaseCheckbox } from "@base-ui/react/checkbox";
import Check from "lucide-react/icons/check";
import Minus from "lucide-react/icons/minus";
import type { ReactNode } from "react";
import { joinClasses } from "./join-classes.tsx";

export type CheckboxProps = {
  label: ReactNode;
  /** The label is only read out, as in a column of boxes. */
  isLabelHidden?: boolean;
  help?: ReactNode;
  isChecked: boolean;
  /** Some of what it stands for, not all. */
  isMixed?: boolean;
  isDisabled?: boolean;
  name?: string;
  onCheckedChange: (isChecked: boolean) => void;
};

/** Yes or no, with the words to press as well as the box. */
export function Checkbox(props: CheckboxProps) {
  const isHidden = props.isLabelHidden === true;
  return (
    // biome-ignore lint/a11y/noLabelWithoutControl: the box inside is a control, which the rule cannot see
    <label
      className={joinClasses(
        "cursor-pointer has-data-disabled:cursor-not-allowed has-data-disabled:opacity-60",
        isHidden
          ? "grid size-8 place-items-center touch:size-11"
          : "inline-flex items-start gap-2.5 touch:min-h-11 touch:py-2.5",
      )}
    >
      <BaseCheckbox.Root
        checked={props.isChecked}
        indeterminate={props.isMixed === true}
        disabled={props.isDisabled}
        name={props.name}
        onCheckedChange={(isChecked) => props.onCheckedChange(isChecked)}
        className={joinClasses(
          "grid size-4 shrink-0 place-items-center rounded border border-line-control bg-surface text-on-action transition-colors duration-120 data-checked:border-action data-checked:bg-action data-indeterminate:border-action data-indeterminate:bg-action",
          !isHidden && "mt-0.5",
        )}
      >
        <BaseCheckbox.Indicator>
          {props.isMixed === true ? (
            <Minus className="size-3" aria-hidden="true" />
          ) : (
            <Check className="size-3" aria-hidden="true" />
          )}
        </BaseCheckbox.Indicator>
      </BaseCheckbox.Root>
      <span className={joinClasses("min-w-0", isHidden && "sr-only")}>
        <span className="block">{props.label}</span>
        {props.help !== undefined && (
          <span className="block text-ink-muted text-xs">{props.help}</span>
        )}
      </span>
    </label>
  );
}
