import { createOffsetAt, DAY_MS, HOUR_MS, listBucketStarts } from "../time/zoned-buckets.ts";

/** How often a person is mailed what changed; `off` is never. */
export const DIGEST_FREQUENCIES = ["off", "daily", "weekly"] as const;
export type DigestFrequency = (typeof DIGEST_FREQUENCIES)[number];

/** Before the working day begins. */
export const DIGEST_HOUR = 8;
const REACH_DAYS = 9;
/** Day 0 of the epoch was a Thursday. */
const MONDAY = 4;

/**
 * The next time for a digest: 8:00 local time of the next day, or of the next Monday.
 *
 * Example: after 2026-03-27T12:00Z, daily in `Europe/Berlin`: 2026-03-28T07:00Z, and the day after, with summer time, at 06:00Z.
 *
 * @throws {RangeError} when the time zone is not known.
 */
export function nextDigestMs(
  { frequency, timeZone }: { frequency: Exclude<DigestFrequency, "off">; timeZone: string },
  afterMs: number,
): number {
  const offsetAt = createOffsetAt(timeZone);
  const isDue = (ms: number) => {
    const localMs = ms + offsetAt(ms);
    const day = Math.floor(localMs / DAY_MS);
    const isDay = frequency === "daily" || day % 7 === MONDAY;
    return ms > afterMs && isDay && localMs - day * DAY_MS === DIGEST_HOUR * HOUR_MS;
  };
  const hours = listBucketStarts("hour", timeZone, {
    fromMs: afterMs,
    toMs: afterMs + REACH_DAYS * DAY_MS,
  });
  // No zone has ever skipped eight in the morning; should one, the digest comes a day late.
  return hours.find(isDue) ?? afterMs + DAY_MS;
}
