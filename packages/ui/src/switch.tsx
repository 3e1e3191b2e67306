import { Switch as BaseSwitch } from "@base-ui/react/switch";
import type { ReactNode } from "react";

export type SwitchProps = {
  label: ReactNode;
  help?: ReactNode;
  isOn: boolean;
  isDisabled?: boolean;
  onChange: (isOn: boolean) => void;
};

/** Something that is on or off and takes effect at once. */
export function Switch(props: SwitchProps) {
  return (
    // biome-ignore lint/a11y/noLabelWithoutControl: the switch inside is a control, which the rule cannot see
    <label className="flex cursor-pointer items-center justify-between gap-4 has-data-disabled:cursor-not-allowed has-data-disabled:opacity-60 touch:min-h-11">
      <span className="min-w-0">
        <span className="block font-medium">{props.label}</span>
        {props.help !== undefined && (
          <span className="block text-ink-muted text-xs">{props.help}</span>
        )}
      </span>
      <BaseSwitch.Root
        checked={props.isOn}
        disabled={props.isDisabled}
        onCheckedChange={(isOn) => props.onChange(isOn)}
        className="flex h-5 w-9 shrink-0 items-center rounded-full border border-line-control bg-sunken p-0.5 transition-colors duration-150 ease-out data-checked:border-action data-checked:bg-action"
      >
        <BaseSwitch.Thumb className="block size-3.5 rounded-full bg-ink-muted transition-[translate,background-color] duration-150 ease-out data-checked:translate-x-4 data-checked:bg-on-action" />
      </BaseSwitch.Root>
    </label>
  );
}
