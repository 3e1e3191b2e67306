import { useId } from "react";

export type SliderProps = {
  /** Only read out: what is moved is said beside it. */
  label: string;
  /** The value in words: "12,000 requests". */
  valueText: string;
  value: number;
  min?: number;
  max: number;
  onValueChange: (value: number) => void;
};

/** A value to drag, or to move by arrow keys, Page Up, Page Down, Home and End: the browser's own range. */
export function Slider(props: SliderProps) {
  const id = useId();
  return (
    <>
      <label htmlFor={id} className="sr-only">
        {props.label}
      </label>
      <input
        id={id}
        type="range"
        min={props.min ?? 0}
        max={props.max}
        value={props.value}
        aria-valuetext={props.valueText}
        onChange={(event) => props.onValueChange(Number(event.currentTarget.value))}
        className="block h-9 w-full cursor-pointer rounded-control accent-chart-accent touch:h-11"
      />
    </>
  );
}
