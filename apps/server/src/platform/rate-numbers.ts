import type { RateAnswer, RateGroup } from "./rate-store.ts";

/** A group as the stores outside this process read it: names, each once, and numbers. */
export type RateNumbers = {
  names: string[];
  places: string[];
  /**
   * The count of places that are given back, and of each the place of its name from 1 and how many. Then for each request: calls,
   * 0 or, if they have passed already, 1 and `besideMs` more, the number of its buckets, and of each bucket the place of its name, milliseconds between two calls,
   * and milliseconds of the window; the number of its places for calls at once, and of each the place of its name, the limit, what
   * this process may hold of them while others may decide alone, and the sender's share in percent or 0.
   */
  numbers: number[];
};

class Names {
  readonly #places = new Map<string, number>();

  placeOf(name: string): number {
    const known = this.#places.get(name);
    if (known !== undefined) {
      return known;
    }
    const place = this.#places.size + 1;
    this.#places.set(name, place);
    return place;
  }

  list(): string[] {
    return [...this.#places.keys()];
  }
}

export function toRateNumbers({ requests, returned }: RateGroup): RateNumbers {
  const names = new Names();
  const places = new Names();
  const numbers: number[] = [returned.size];
  for (const [name, count] of returned) {
    numbers.push(places.placeOf(name), count);
  }
  for (const { buckets, cost, passed, places: asked = [] } of requests) {
    numbers.push(cost, passed === undefined ? 0 : 1 + passed.besideMs, buckets.length);
    for (const { name, rateLimit } of buckets) {
      const windowMs = rateLimit.windowSeconds * 1_000;
      numbers.push(names.placeOf(name), windowMs / rateLimit.limit, windowMs);
    }
    numbers.push(asked.length);
    for (const { name, limit, ownMax = limit, sharePercent = 0 } of asked) {
      numbers.push(places.placeOf(name), limit, ownMax, sharePercent);
    }
  }
  return { names: names.list(), places: places.list(), numbers };
}

/**
 * Reads their answer: for each request 1 if it was taken, 0 if a bucket refused it, -1 if its first place did, and so on; then the
 * level of each of its buckets, and how many are held of each of its places.
 *
 * @throws {RangeError} for an answer to other requests.
 */
export function fromRateNumbers(
  { requests }: Pick<RateGroup, "requests">,
  numbers: ArrayLike<number>,
): RateAnswer[] {
  let at = 0;
  const take = (): number => {
    const number = numbers[at];
    at += 1;
    if (number === undefined || Number.isNaN(number)) {
      throw new RangeError("The store of rate limits answered too little.");
    }
    return number;
  };
  const answers = requests.map(({ buckets, places = [] }): RateAnswer => {
    const verdict = take();
    return {
      isTaken: verdict === 1,
      fullPlace: verdict < 0 ? -1 - verdict : undefined,
      levelsMs: buckets.map(take),
      held: places.map(take),
    };
  });
  if (at !== numbers.length) {
    throw new RangeError("The store of rate limits answered too much.");
  }
  return answers;
}
