import { LANGUAGE } from "./language.tsx";

const COMPACT = new Intl.NumberFormat(LANGUAGE, { notation: "compact", maximumFractionDigits: 1 });

/** What would be read as something else: a B after a number is a byte, a T a tonne. */
const SUFFIXES: Readonly<Record<string, string>> = { B: "bn", T: "tn" };

/** Writes a count of any unit short: "12.3K", "1.5M", "38bn", "2tn". */
export function formatCompactCount(count: number): string {
  return COMPACT.formatToParts(count)
    .map(({ type, value }) => (type === "compact" ? (SUFFIXES[value] ?? value) : value))
    .join("");
}
