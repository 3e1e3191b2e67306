import { t } from "@lingui/core/macro";
import { formatCompactCount } from "@turnpike/ui/format-compact";
import { LANGUAGE } from "@turnpike/ui/language";

const EXACT = new Intl.NumberFormat(LANGUAGE, { maximumFractionDigits: 12 });
const TENTH = new Intl.NumberFormat(LANGUAGE, { maximumFractionDigits: 1 });
const SHORT_PERCENT = new Intl.NumberFormat(LANGUAGE, {
  style: "percent",
  maximumFractionDigits: 2,
});
const LIST = new Intl.ListFormat(LANGUAGE);
const PERCENT = new Intl.NumberFormat(LANGUAGE, {
  style: "percent",
  minimumFractionDigits: 1,
  maximumFractionDigits: 1,
});
const HUNDREDTHS = new Intl.NumberFormat(LANGUAGE, {
  style: "percent",
  minimumFractionDigits: 2,
});
const SIGNED_PERCENT = new Intl.NumberFormat(LANGUAGE, {
  style: "percent",
  maximumFractionDigits: 1,
  signDisplay: "exceptZero",
});
const SIGNED_POINTS = new Intl.NumberFormat(LANGUAGE, {
  maximumFractionDigits: 1,
  signDisplay: "exceptZero",
});

/** Writes a quantity short: "12.3K", "38bn". Below 1,000 it is exact. */
export function formatCompact(quantity: number): string {
  return Math.abs(quantity) < 1000 ? EXACT.format(quantity) : formatCompactCount(quantity);
}

/** Writes a quantity with separators, and its fraction as far as a number tells it: "1,250.5". */
export function formatQuantity(quantity: number): string {
  return EXACT.format(quantity);
}

const BYTE_UNITS = ["B", "kB", "MB", "GB", "TB", "PB"] as const;

/** Writes a quantity of bytes, by thousands: "512 B", "1.5 kB", "38 GB". */
export function formatBytes(bytes: number): string {
  let size = bytes;
  let unit = 0;
  // From here on it would be written as a thousand of its unit.
  while (size >= 999.95 && unit < BYTE_UNITS.length - 1) {
    size /= 1000;
    unit += 1;
  }
  return `${TENTH.format(size)} ${BYTE_UNITS[unit] ?? ""}`;
}

/** Writes milliseconds in the unit that reads best: "0.8 ms", "34 ms", "1.2 s". */
export function formatMs(ms: number): string {
  if (ms >= 1000) {
    return `${TENTH.format(ms / 1000)} s`;
  }
  return ms >= 10 ? t`${String(Math.round(ms))} ms` : t`${TENTH.format(ms)} ms`;
}

/**
 * Writes a share of 0 to 1 with one decimal, without claiming all or nothing where it is neither: "12.5%", "<0.1%",
 * "99.97%".
 */
export function formatExactShare(share: number): string {
  if (share > 0 && share < 0.0005) {
    return `<${PERCENT.format(0.001)}`;
  }
  if (share >= 0.9995 && share < 1) {
    // Down to hundredths: rounding would make it 100 % again.
    return HUNDREDTHS.format(Math.floor(share * 10_000) / 10_000);
  }
  return PERCENT.format(share);
}

/** Lists percentages, without zeros behind the point: "50%, 80%, and 100%". */
export function listPercentages(percentages: readonly number[]): string {
  return LIST.format(percentages.map((each) => SHORT_PERCENT.format(each / 100)));
}

/** How a quantity changed. */
export type Change = {
  /** "+12.5%", "-0.4 pp", "new", "no change". */
  text: string;
  direction: "up" | "down" | "same";
};

/**
 * Compares with the period before.
 *
 * @param kind - `relative` gives percent of the value before; `points` the difference of two shares in percentage points.
 * @returns Undefined when either is not known. From 0 to something is "new", as it has no percentage.
 */
export function toChange(
  now: number | null,
  before: number | null,
  kind: "relative" | "points",
): Change | undefined {
  if (now === null || before === null) {
    return;
  }
  if (kind === "relative" && before === 0) {
    return now === 0 ? NO_CHANGE : { text: t`new`, direction: "up" };
  }
  const difference = kind === "relative" ? (now - before) / before : now - before;
  const format = kind === "relative" ? SIGNED_PERCENT : SIGNED_POINTS;
  const size = kind === "relative" ? difference : difference * 100;
  const written = format.format(size);
  if (written === format.format(0)) {
    return NO_CHANGE;
  }
  const text = kind === "relative" ? written : t`${written} pp`;
  return { text, direction: difference > 0 ? "up" : "down" };
}

const NO_CHANGE: Change = { text: t`no change`, direction: "same" };
