const DAY = /^\d{4}-\d{2}-\d{2}$/;
const INSTANT = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}(\.\d{1,3})?)?(Z|[+-]\d{2}:\d{2})$/;

/**
 * Reads a point in time as people write it on the command line and in tables: a date (midnight, UTC) or an instant with its
 * zone, such as `2026-01-31` or `2026-01-31T09:30:00+01:00`.
 *
 * @returns ISO 8601, UTC, with milliseconds; or the mistake, as a sentence without its full stop.
 */
export function parseInstant(text: string): { instant: string } | { fault: string } {
  const epochMs = DAY.test(text) || INSTANT.test(text) ? Date.parse(text) : Number.NaN;
  if (Number.isNaN(epochMs)) {
    return { fault: `"${text}" is not a date such as 2026-01-31 or 2026-01-31T09:30:00Z` };
  }
  // JavaScript parses the 30th of February as the 2nd of March.
  const day = text.slice(0, "2026-01-31".length);
  if (!new Date(day).toISOString().startsWith(day)) {
    return { fault: `"${text}" is a day that no month has` };
  }
  return { instant: new Date(epochMs).toISOString() };
}
