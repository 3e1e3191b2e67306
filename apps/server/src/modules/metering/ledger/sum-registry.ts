export type SumRules<Fact, Sum> = {
  /** The owner of a fact, such as an API key. Nearly all facts of an owner in a row belong to one sum. */
  ownerOf(fact: Fact): string;
  /** True when a fact belongs to a sum of its owner. */
  isOf(sum: Sum, fact: Fact): boolean;
  /** Tells the sums of one owner apart: the same text for a sum and for each fact that belongs to it. */
  nameOf(of: Fact | Sum): string;
  /** Starts an empty sum for the first fact that belongs to it. */
  start(fact: Fact): Sum;
};

type OwnerSums<Sum> = { last: Sum; byName: Map<string, Sum> | undefined };

/**
 * Finds the sum that a fact belongs to, or starts one. Looks up the owner and compares the fact with the sum found last; only
 * when that is another sum does it build a name, because building one for every call costs more than the rest of counting it.
 */
export class SumRegistry<Fact, Sum> {
  /** In the order in which they were started. */
  readonly sums: Sum[] = [];
  readonly #rules: SumRules<Fact, Sum>;
  readonly #owners = new Map<string, OwnerSums<Sum>>();

  constructor(rules: SumRules<Fact, Sum>) {
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
