import { useState } from "react";

export type CursorTrail = {
  /** Undefined on the first page. */
  onPrevious: (() => void) | undefined;
  /** Undefined on the last page. */
  onNext: (() => void) | undefined;
};

/**
 * Leads through a list that knows only what comes next, with the page in the address. What was passed on the way is
 * remembered; on a page that a link led to, back is the first one.
 */
export function useCursorTrail(input: {
  cursor: string | undefined;
  /** Null on the last page, undefined while it is not known. */
  nextCursor: string | null | undefined;
  onCursorChange: (cursor: string | undefined) => void;
}): CursorTrail {
  const { cursor, nextCursor, onCursorChange } = input;
  const [before, setBefore] = useState<ReadonlyMap<string, string | undefined>>(new Map());
  return {
    onPrevious: cursor === undefined ? undefined : () => onCursorChange(before.get(cursor)),
    onNext:
      nextCursor === null || nextCursor === undefined
        ? undefined
        : () => {
            setBefore(new Map(before).set(nextCursor, cursor));
            onCursorChange(nextCursor);
          },
  };
}
