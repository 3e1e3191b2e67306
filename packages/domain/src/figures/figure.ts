/** A number as it is written, without its sign: `digits / 10^decimals`. */
export type Figure = { digits: bigint; decimals: number };

/** @param text - Digits with at most one dot, such as `1234.50`. */
export function toFigure(text: string): Figure {
  const [whole = "", rest = ""] = text.split(".");
  return { digits: BigInt(whole + rest), decimals: rest.length };
}

function countDigits(digits: bigint): number {
  return digits === 0n ? 1 : digits.toString().length;
}

/**
 * True when `written` is `known`, times ten to the power of `shift`, exactly or rounded half up to the decimals that are written. What
 * is rounded keeps two digits or more: "0 errors" does not stand for 0.4.
 */
export function isWrittenAs(written: Figure, known: Figure, shift = 0): boolean {
  const decimals = known.decimals - shift;
  if (decimals <= written.decimals) {
    return written.digits === known.digits * 10n ** BigInt(written.decimals - decimals);
  }
  const unit = 10n ** BigInt(decimals - written.decimals);
  const isExact = known.digits % unit === 0n;
  const rounded = (known.digits + unit / 2n) / unit;
  return written.digits === rounded && (isExact || countDigits(rounded) > 1);
}
