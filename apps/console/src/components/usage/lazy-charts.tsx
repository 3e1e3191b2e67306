import type { TimeBarsProps } from "@turnpike/ui/charts/time-bars";
import type { TimeLinesProps } from "@turnpike/ui/charts/time-lines";
import { Skeleton } from "@turnpike/ui/skeleton";
import { lazy, Suspense } from "react";

const TimeBars = lazy(async () => ({
  default: (await import("@turnpike/ui/charts/time-bars")).TimeBars,
}));
const TimeLines = lazy(async () => ({
  default: (await import("@turnpike/ui/charts/time-lines")).TimeLines,
}));

/** The box of a chart over time: legend, plot and caption. */
export function ChartSkeleton() {
  return (
    <div>
      <div className="mb-2 flex h-6 items-center gap-4">
        <Skeleton className="h-3 w-24" />
        <Skeleton className="h-3 w-20" />
      </div>
      <Skeleton className="h-[260px] w-full rounded-control opacity-50" />
      <div className="mt-1 h-[1.125rem]" />
    </div>
  );
}

/** Stacked bars, loaded when they are first drawn. */
export function LazyTimeBars(props: TimeBarsProps) {
  return (
    <Suspense fallback={<ChartSkeleton />}>
      <TimeBars {...props} />
    </Suspense>
  );
}

/** Lines, loaded when they are first drawn. */
export function LazyTimeLines(props: TimeLinesProps) {
  return (
    <Suspense fallback={<ChartSkeleton />}>
      <TimeLines {...props} />
    </Suspense>
  );
}
