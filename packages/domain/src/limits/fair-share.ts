/** What several senders have in hand of something that is bounded as a whole. */
export type ShareView = {
  /** What there is, such as bytes of memory. */
  whole: number;
  /** In hand of all senders, and of the one that asks for more. */
  taken: number;
  own: number;
  /** What it asks for, more than 0. */
  asked: number;
};

/**
 * Decides whether a sender may take more: as long as it has no more in hand than is free for everybody else afterwards. So one
 * that floods gets half of the whole, two get a third each, and as much as each of them has is always left for who comes next.
 * Whoever has nothing in hand is only refused when there is no room at all.
 *
 * @returns `over-share` when the sender has to wait for itself, `full` when all have to wait.
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
