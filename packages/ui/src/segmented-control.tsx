import { type ReactNode, useId } from "react";

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
  const name = useId();
  return (
    <div
      role="radiogroup"
      aria-label={props.label}
      className="inline-flex max-w-full rounded-control border border-line bg-sunken p-0.5"
    >
      {props.segments.map((segment) => (
        <span
          key={segment.value}
          className="relative grid h-8 min-w-8 place-items-center rounded-[6px] px-2.5 font-medium text-ink-muted text-xs whitespace-nowrap transition-colors duration-150 hover:text-ink has-checked:bg-surface has-checked:text-ink has-checked:ring-1 has-checked:ring-line-control has-disabled:opacity-50 touch:h-10 touch:min-w-11 [&_svg]:size-4"
        >
          {/* The radio button itself is invisible and covers the segment. */}
          <input
            type="radio"
            name={name}
            value={segment.value}
            checked={segment.value === props.value}
            disabled={segment.isDisabled}
            aria-label={segment.label}
            onChange={() => props.onValueChange(segment.value)}
            className="focus-inset absolute inset-0 cursor-pointer appearance-none rounded-[6px] disabled:cursor-not-allowed"
          />
          <span aria-hidden="true" className="pointer-events-none max-w-44 truncate">
            {segment.icon ?? segment.label}
          </span>
        </span>
      ))}
    </div>
  );
}
