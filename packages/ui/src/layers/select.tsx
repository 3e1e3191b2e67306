import { Select as BaseSelect } from "@base-ui/react/select";
import Check from "lucide-react/icons/check";
import type { ReactElement, Ref } from "react";
import type { Choice } from "../choice.tsx";
import { joinClasses } from "../join-classes.tsx";
import {
  OPTION_CLASSES,
  POPUP_CLASSES,
  POSITIONER_CLASSES,
  SCROLLING_CLASSES,
} from "../layer-styles.tsx";

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

export type SelectLayerProps<Value extends string> = Pick<
  SelectProps<Value>,
  "choices" | "value" | "onValueChange" | "name" | "id" | "isDisabled"
> & {
  trigger: ReactElement<Record<string, unknown>>;
  triggerRef: Ref<HTMLElement>;
};

/** The list below the button of a select. */
export function Select<Value extends string>(props: SelectLayerProps<Value>) {
  return (
    <BaseSelect.Root<Value>
      items={props.choices}
      value={props.value}
      name={props.name}
      disabled={props.isDisabled}
      onValueChange={(value) => value !== null && props.onValueChange(value)}
    >
      <BaseSelect.Trigger
        {...(props.id !== undefined && { id: props.id })}
        ref={props.triggerRef as Ref<HTMLButtonElement>}
        render={props.trigger}
      />
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
