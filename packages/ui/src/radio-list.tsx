import { Radio } from "@base-ui/react/radio";
import { RadioGroup } from "@base-ui/react/radio-group";
import { type KeyboardEvent, useId } from "react";
import type { Choice } from "./choice.tsx";
import { joinClasses } from "./join-classes.tsx";

export type RadioListProps<Value extends string> = {
  label: string;
  /** The label is only read out. */
  isLabelHidden?: boolean;
  choices: readonly Choice<Value>[];
  value: Value;
  onValueChange: (value: Value) => void;
  /** What is wrong with the choice, in words. */
  error?: string | undefined;
  /** Side by side where there is room. */
  isInColumns?: boolean;
};

/** One of a few, each with a line that says what it means. Arrow keys choose, Enter sends the form. */
export function RadioList<Value extends string>(props: RadioListProps<Value>) {
  const id = useId();
  return (
    <div className="min-w-0">
      <p
        id={id}
        className={joinClasses(
          "mb-1 font-medium text-sm",
          props.isLabelHidden === true && "sr-only",
        )}
      >
        {props.label}
      </p>
      <RadioGroup
        aria-labelledby={id}
        aria-describedby={`${id}-error`}
        value={props.value}
        onValueChange={(value: Value) => props.onValueChange(value)}
        onKeyDown={sendByEnter}
        className={joinClasses("grid gap-2", props.isInColumns === true && "sm:grid-cols-2")}
      >
        {props.choices.map((choice) => (
          // biome-ignore lint/a11y/noLabelWithoutControl: the radio inside is a control, which the rule cannot see
          <label
            key={choice.value}
            className="flex cursor-pointer items-start gap-2.5 rounded-control border border-line px-3 py-2 transition-colors duration-150 hover:bg-hover has-data-checked:border-line-control has-data-checked:bg-selected has-data-disabled:cursor-not-allowed has-data-disabled:opacity-60 touch:min-h-11"
          >
            <Radio.Root
              value={choice.value}
              disabled={choice.isDisabled}
              className="mt-0.5 grid size-4 shrink-0 place-items-center rounded-full border border-line-control bg-surface data-checked:border-action data-checked:bg-action"
            >
              <Radio.Indicator className="size-1.5 rounded-full bg-on-action" />
            </Radio.Root>
            <span className="min-w-0">
              <span className="block">{choice.label}</span>
              {choice.note !== undefined && (
                <span className="block text-ink-muted text-xs">{choice.note}</span>
              )}
            </span>
          </label>
        ))}
      </RadioGroup>
      <p id={`${id}-error`} role="alert" className="mt-1 text-danger text-xs empty:hidden">
        {props.error}
      </p>
    </div>
  );
}

/** As a radio of the browser does; those of the library swallow Enter. */
function sendByEnter(event: KeyboardEvent<HTMLElement>): void {
  const form = event.key === "Enter" ? event.currentTarget.closest("form") : null;
  const button = form?.querySelector<HTMLButtonElement>("[type=submit]:not(:disabled)");
  if (button) {
    form?.requestSubmit(button);
  }
}
