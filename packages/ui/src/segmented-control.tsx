import { Radio } from "@base-ui/react/radio";
import { RadioGroup } from "@base-ui/react/radio-group";
import type { ReactNode } from "react";

export type Segment<Value extends string> = {
  value: Value;
  label: string;
  /** Stands for the label, which is then only read out. */
  icon?: ReactNode;
  isDisabled?: boolean;
};

export type SegmentedControlProps<Value extends string> = {
  label: string;
  segments: readonly Segment<Value>[];
  value: Value;
  onValueChange: (value: Value) => void;
};

/** One of two to five, all in sight. Arrow keys choose, as among radio buttons, which it is. */
export function SegmentedControl<Value extends string>(props: SegmentedControlProps<Value>) {
  return (
    <RadioGroup
      aria-label={props.label}
      value={props.value}
      onValueChange={(value: Value) => props.onValueChange(value)}
      className="inline-flex max-w-full rounded-control border border-line bg-sunken p-0.5"
    >
      {props.segments.map((segment) => (
        <Radio.Root
          key={segment.value}
          value={segment.value}
          disabled={segment.isDisabled}
          aria-label={segment.label}
          className="focus-inset grid h-8 min-w-8 cursor-pointer place-items-center rounded-[6px] px-2.5 font-medium text-ink-muted text-xs whitespace-nowrap transition-colors duration-150 hover:text-ink data-checked:bg-surface data-checked:text-ink data-checked:ring-1 data-checked:ring-line-control data-disabled:cursor-not-allowed data-disabled:opacity-50 touch:h-10 touch:min-w-11 [&_svg]:size-4"
        >
          <span aria-hidden="true">{segment.icon ?? segment.label}</span>
        </Radio.Root>
      ))}
    </RadioGroup>
  );
}
