import { Progress } from "@base-ui/react/progress";

export type ProgressBarProps = {
  /** What goes on: "Importing keys". */
  label: string;
  /** Steps done and in total; undefined while unknown. */
  progress: { done: number; total: number } | undefined;
  /** The same in words: "1,200 of 10,000 lines". */
  text: string;
};

/** How far long work has come. */
export function ProgressBar({ label, progress, text }: ProgressBarProps) {
  const value =
    progress === undefined || progress.total === 0
      ? null
      : Math.min(100, (progress.done / progress.total) * 100);
  return (
    <Progress.Root value={value} aria-valuetext={text} className="space-y-1.5">
      <div className="flex items-baseline justify-between gap-3">
        <Progress.Label className="font-medium">{label}</Progress.Label>
        <span aria-hidden="true" className="text-ink-muted text-xs tabular-nums">
          {text}
        </span>
      </div>
      <Progress.Track className="block h-2 overflow-hidden rounded-full border border-line bg-sunken">
        <Progress.Indicator className="block h-full bg-accent transition-[width] duration-150 ease-out data-indeterminate:w-1/3 motion-safe:data-indeterminate:animate-pulse" />
      </Progress.Track>
    </Progress.Root>
  );
}
