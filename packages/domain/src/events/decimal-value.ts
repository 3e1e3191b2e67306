/** No value of an event is larger, in either direction: sums of a year stay far from what overflows. */
export const VALUE_MAX = 1e15;
/** Digits after the point that are kept. */
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
 * Reads a number of JSON, or a text with a decimal, which keeps more digits than a number of JSON can.
 *
 * @returns An exact decimal with at most {@link VALUE_DIGITS} digits after the point (further ones are cut off); `undefined`
 *   for what is no number, and beyond {@link VALUE_MAX}.
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

/** A decimal of {@link toDecimalValue} as a whole number of its last kept digit, so that sums are exact. */
export function toScaled(decimal: string): bigint {
  const isNegative = decimal.startsWith("-");
  const [whole = "0", fraction = ""] = decimal.slice(isNegative ? 1 : 0).split(".");
  const scaled = BigInt(whole) * SCALE + BigInt(fraction.padEnd(VALUE_DIGITS, "0"));
  return isNegative ? -scaled : scaled;
}

/** The decimal of a number of {@link toScaled}. */
export function fromScaled(scaled: bigint): string {
  const digits = (scaled < 0n ? -scaled : scaled).toString().padStart(VALUE_DIGITS + 1, "0");
  const point = digits.length - VALUE_DIGITS;
  const decimal = cutDigits(`${digits.slice(0, point)}.${digits.slice(point)}`);
  return scaled < 0n && decimal !== "0" ? `-${decimal}` : decimal;
}
