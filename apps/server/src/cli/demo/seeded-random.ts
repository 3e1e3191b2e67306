import { createHash } from "node:crypto";

/** A source of numbers in `[0, 1)` that is the same for the same words. Not for secrets. */
export type SeededRandom = () => number;

/** Makes a source from words such as a seed, a tenant and an hour, so that any hour can be drawn without the ones before. */
export function seededRandom(...words: readonly (string | number)[]): SeededRandom {
  let state = createHash("sha256").update(words.join("|")).digest().readUInt32LE(0);
  // mulberry32: 32 bits of state are plenty for the few hundred numbers of an hour.
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Draws a whole number near `expected` as independent arrivals would give it: 0 or more, spread by its square root. */
export function drawCount(expected: number, random: SeededRandom): number {
  // Twelve uniform numbers add up to a bell of deviation 1 around 6, without the tails that a demo does not need.
  let bell = -6;
  for (let draw = 0; draw < 12; draw += 1) {
    bell += random();
  }
  const value = expected + Math.sqrt(Math.max(0, expected)) * bell;
  const whole = Math.floor(value);
  return Math.max(0, whole + (random() < value - whole ? 1 : 0));
}

/** Splits `total` by weights, at least one of them above 0. The parts are whole, 0 or more, and add up to `total`. */
export function splitByWeight(
  total: number,
  weights: readonly number[],
  random: SeededRandom,
): number[] {
  let left = total;
  let weightLeft = weights.reduce((sum, weight) => sum + weight, 0);
  return weights.map((weight) => {
    const isLast = weightLeft <= weight * (1 + 1e-9);
    const part = isLast ? left : Math.min(left, drawCount((left * weight) / weightLeft, random));
    left -= part;
    weightLeft -= weight;
    return part;
  });
}
