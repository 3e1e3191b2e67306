/** How much several senders use of a bounded resource. */
export type ShareView = {
  /** The whole resource, such as bytes of memory. */
  whole: number;
  /** Used by all senders, and by the one that asks for more. */
  taken: number;
  own: number;
  /** What it asks for, more than 0. */
  asked: number;
  /** The largest part of the whole that one sender may use while no other uses any, in percent, 1 to 100. Default 50. */
  sharePercent?: number | undefined;
};

/**
 * Decides whether a sender may take more: it may as long as it uses no more than stays free for all others. So one sender that
 * floods gets half of the whole, two get a third each, and as much as each of them uses always stays free for the next one. A
 * sender that uses nothing is refused only when there is no room at all.
 *
 * With another share the proportion changes: at 80 percent one sender gets four fifths of the whole, two get four ninths each;
 * at 100 percent nothing is kept free.
 *
 * @returns `over-share` when the sender must wait for its own requests, `full` when all must wait.
 */
export function judgeShare({
  whole,
  taken,
  own,
  asked,
  sharePercent = 50,
}: ShareView): "fits" | "over-share" | "full" {
  const freeAfter = whole - taken - asked;
  const isOverShare = (own + asked) * (100 - sharePercent) > freeAfter * sharePercent;
  if (own > 0 && sharePercent < 100 && isOverShare) {
    return "over-share";
  }
  return freeAfter < 0 ? "full" : "fits";
}
