import { judgeShare } from "../limits/fair-share.ts";

export type PermitDemand = {
  /** Permits of the pool, in use or free. */
  permits: number;
  /** In use by each owner. */
  held: ReadonlyMap<string, number>;
  /** How many more each owner could use now. Among equals, the first goes first. */
  waiting: ReadonlyMap<string, number>;
};

/** The owner with the fewest permits, the first of several. */
function findFewest(
  owners: Iterable<string>,
  inUse: ReadonlyMap<string, number>,
): string | undefined {
  let fewest: string | undefined;
  for (const owner of owners) {
    if (fewest === undefined || (inUse.get(owner) ?? 0) < (inUse.get(fewest) ?? 0)) {
      fewest = owner;
    }
  }
  return fewest;
}

/**
 * Allots the free permits of a pool one at a time, each to the owner with the fewest that still has work waiting. An owner gets no
 * more than stays free for all others, so one alone gets half of the pool and a newcomer always finds a permit, until there are as
 * many owners as permits.
 *
 * Example: of 32 permits, one owner with 100 waiting gets 16; a second one then gets 8, and a third 4.
 *
 * @returns The permits of each owner that gets any.
 */
export function allotPermits({ permits, held, waiting }: PermitDemand): Map<string, number> {
  const inUse = new Map(held);
  const allotted = new Map<string, number>();
  const unmet = new Map([...waiting].filter(([, count]) => count > 0));
  let taken = [...held.values()].reduce((sum, count) => sum + count, 0);
  for (;;) {
    const owner = findFewest(unmet.keys(), inUse);
    const own = owner === undefined ? 0 : (inUse.get(owner) ?? 0);
    // If the owner with the fewest may take no more, the others may not either.
    if (owner === undefined || judgeShare({ whole: permits, taken, own, asked: 1 }) !== "fits") {
      return allotted;
    }
    taken += 1;
    inUse.set(owner, own + 1);
    allotted.set(owner, (allotted.get(owner) ?? 0) + 1);
    const left = (unmet.get(owner) ?? 0) - 1;
    if (left > 0) {
      unmet.set(owner, left);
    } else {
      unmet.delete(owner);
    }
  }
}
