import { LANGUAGE } from "@turnpike/ui/language";

const COUNT = new Intl.NumberFormat(LANGUAGE);
const DECIMAL_SEPARATOR =
  COUNT.formatToParts(0.5).find(({ type }) => type === "decimal")?.value ?? ".";
const PERCENT = new Intl.NumberFormat(LANGUAGE, {
  style: "percent",
  minimumFractionDigits: 1,
  maximumFractionDigits: 1,
});
const WHOLE_PERCENT = new Intl.NumberFormat(LANGUAGE, {
  style: "percent",
  signDisplay: "negative",
});
const INSTANT = new Intl.DateTimeFormat(LANGUAGE, { dateStyle: "medium", timeStyle: "short" });
const DAY_UTC = new Intl.DateTimeFormat(LANGUAGE, {
  day: "numeric",
  month: "short",
  timeZone: "UTC",
});

/**
 * Writes a whole quantity with separators: "50,000".
 *
 * @param quantity - A number, or an exact decimal of any length, whose fraction is kept.
 */
export function formatCount(quantity: number | string): string {
  if (typeof quantity === "number") {
    return COUNT.format(quantity);
  }
  const [whole = "0", fraction] = quantity.split(".");
  const grouped = COUNT.format(BigInt(whole));
  return fraction === undefined || /^0*$/.test(fraction)
    ? grouped
    : `${grouped}${DECIMAL_SEPARATOR}${fraction}`;
}

/** Writes a share as a whole percentage: "80%"; what moved the other way has a minus sign. */
export function formatPercent(share: number): string {
  return WHOLE_PERCENT.format(share);
}

/** Below it a share would be written as nothing, or as twice of what it is. */
const SHARE_MIN = 0.001;

/** Writes a share of 0 to 1 as a percentage with one decimal: "12.5%"; what is nearly nothing as "< 0.1%". */
export function formatShare(share: number): string {
  if (share > 0 && share < SHARE_MIN) {
    return `< ${PERCENT.format(SHARE_MIN)}`;
  }
  return PERCENT.format(share);
}

/** Writes an instant in the reader's own time: "Nov 21, 2026, 1:40 PM". */
export function formatInstant(iso: string): string {
  return INSTANT.format(new Date(iso));
}

/** Writes the day of an instant in UTC, as billing periods are cut: "Dec 1". */
export function formatDayUtc(iso: string): string {
  return DAY_UTC.format(new Date(iso));
}
