import { t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import ChevronLeft from "lucide-react/icons/chevron-left";
import ChevronRight from "lucide-react/icons/chevron-right";
import type { ReactNode } from "react";
import { toButtonClasses } from "./button.tsx";
import { joinClasses } from "./join-classes.tsx";

export type CursorPaginationProps = {
  /** What is shown: "50 keys", "Page 2". */
  summary: ReactNode;
  /** Where back leads to; "Previous" when left out. */
  previous?: string;
  /** Left out on the first page. */
  onPrevious?: (() => void) | undefined;
  /** Left out on the last page. */
  onNext?: (() => void) | undefined;
};

/** Pages of a list that knows only what comes next. */
export function CursorPagination({
  summary,
  previous = t`Previous`,
  onPrevious,
  onNext,
}: CursorPaginationProps) {
  return (
    <nav aria-label={t`Pages`} className="flex items-center justify-between gap-3">
      <p role="status" className="min-w-0 text-ink-muted text-xs tabular-nums">
        {summary}
      </p>
      <div className="flex shrink-0 gap-2">
        <TurnButton onTurn={onPrevious}>
          <ChevronLeft className="size-3.5" aria-hidden="true" />
          {previous}
        </TurnButton>
        <TurnButton onTurn={onNext}>
          <Trans>Next</Trans>
          <ChevronRight className="size-3.5" aria-hidden="true" />
        </TurnButton>
      </div>
    </nav>
  );
}

type TurnButtonProps = { onTurn: (() => void) | undefined; children: ReactNode };

/** Where there is no page it does nothing, but keeps the focus of who got there by it. */
function TurnButton({ onTurn, children }: TurnButtonProps) {
  return (
    <button
      type="button"
      aria-disabled={onTurn === undefined}
      onClick={(event) => {
        if (onTurn !== undefined) {
          onTurn();
          showTop(event.currentTarget);
        }
      }}
      className={joinClasses(
        toButtonClasses("secondary", "small"),
        onTurn === undefined && "cursor-not-allowed! opacity-50",
      )}
    >
      {children}
    </button>
  );
}

/** A page is read from its first row. */
function showTop(button: HTMLElement): void {
  const list = button.closest("[data-list]");
  if (list !== null && list.getBoundingClientRect().top < 0) {
    list.scrollIntoView({ block: "start" });
  }
}
