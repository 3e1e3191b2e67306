/** How many permits of each kind every thread holds: one row for each kind, one column for each thread. */
export type SharedPermitsMemory = { held: Int32Array<SharedArrayBuffer>; holders: number };

/** Permits of one kind, such as the calls under way to an upstream, of which all threads together have so many. */
export interface SharedPermits {
  /**
   * Takes a permit. Threads that ask for the last one at the same moment may both be refused; never do both get it.
   *
   * @returns False when all are taken.
   */
  tryTake(): boolean;
  giveBack(): void;
  /** Permits that all threads hold. */
  taken(): number;
}

/** @param holders - Threads, numbered from 1. */
export function createSharedPermitsMemory(kinds: number, holders: number): SharedPermitsMemory {
  return { held: new Int32Array(new SharedArrayBuffer(4 * kinds * holders)), holders };
}

/** Opens the permits of one kind for a thread. */
export function openSharedPermits(
  memory: SharedPermitsMemory,
  input: { kind: number; holder: number; max: number },
): SharedPermits {
  const { held, holders } = memory;
  const first = input.kind * holders;
  const own = first + input.holder - 1;

  function countAll(): number {
    let count = 0;
    for (let at = first; at < first + holders; at += 1) {
      count += Atomics.load(held, at);
    }
    return count;
  }

  return {
    tryTake() {
      Atomics.add(held, own, 1);
      if (countAll() <= input.max) {
        return true;
      }
      Atomics.sub(held, own, 1);
      return false;
    },
    giveBack() {
      Atomics.sub(held, own, 1);
    },
    taken: countAll,
  };
}

/** What a thread held is free again once it has ended. */
export function freePermitsOf(memory: SharedPermitsMemory, holder: number): void {
  for (let at = holder - 1; at < memory.held.length; at += memory.holders) {
    Atomics.store(memory.held, at, 0);
  }
}
