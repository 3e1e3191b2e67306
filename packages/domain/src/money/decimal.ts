/** Digits after the point that exact decimals keep: prices, quantities and values of events. */
export const DECIMAL_DIGITS = 12;

/** One, as a scaled decimal: the number of picos in a major unit of money. */
export const SCALE: bigint = 10n ** BigInt(DECIMAL_DIGITS);

const DECIMAL = /^(-?)(\d{1,40})(?:\.(\d{1,60}))?$/;

export type DecimalFault = "not_a_decimal" | "too_precise";

/**
 * Reads a decimal such as `"49.90"` from unknown input. JSON numbers are refused: they cannot hold every decimal.
 *
 * @returns The value times 10^12, so that sums are exact; or why it cannot be used.
 */
export function parseDecimal(value: unknown): { scaled: bigint } | { fault: DecimalFault } {
  const [, , , fraction = ""] = (typeof value === "string" && DECIMAL.exec(value)) || [];
  if (typeof value !== "string" || !DECIMAL.test(value)) {
    return { fault: "not_a_decimal" };
  }
  return fraction.length > DECIMAL_DIGITS ? { fault: "too_precise" } : { scaled: toScaled(value) };
}

/** A decimal with at most 12 digits after the point as a whole number of the last digit, so that sums are exact. */
export function toScaled(decimal: string): bigint {
  const isNegative = decimal.startsWith("-");
  const [whole = "0", fraction = ""] = decimal.slice(isNegative ? 1 : 0).split(".");
  const scaled = BigInt(whole) * SCALE + BigInt(fraction.padEnd(DECIMAL_DIGITS, "0"));
  return isNegative ? -scaled : scaled;
}

/** Turns a number of {@link toScaled} back into a decimal without trailing zeros. */
export function fromScaled(scaled: bigint): string {
  return toDecimalText(scaled, DECIMAL_DIGITS);
}

/** Writes `value / 10^digits` as a decimal without trailing zeros. */
export function toDecimalText(value: bigint, digits: number): string {
  const text = toFixedText(value, digits);
  const decimal = text.includes(".") ? text.replace(/\.?0+$/, "") : text;
  return decimal === "-0" ? "0" : decimal;
}

/** Writes `value / 10^digits` with exactly that many digits after the point: `-5` with 2 digits gives `-0.05`. */
export function toFixedText(value: bigint, digits: number): string {
  const sign = value < 0n ? "-" : "";
  const text = (value < 0n ? -value : value).toString().padStart(digits + 1, "0");
  const point = text.length - digits;
  return digits === 0 ? `${sign}${text}` : `${sign}${text.slice(0, point)}.${text.slice(point)}`;
}
