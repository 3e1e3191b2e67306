/** Groups that the ledger refused and that are remembered: calls that began in them may be under way for hours. */
const REFUSED_MAX = 1_000;

/** What to do with an item now: it may go on, it waits, or it never goes on. */
export type Admittance = "passed" | "held" | "refused";

/** Holds what belongs to groups of usage back until the ledger has the group, and keeps out what the ledger refuses. */
export class CommitGate<Item> {
  #settled = 0;
  /** By the number of the group, in the order in which they came. */
  readonly #held = new Map<number, Item[]>();
  readonly #refused = new Set<number>();
  #size = 0;

  /** How many items wait. */
  get size(): number {
    return this.#size;
  }

  /** @param group - Number of the group; an item is held when it is not settled yet. */
  add(group: number, item: Item): Admittance {
    if (group <= this.#settled) {
      return this.#refused.has(group) ? "refused" : "passed";
    }
    const ofGroup = this.#held.get(group);
    if (ofGroup === undefined) {
      this.#held.set(group, [item]);
    } else {
      ofGroup.push(item);
    }
    this.#size += 1;
    return "held";
  }

  /** Settles all groups up to a number. @returns What waited for them. */
  settle(upTo: number, isCommitted: boolean): Item[] {
    if (!isCommitted) {
      this.#refuse(upTo);
    }
    this.#settled = upTo;
    return this.#take((group) => group <= upTo);
  }

  /** Gives up on everything that waits. */
  clear(): Item[] {
    return this.#take(() => true);
  }

  #refuse(upTo: number): void {
    for (let group = this.#settled + 1; group <= upTo; group += 1) {
      this.#refused.add(group);
    }
    for (const group of this.#refused) {
      if (this.#refused.size <= REFUSED_MAX) {
        break;
      }
      this.#refused.delete(group);
    }
  }

  #take(isDue: (group: number) => boolean): Item[] {
    const taken: Item[] = [];
    for (const [group, items] of this.#held) {
      if (isDue(group)) {
        taken.push(...items);
        this.#held.delete(group);
      }
    }
    this.#size -= taken.length;
    return taken;
  }
}
