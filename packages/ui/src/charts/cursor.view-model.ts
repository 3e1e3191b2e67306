/** Where the reader is in a chart, and where a selection began. Indexes of buckets; undefined is nowhere. */
export type Cursor = { index: number | undefined; anchor: number | undefined };

export type CursorKey = {
  key: string;
  shiftKey: boolean;
};

/** What a key does: a new cursor, or buckets chosen (both inclusive). Undefined leaves the key to the page. */
export type CursorStep =
  | { kind: "move"; cursor: Cursor }
  | { kind: "select"; fromIndex: number; toIndex: number };

export const NO_CURSOR: Cursor = { index: undefined, anchor: undefined };

/** Buckets that Page Up and Page Down pass: about a tenth of a chart. */
const PAGE_SHARE = 0.1;

/**
 * Says what a key does in a chart: arrows, Page Up and Down, Home and End move; with Shift they select; Enter takes the
 * selection, or the one bucket; Escape gives the selection up, then the place.
 *
 * @param count - Number of buckets. With none no key does anything.
 */
export function stepCursor(
  cursor: Cursor,
  pressed: CursorKey,
  count: number,
): CursorStep | undefined {
  if (count === 0) {
    return undefined;
  }
  if (pressed.key === "Enter") {
    const { index, anchor = index } = cursor;
    return index === undefined || anchor === undefined
      ? undefined
      : { kind: "select", fromIndex: Math.min(index, anchor), toIndex: Math.max(index, anchor) };
  }
  if (pressed.key === "Escape") {
    const isNowhere = cursor.index === undefined && cursor.anchor === undefined;
    return isNowhere
      ? undefined
      : {
          kind: "move",
          cursor: cursor.anchor === undefined ? NO_CURSOR : { ...cursor, anchor: undefined },
        };
  }
  const target = findTarget(cursor.index, pressed.key, count);
  if (target === undefined) {
    return undefined;
  }
  const index = Math.min(count - 1, Math.max(0, target));
  const anchor = pressed.shiftKey ? (cursor.anchor ?? cursor.index ?? index) : undefined;
  return { kind: "move", cursor: { index, anchor } };
}

function findTarget(index: number | undefined, key: string, count: number): number | undefined {
  const page = Math.max(1, Math.round(count * PAGE_SHARE));
  switch (key) {
    case "ArrowRight":
      return index === undefined ? 0 : index + 1;
    case "ArrowLeft":
      return index === undefined ? count - 1 : index - 1;
    case "PageDown":
      return (index ?? -page) + page;
    case "PageUp":
      return (index ?? count - 1 + page) - page;
    case "Home":
      return 0;
    case "End":
      return count - 1;
    default:
      return undefined;
  }
}

/** A cursor for a chart that now has `count` buckets: what is gone is left. */
export function clampCursor(cursor: Cursor, count: number): Cursor {
  const clamp = (index: number | undefined) =>
    index === undefined || count === 0 ? undefined : Math.min(index, count - 1);
  return { index: clamp(cursor.index), anchor: clamp(cursor.anchor) };
}
