import ChevronRight from "lucide-react/icons/chevron-right";
import { type ReactNode, useState } from "react";

export type FoldProps = {
  title: string;
  /** A summary of the contents: "From anywhere", "2 networks". */
  state: string;
  /** True when the contents have an error, which must stay visible. */
  hasError: boolean;
  /** Counts the failed attempts: each one reopens a fold that was closed since. */
  attempts: number;
  /** Open from the start, for settings already in use. */
  isInUse: boolean;
  children: ReactNode;
};

/** A section of the form that most keys do not need: one line until it is opened. */
export function Fold({ title, state, hasError, attempts, isInUse, children }: FoldProps) {
  const [isOpen, setIsOpen] = useState(isInUse || hasError);
  const [seen, setSeen] = useState(attempts);
  if (attempts !== seen) {
    setSeen(attempts);
    setIsOpen(isOpen || hasError);
  }
  return (
    <details
      open={isOpen}
      onToggle={(event) => setIsOpen(event.currentTarget.open)}
      className="group border-line border-t first:border-t-0"
    >
      <summary className="focus-inset flex cursor-pointer list-none items-center gap-2 px-3 py-2.5 hover:bg-hover group-first:rounded-t-control group-last:rounded-b-control group-open:rounded-b-none touch:min-h-11 [&::-webkit-details-marker]:hidden">
        <ChevronRight
          aria-hidden="true"
          className="size-4 shrink-0 text-ink-faint transition-transform duration-150 group-open:rotate-90"
        />
        <span className="font-medium">{title}</span>
        <span className="ml-auto min-w-0 truncate text-ink-muted text-xs">{state}</span>
      </summary>
      <div className="px-3 pt-1 pb-4">{children}</div>
    </details>
  );
}
