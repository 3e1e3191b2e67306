import { type Currency, formatMinor, roundToMinor } from "@turnpike/domain/money/currency";
import { parseDecimal, toScaled } from "@turnpike/domain/money/decimal";
import { toExact } from "@turnpike/domain/money/exact";

/**
 * Writes an amount of a bank as a plain decimal: `1.234,56`, `1,234.56`, `1'234.56`, `12,00-` and `+12`. The last separator is the
 * decimal one, unless exactly three digits follow it: a currency without thousandths has none of them.
 *
 * @returns `undefined` for what is no amount.
 */
function toPlainDecimal(text: string, { digits }: Currency): string | undefined {
  const trimmed = text.replace(/[\s\u00a0\u202f'’]/g, "").replace(/\u2212/g, "-");
  const [, before = "", body = "", after = ""] = /^([+-]?)(\d[\d.,]*)([+-]?)$/.exec(trimmed) ?? [];
  if (body === "" || (before !== "" && after !== "")) {
    return;
  }
  const last = Math.max(body.lastIndexOf("."), body.lastIndexOf(","));
  const decimals = last < 0 ? "" : body.slice(last + 1);
  const separator = body.charAt(last);
  const isThousands =
    last >= 0 &&
    decimals.length === 3 &&
    digits !== 3 &&
    !body.slice(0, last).includes(separator === "." ? "," : ".");
  const whole = (isThousands || last < 0 ? body : body.slice(0, last)).replace(/[.,]/g, "");
  const sign = before === "-" || after === "-" ? "-" : "";
  return isThousands || decimals === "" ? `${sign}${whole}` : `${sign}${whole}.${decimals}`;
}

/**
 * Reads a plain decimal as an amount, never rounded.
 *
 * @returns Minor units; `undefined` for what is no amount of the currency, and for 0.
 */
export function parsePlainAmount(plain: string, currency: Currency): bigint | undefined {
  const parsed = parseDecimal(plain);
  if ("fault" in parsed) {
    return;
  }
  const minor = roundToMinor(toExact(parsed.scaled), currency);
  const isWhole = toScaled(formatMinor(minor, currency)) === parsed.scaled;
  return minor !== 0n && isWhole ? minor : undefined;
}

/** The same for an amount as banks write it. */
export function parseStatementAmount(text: string, currency: Currency): bigint | undefined {
  const plain = toPlainDecimal(text, currency);
  return plain === undefined ? undefined : parsePlainAmount(plain, currency);
}
