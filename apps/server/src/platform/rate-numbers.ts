import type { RateAnswer, RateRequest } from "./rate-store.ts";

/** Requests as the stores outside this process read them: the names of the buckets, each once, and numbers. */
export type RateNumbers = {
  names: string[];
  /**
   * For each request: calls, 1 if they are forced or 0, the number of its buckets, and of each bucket the place of its name from
   * 1, milliseconds between two calls, and milliseconds of the window.
   */
  numbers: number[];
};

export function toRateNumbers(requests: readonly RateRequest[]): RateNumbers {
  const places = new Map<string, number>();
  const numbers: number[] = [];
  for (const { buckets, cost, isForced } of requests) {
    numbers.push(cost, isForced === true ? 1 : 0, buckets.length);
    for (const { name, rateLimit } of buckets) {
      let place = places.get(name);
      if (place === undefined) {
        place = places.size + 1;
        places.set(name, place);
      }
      const windowMs = rateLimit.windowSeconds * 1_000;
      numbers.push(place, windowMs / rateLimit.limit, windowMs);
    }
  }
  return { names: [...places.keys()], numbers };
}

/**
 * Reads their answer: for each request 1 or 0 for whether it was taken, then the level of each of its buckets.
 *
 * @throws {RangeError} for an answer to other requests.
 */
export function fromRateNumbers(
  requests: readonly RateRequest[],
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
  const answers = requests.map(({ buckets }): RateAnswer => {
    const isTaken = take() === 1;
    return { isTaken, levelsMs: buckets.map(take) };
  });
  if (at !== numbers.length) {
    throw new RangeError("The store of rate limits answered too much.");
  }
  return answers;
}
