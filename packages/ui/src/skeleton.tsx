import { joinClasses } from "./join-classes.tsx";

/** The shape of what is loading. Purely visual: the region around it says that it is busy. */
export function Skeleton({ className }: { className?: string }) {
  return (
    <span
      aria-hidden="true"
      data-skeleton=""
      className={joinClasses("block motion-safe:animate-pulse rounded bg-line", className)}
    />
  );
}
