import { AppError } from "@turnpike/domain/errors/app-error";
import { type Currency, formatMinor, roundToMinor } from "@turnpike/domain/money/currency";
import { toScaled } from "@turnpike/domain/money/decimal";
import { toExact } from "@turnpike/domain/money/exact";

/**
 * Reads an amount that a person or a program names. It is never rounded: who pays 10.005 means something else.
 *
 * @param text - A decimal with at most 12 digits after the point.
 * @returns Minor units, above 0.
 * @throws {AppError} `INVALID_REQUEST` for 0 and for parts of the smallest amount.
 */
export function toMinorAmount(
  text: string,
  { currency, pointer }: { currency: Currency; pointer: string },
): bigint {
  const minor = roundToMinor(toExact(toScaled(text)), currency);
  if (minor === 0n || toScaled(formatMinor(minor, currency)) !== toScaled(text)) {
    const message = `Use whole amounts of at least ${formatMinor(1n, currency)} ${currency.code}.`;
    throw new AppError({
      code: "INVALID_REQUEST",
      publicMessage: `${pointer}: ${message}`,
      errors: [{ pointer, message }],
    });
  }
  return minor;
}
