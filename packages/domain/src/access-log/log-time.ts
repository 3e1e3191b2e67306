const MONTHS = "JanFebMarAprMayJunJulAugSepOctNovDec";
const COMMON = /^(\d{2})\/([A-Z][a-z]{2})\/(\d{4}):(\d{2}):(\d{2}):(\d{2}) ([+-]\d{4})$/;
const ISO =
  /^(\d{4})-(\d{2})-(\d{2})[T ](\d{2}):(\d{2}):(\d{2})(?:[.,](\d{1,9}))?(Z|[+-]\d{2}:?\d{2})$/;
const NUMBER = /^\d{1,19}(?:\.\d{1,9})?$/;
/** The last instant that a date of four digits can name. */
const LATEST_MS = Date.UTC(10_000, 0, 1);

type Clock = {
  year: number;
  /** From 0. */
  month: number;
  day: number;
  hour: number;
  minute: number;
  second: number;
  ms: number;
  zone: string;
};

/** @returns Milliseconds east of UTC; `undefined` for what no clock shows. */
function toOffsetMs(zone: string): number | undefined {
  if (zone === "Z") {
    return 0;
  }
  const digits = zone.replace(":", "");
  const hours = Number(digits.slice(1, 3));
  const minutes = Number(digits.slice(3));
  return hours > 15 || minutes > 59
    ? undefined
    : (hours * 60 + minutes) * (zone.startsWith("-") ? -60_000 : 60_000);
}

function toEpochMs(clock: Clock): number | undefined {
  const { year, month, day, hour, minute, second } = clock;
  const midnight = new Date(Date.UTC(year, month, day));
  const isDate = midnight.getUTCMonth() === month && midnight.getUTCDate() === day;
  const offsetMs = toOffsetMs(clock.zone);
  // 60 is a leap second: the first instant of the next minute.
  if (!isDate || hour > 23 || minute > 59 || second > 60 || offsetMs === undefined) {
    return;
  }
  const epochMs = Date.UTC(year, month, day, hour, minute, second, clock.ms) - offsetMs;
  return year >= 1970 && epochMs >= 0 ? epochMs : undefined;
}

/**
 * Reads the time of the common log format: `17/May/2015:10:05:03 +0200`.
 *
 * @returns Epoch milliseconds; `undefined` for what is no date, or lies before 1970.
 */
export function parseCommonTime(text: string): number | undefined {
  const parts = COMMON.exec(text);
  if (parts === null) {
    return;
  }
  const [, day, name = "", year, hour, minute, second, zone = ""] = parts;
  const position = MONTHS.indexOf(name);
  return position % 3 !== 0
    ? undefined
    : toEpochMs({
        year: Number(year),
        month: position / 3,
        day: Number(day),
        hour: Number(hour),
        minute: Number(minute),
        second: Number(second),
        ms: 0,
        zone,
      });
}

/** Seconds since 1970, or by their size milli-, micro- or nanoseconds. */
function fromNumber(value: number): number | undefined {
  const perMs = value >= 1e17 ? 1e6 : value >= 1e14 ? 1e3 : value >= 1e11 ? 1 : 1e-3;
  const epochMs = Math.floor(value / perMs);
  return epochMs >= 0 && epochMs < LATEST_MS ? epochMs : undefined;
}

/**
 * Reads a time in any of the forms that servers log: a number of seconds, milli-, micro- or nanoseconds since 1970, ISO 8601
 * with its zone, or the form of {@link parseCommonTime}.
 *
 * @returns Epoch milliseconds; `undefined` for anything else, a time without a zone included.
 */
export function parseLogTime(value: unknown): number | undefined {
  if (typeof value === "number") {
    return fromNumber(value);
  }
  if (typeof value !== "string") {
    return;
  }
  if (NUMBER.test(value)) {
    return fromNumber(Number(value));
  }
  const parts = ISO.exec(value);
  if (parts === null) {
    return parseCommonTime(value);
  }
  const [, year, month, day, hour, minute, second, fraction = "", zone = ""] = parts;
  return toEpochMs({
    year: Number(year),
    month: Number(month) - 1,
    day: Number(day),
    hour: Number(hour),
    minute: Number(minute),
    second: Number(second),
    ms: Number(fraction.padEnd(3, "0").slice(0, 3)),
    zone,
  });
}
