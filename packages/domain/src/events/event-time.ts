/** How far in the past or future an event may have occurred: the clocks of producers differ. */
export const EVENT_DAYS_BACK = 35;
export const EVENT_MINUTES_AHEAD = 5;

const DAY_MS = 24 * 3_600_000;
const BACK_MS = EVENT_DAYS_BACK * DAY_MS;
const AHEAD_MS = EVENT_MINUTES_AHEAD * 60_000;

/**
 * How many days the identity of an event is remembered. An event is recorded at most five minutes before its time, so 35 days
 * later a repetition is too old. The rest is a margin for clocks that differ.
 */
export const EVENT_IDS_KEPT_DAYS = 40;

const RFC_3339 =
  /^(\d{4})-(\d\d)-(\d\d)[Tt](\d\d):([0-5]\d):([0-5]\d)(\.\d{1,9})?([Zz]|[+-](?:[01]\d|2[0-3]):[0-5]\d)$/;

function daysOfMonth(year: number, month: number): number {
  return new Date(Date.UTC(year, month, 0)).getUTCDate();
}

/**
 * Reads an instant as defined in RFC 3339.
 *
 * @returns Epoch milliseconds, without fractions; `undefined` for an invalid one, such as 30 February.
 */
export function parseEventTime(text: string): number | undefined {
  const parts = RFC_3339.exec(text);
  if (parts === null) {
    return;
  }
  const [year, month, day, hour] = [1, 2, 3, 4].map((place) => Number(parts[place])) as [
    number,
    number,
    number,
    number,
  ];
  if (month < 1 || month > 12 || day < 1 || day > daysOfMonth(year, month) || hour > 23) {
    return;
  }
  const fraction = (parts[7] ?? "").slice(0, 4);
  const zone = (parts[8] ?? "Z").toUpperCase();
  const ms = Date.parse(`${text.slice(0, 10)}T${text.slice(11, 19)}${fraction}${zone}`);
  return Number.isNaN(ms) ? undefined : ms;
}

/** Decides whether an event with this time may be recorded now. Both bounds are inclusive. */
export function judgeEventTime(
  occurredAtMs: number,
  nowMs: number,
): "recordable" | "too old" | "too far ahead" {
  if (occurredAtMs < nowMs - BACK_MS) {
    return "too old";
  }
  return occurredAtMs > nowMs + AHEAD_MS ? "too far ahead" : "recordable";
}
