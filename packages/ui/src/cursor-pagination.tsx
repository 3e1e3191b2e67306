import ChevronLeft from "lucide-react/icons/chevron-left";
import ChevronRight from "lucide-react/icons/chevron-right";
import type { ReactNode } from "react";
import { Button } from "./button.tsx";

export type CursorPaginationProps = {
  /** What is shown: "50 keys", "Page 2". */
  summary: ReactNode;
  /** Left out on the first page. */
  onPrevious?: (() => void) | undefined;
  /** Left out on the last page. */
  onNext?: (() => void) | undefined;
};

/** Pages of a list that knows only what comes next. */
export function CursorPagination({ summary, onPrevious, onNext }: CursorPaginationProps) {
  return (
    <nav aria-label="Pages" className="flex items-center justify-between gap-3">
      <p role="status" className="min-w-0 text-ink-muted text-xs tabular-nums">
        {summary}
      </p>
      <div className="flex shrink-0 gap-2">
        <Button size="small" disabled={onPrevious === undefined} onClick={onPrevious}>
          <ChevronLeft className="size-3.5" aria-hidden="true" />
          Previous
        </Button>
        <Button size="small" disabled={onNext === undefined} onClick={onNext}>
          Next
          <ChevronRight className="size-3.5" aria-hidden="true" />
        </Button>
      </div>
    </nav>
  );
}
