/** The largest value of an event, positive or negative: even the sum of a year stays far from an overflow. */
export const VALUE_MAX = 1e15;
/** Digits kept after the point. */
export const VALUE_DIGITS = 12;

const DECIMAL = /^-?\d{1,16}(\.\d{1,40})?$/;

function cutDigits(decimal: string): string {
  const point = decimal.indexOf(".");
  if (point === -1) {
    return decimal;
  }
  const cut = decimal.slice(0, point + 1 + VALUE_DIGITS).replace(/\.?0+$/, "");
  return cut === "-0" ? "0" : cut;
}

/**
 * Reads a JSON number, or a text with a decimal, which can hold more digits than a JSON number.
 *
 * @returns An exact decimal with at most {@link VALUE_DIGITS} digits after the point (the rest is cut off); `undefined` if it is
 *   not a number or beyond {@link VALUE_MAX}.
 */
export function toDecimalValue(value: unknown): string | undefined {
  if (typeof value === "number") {
    if (!(Math.abs(value) <= VALUE_MAX)) {
      return;
    }
    const shortest = String(value);
    return cutDigits(shortest.includes("e") ? value.toFixed(VALUE_DIGITS + 8) : shortest);
  }
  if (typeof value !== "string" || !DECIMAL.test(value) || Math.abs(Number(value)) > VALUE_MAX) {
    return;
  }
  return cutDigits(value);
}

const SCALE = 10n ** BigInt(VALUE_DIGITS);

/** A decimal of {@link toDecimalValue} as a whole number of the last kept digit, so that sums are exact. */
export function toScaled(decimal: string): bigint {
  const isNegative = decimal.startsWith("-");
  const [whole = "0", fraction = ""] = decimal.slice(isNegative ? 1 : 0).split(".");
  const scaled = BigInt(whole) * SCALE + BigInt(fraction.padEnd(VALUE_DIGITS, "0"));
  return isNegative ? -scaled : scaled;
}

/** Turns a number of {@link toScaled} back into a decimal. */
export function fromScaled(scaled: bigint): string {
  const digits = (scaled < 0n ? -scaled : scaled).toString().padStart(VALUE_DIGITS + 1, "0");
  const point = digits.length - VALUE_DIGITS;
  const decimal = cutDigits(`${digits.slice(0, point)}.${digits.slice(point)}`);
  return scaled < 0n && decimal !== "0" ? `-${decimal}` : decimal;
}
