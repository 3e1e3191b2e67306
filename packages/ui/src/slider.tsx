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

/** Width of the thumb; the browser keeps the whole of it on the track. */
const THUMB_PX = 20;

/** A value to drag, or to move by arrow keys, Page Up, Page Down, Home and End: the browser's own range. */
export function Slider(props: SliderProps) {
  const id = useId();
  const { min = 0, max, value } = props;
  const share = max === min ? 0 : (value - min) / (max - min);
  return (
    <div className="relative flex h-9 items-center touch:h-11">
      <label htmlFor={id} className="sr-only">
        {props.label}
      </label>
      <svg
        aria-hidden="true"
        className="absolute inset-x-0 h-2 w-full overflow-hidden rounded-full border border-line-control bg-sunken"
      >
        <rect
          width={`calc(${(share * 100).toFixed(2)}% + ${((0.5 - share) * THUMB_PX).toFixed(1)}px)`}
          height="100%"
          className="fill-accent"
        />
      </svg>
      <input
        id={id}
        type="range"
        min={min}
        max={max}
        value={value}
        aria-valuetext={props.valueText}
        onChange={(event) => props.onValueChange(Number(event.currentTarget.value))}
        className="relative h-full w-full cursor-pointer appearance-none rounded-control bg-transparent [&::-moz-range-thumb]:size-5 [&::-moz-range-thumb]:rounded-full [&::-moz-range-thumb]:border-2 [&::-moz-range-thumb]:border-ink [&::-moz-range-thumb]:bg-surface [&::-webkit-slider-thumb]:size-5 [&::-webkit-slider-thumb]:appearance-none [&::-webkit-slider-thumb]:rounded-full [&::-webkit-slider-thumb]:border-2 [&::-webkit-slider-thumb]:border-ink [&::-webkit-slider-thumb]:border-solid [&::-webkit-slider-thumb]:bg-surface"
      />
    </div>
  );
}
