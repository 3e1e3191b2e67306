/** Rows above and below what is seen that are drawn too, so that scrolling by keys and wheel shows no hole. */
const OVERSCAN = 8;

export type VirtualWindow = {
  /** Places of the rows that are drawn, half-open. */
  from: number;
  to: number;
  /** Of all rows, in pixels. */
  heightPx: number;
};

/**
 * Decides which rows of equal height are drawn: those in sight and a few around them.
 *
 * @param input.scrollTopPx - How far it is scrolled; browsers report it beyond both ends while they bounce.
 * @param input.viewportPx - Height of what is in sight; 0 while that is not known.
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
