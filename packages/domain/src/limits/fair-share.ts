/** How much several senders use of a bounded resource. */
export type ShareView = {
  /** The whole resource, such as bytes of memory. */
  whole: number;
  /** Used by all senders, and by the one that asks for more. */
  taken: number;
  own: number;
  /** What it asks for, more than 0. */
  asked: number;
};

/**
 * Decides whether a sender may take more: it may as long as it uses no more than stays free for all others. So one sender that
 * floods gets half of the whole, two get a third each, and as much as each of them uses always stays free for the next one. A
 * sender that uses nothing is refused only when there is no room at all.
 *
 * @returns `over-share` when the sender must wait for its own requests, `full` when all must wait.
 */
export function judgeShare({
  whole,
  taken,
  own,
  asked,
}: ShareView): "fits" | "over-share" | "full" {
  const freeAfter = whole - taken - asked;
  if (own > 0 && own + asked > freeAfter) {
    return "over-share";
  }
  return freeAfter < 0 ? "full" : "fits";
}
