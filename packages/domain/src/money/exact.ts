/** Pico-units of a currency's major unit: 1 USD = 1_000_000_000_000n. Exact, never a float. */
export type Picos = bigint;

/** An exact amount of money, `numerator / denominator` picos. It is divided only when a line is written. */
export type Exact = {
  readonly numerator: bigint;
  /** Above zero. */
  readonly denominator: bigint;
};

export const ZERO: Exact = { numerator: 0n, denominator: 1n };

export function toExact(picos: Picos): Exact {
  return { numerator: picos, denominator: 1n };
}

/** Multiplies by `numerator / denominator`; the denominator is above zero. */
export function timesShare(value: Exact, numerator: bigint, denominator: bigint): Exact {
  return {
    numerator: value.numerator * numerator,
    denominator: value.denominator * denominator,
  };
}

export function addExact(a: Exact, b: Exact): Exact {
  return a.denominator === b.denominator
    ? { numerator: a.numerator + b.numerator, denominator: a.denominator }
    : {
        numerator: a.numerator * b.denominator + b.numerator * a.denominator,
        denominator: a.denominator * b.denominator,
      };
}

/** @returns Below zero when `a` is less, above zero when it is more. */
export function compareExact(a: Exact, b: Exact): number {
  const left = a.numerator * b.denominator;
  const right = b.numerator * a.denominator;
  return left < right ? -1 : left > right ? 1 : 0;
}

export function maxExact(a: Exact, b: Exact): Exact {
  return compareExact(a, b) < 0 ? b : a;
}

export function minExact(a: Exact, b: Exact): Exact {
  return compareExact(a, b) > 0 ? b : a;
}

/**
 * Divides and rounds to a whole number, half away from zero: 5/2 gives 3, -5/2 gives -3.
 *
 * @param denominator - Above zero.
 */
export function divideHalfAway(numerator: bigint, denominator: bigint): bigint {
  const isNegative = numerator < 0n;
  const magnitude = isNegative ? -numerator : numerator;
  const rounded = (2n * magnitude + denominator) / (2n * denominator);
  return isNegative ? -rounded : rounded;
}
