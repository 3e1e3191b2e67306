export type SlotRules<Fact, Sum> = {
  /** Whose the fact is, such as an API key: somebody who has nearly always one sum at a time. */
  ownerOf(fact: Fact): string;
  /** True when a fact belongs to a sum of its owner. */
  isOf(sum: Sum, fact: Fact): boolean;
  /** Tells the sums of one owner apart; the same for a fact and for the sum that it belongs to. */
  nameOf(of: Fact | Sum): string;
  /** The sum of nothing yet, for the first fact that belongs to it. */
  start(fact: Fact): Sum;
};

type OwnerSums<Sum> = { last: Sum; byName: Map<string, Sum> | undefined };

/**
 * Finds the sum that a fact belongs to, or starts one: by its owner, then by comparing with the sum that the owner was found by
 * last, and only when that is another one by a name. Putting a name together for every call is dearer than all the rest of
 * counting it.
 */
export class SlotBook<Fact, Sum> {
  /** In the order in which they were started. */
  readonly sums: Sum[] = [];
  readonly #rules: SlotRules<Fact, Sum>;
  readonly #owners = new Map<string, OwnerSums<Sum>>();

  constructor(rules: SlotRules<Fact, Sum>) {
    this.#rules = rules;
  }

  find(fact: Fact): Sum {
    const owner = this.#rules.ownerOf(fact);
    const known = this.#owners.get(owner);
    if (known === undefined) {
      const sum = this.#start(fact);
      this.#owners.set(owner, { last: sum, byName: undefined });
      return sum;
    }
    if (!this.#rules.isOf(known.last, fact)) {
      known.byName ??= new Map([[this.#rules.nameOf(known.last), known.last]]);
      const name = this.#rules.nameOf(fact);
      let sum = known.byName.get(name);
      if (sum === undefined) {
        sum = this.#start(fact);
        known.byName.set(name, sum);
      }
      known.last = sum;
    }
    return known.last;
  }

  #start(fact: Fact): Sum {
    const sum = this.#rules.start(fact);
    this.sums.push(sum);
    return sum;
  }
}
