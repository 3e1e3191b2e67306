/** Rejections of one sender stored per minute, by this process. The list shows few more, and the database is not a log. */
const A_MINUTE_MAX = 1_000;
const MINUTE_MS = 60_000;

export type RejectionLimit = {
  /**
   * Counts rejections of a sender.
   *
   * @param nowMs - By a clock that never goes back.
   * @returns How many of them may be stored.
   */
  take(sender: string, count: number, nowMs: number): number;
};

/** Bounds what is stored of requests that are wrong again and again, which cost their sender next to nothing. */
export function createRejectionLimit(): RejectionLimit {
  let minute = Number.NaN;
  const kept = new Map<string, number>();

  return {
    take: (sender, count, nowMs) => {
      const current = Math.floor(nowMs / MINUTE_MS);
      if (current !== minute) {
        minute = current;
        kept.clear();
      }
      const before = kept.get(sender) ?? 0;
      const taken = Math.min(count, A_MINUTE_MAX - before);
      kept.set(sender, before + taken);
      return taken;
    },
  };
}
