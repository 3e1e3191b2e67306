import { judgeShare } from "./fair-share.ts";

/** Places for calls at once. A call holds one of each limit that applies to it until it is over. */
export type CallPlaces = {
  /** Held at once by all processes, 1 or more. */
  limit: number;
  /**
   * Set for one of several senders that share the places before these in a call: the largest part of those, in percent, that
   * it may hold while no other holds any; see `judgeShare`.
   */
  sharePercent?: number | undefined;
};

export type HeldPlaces = CallPlaces & {
  /** Held by all processes. */
  held: number;
  /** Held by the process that asks. */
  own: number;
  /** What this process may hold of them while the others cannot be asked; see {@link placesAlone}. Left out: any number. */
  ownMax?: number | undefined;
};

/**
 * Decides whether a call gets a place of each of its limits.
 *
 * @param cost - Places to take of each, 0 or more; 0 takes none.
 * @returns The index of the first that has none left, or undefined when the call gets them all.
 */
export function findFullPlaces(all: readonly HeldPlaces[], cost: number): number | undefined {
  if (cost === 0) {
    return undefined;
  }
  const index = all.findIndex(({ limit, held, own, ownMax = limit, sharePercent }, at) => {
    const isFull = held + cost > limit || own + cost > ownMax;
    const before = sharePercent === undefined ? undefined : all[at - 1];
    return (
      isFull ||
      (before !== undefined &&
        judgeShare({
          whole: before.limit,
          taken: before.held,
          own: held,
          asked: cost,
          sharePercent,
        }) === "over-share")
    );
  });
  return index === -1 ? undefined : index;
}

/** The part of a limit that falls to one of several processes: together they have all of it, to the last call. */
export function shareOfLimit(
  limit: number,
  { place, count }: { place: number; count: number },
): number {
  return Math.floor(limit / count) + (place < limit % count ? 1 : 0);
}

/**
 * How many places a process may hold while the others cannot be asked: its share. Where one of them was last heard to hold more
 * than its share, each keeps what it held, and what was free is shared. What all of them hold is never more than the limit.
 *
 * @param input.place - Of this process in the order of all, from 0.
 * @param input.known - What this process and all others held, where one held more than its share.
 */
export function placesAlone(input: {
  limit: number;
  place: number;
  count: number;
  known: { own: number; all: number } | undefined;
}): number {
  const { limit, known } = input;
  return known === undefined
    ? shareOfLimit(limit, input)
    : known.own + shareOfLimit(Math.max(0, limit - known.all), input);
}
