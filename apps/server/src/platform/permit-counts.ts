/** Counts permits by owner, such as the calls of each tenant under way. */
export interface PermitCounts {
  /**
   * Takes a permit for an owner.
   *
   * @param max - Permits that the owner may hold, this one included.
   * @returns False when it holds that many.
   */
  tryTake(owner: string, max: number): boolean;
  /** Returns a permit that this thread took for the owner. */
  giveBack(owner: string): void;
  /** Permits that the owner holds. */
  held(owner: string): number;
}

/** Counts in the memory of this thread alone. Owners without a permit take no memory. */
export function createPermitCounts(): PermitCounts {
  const counts = new Map<string, number>();
  return {
    tryTake(owner, max) {
      const held = counts.get(owner) ?? 0;
      if (held >= max) {
        return false;
      }
      counts.set(owner, held + 1);
      return true;
    },
    giveBack(owner) {
      const held = counts.get(owner) ?? 0;
      if (held > 1) {
        counts.set(owner, held - 1);
      } else {
        counts.delete(owner);
      }
    },
    held: (owner) => counts.get(owner) ?? 0,
  };
}
