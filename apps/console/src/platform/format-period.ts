import { t } from "@lingui/core/macro";
import { LANGUAGE } from "@turnpike/ui/language";

const DAY = new Intl.DateTimeFormat(LANGUAGE, { dateStyle: "medium", timeZone: "UTC" });
const MINUTE = new Intl.DateTimeFormat(LANGUAGE, {
  dateStyle: "medium",
  timeStyle: "short",
  timeZone: "UTC",
});

/** Writes the day of an instant in UTC, by which billing counts, with its year: "Dec 1, 2026". */
export function formatDate(iso: string): string {
  return DAY.format(Date.parse(iso));
}

/** Writes an instant in UTC to the minute: "Dec 1, 2026, 4:30 PM UTC". */
export function formatMinute(iso: string): string {
  return t`${MINUTE.format(Date.parse(iso))} UTC`;
}

/**
 * Writes a half-open range by its first and its last day in UTC: "Nov 1 – 30, 2026".
 *
 * @returns Undefined when an end is missing.
 */
export function formatSpan(from: string | null, to: string | null): string | undefined {
  if (from === null || to === null) {
    return;
  }
  const fromMs = Date.parse(from);
  return DAY.formatRange(fromMs, Math.max(fromMs, Date.parse(to) - 1));
}
