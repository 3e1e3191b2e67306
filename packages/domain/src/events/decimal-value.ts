import { DECIMAL_DIGITS } from "../money/decimal.ts";

/** The largest value of an event, positive or negative: even the sum of a year stays far from an overflow. */
export const VALUE_MAX = 1e15;

const DECIMAL = /^-?\d{1,16}(\.\d{1,40})?$/;

function cutDigits(decimal: string): string {
  const point = decimal.indexOf(".");
  if (point === -1) {
    return decimal;
  }
  const cut = decimal.slice(0, point + 1 + DECIMAL_DIGITS).replace(/\.?0+$/, "");
  return cut === "-0" ? "0" : cut;
}

/**
 * Reads a JSON number, or a text with a decimal, which can hold more digits than a JSON number.
 *
 * @returns An exact decimal with at most {@link DECIMAL_DIGITS} digits after the point (the rest is cut off); `undefined` if it is
 *   not a number or beyond {@link VALUE_MAX}.
 */
export function toDecimalValue(value: unknown): string | undefined {
  if (typeof value === "number") {
    if (!(Math.abs(value) <= VALUE_MAX)) {
      return;
    }
    const shortest = String(value);
    return cutDigits(shortest.includes("e") ? value.toFixed(DECIMAL_DIGITS + 8) : shortest);
  }
  if (typeof value !== "string" || !DECIMAL.test(value) || Math.abs(Number(value)) > VALUE_MAX) {
    return;
  }
  return cutDigits(value);
}
