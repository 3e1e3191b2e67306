/** Rows drawn above and below the visible ones, so that scrolling shows no gap. */
const OVERSCAN = 8;

export type VirtualWindow = {
  /** Indexes of the drawn rows, half-open. */
  from: number;
  to: number;
  /** Of all rows, in pixels. */
  heightPx: number;
};

/**
 * Decides which rows of equal height are drawn: the visible ones and a few around them.
 *
 * @param input.scrollTopPx - The scroll position; browsers report values beyond both ends while they bounce.
 * @param input.viewportPx - Height of the visible area; 0 until it is known.
 */
export function toVirtualWindow(input: {
  count: number;
  rowPx: number;
  scrollTopPx: number;
  viewportPx: number;
}): VirtualWindow {
  const { count, rowPx, viewportPx } = input;
  const heightPx = count * rowPx;
  const topPx = Math.min(Math.max(0, input.scrollTopPx), Math.max(0, heightPx - viewportPx));
  const first = Math.floor(topPx / rowPx);
  const last = Math.ceil((topPx + viewportPx) / rowPx);
  return {
    from: Math.max(0, Math.min(count, first - OVERSCAN)),
    to: Math.min(count, last + OVERSCAN),
    heightPx,
  };
}
