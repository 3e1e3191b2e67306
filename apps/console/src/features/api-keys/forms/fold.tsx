import ChevronRight from "lucide-react/icons/chevron-right";
import { type ReactNode, useState } from "react";

export type FoldProps = {
  title: string;
  /** What stands inside, in a few words: "From anywhere", "2 networks". */
  state: string;
  /** Something inside is wrong: it cannot stay out of sight. */
  hasError: boolean;
  /** Counts up each time it is said what is wrong: a fold that was closed since then opens again. */
  attempts: number;
  /** Open from the start, for what is in use already. */
  isInUse: boolean;
  children: ReactNode;
};

/** A part of a form that most keys do without: one line until it is opened. */
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
