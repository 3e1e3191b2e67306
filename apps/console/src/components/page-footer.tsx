import { t } from "@lingui/core/macro";
import { CursorPagination } from "@turnpike/ui/cursor-pagination";
import { formatCount } from "#platform/format.ts";
import type { CursorTrail } from "./use-cursor-trail.ts";

export type PageFooterProps = {
  trail: CursorTrail;
  /** Rows of this page; undefined while they load. */
  count: number | undefined;
  /** What one row is, and what several are. */
  noun: readonly [one: string, several: string];
};

/** How many rows there are, with the way to the other pages where there are any. */
export function PageFooter({ trail, count, noun: [one, several] }: PageFooterProps) {
  const text = count === undefined ? "" : `${formatCount(count)} ${count === 1 ? one : several}`;
  return trail.onPrevious === undefined && trail.onNext === undefined ? (
    <p className="py-1 text-ink-muted text-xs tabular-nums">{text}</p>
  ) : (
    <CursorPagination {...trail} summary={t`${text} on this page`} />
  );
}
