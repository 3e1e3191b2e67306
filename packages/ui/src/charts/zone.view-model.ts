/** Calendar arithmetic in one IANA time zone. Instants are epoch milliseconds. */
export type Zone = {
  name: string;
  /** What to add to an instant to get local wall time, in milliseconds. */
  offsetMs: (instantMs: number) => number;
  /** Wall time, counted as if it were UTC. */
  toLocal: (instantMs: number) => number;
  /** The instant of a wall time: the first one when it comes twice, the end of the gap when it does not exist. */
  toInstant: (localMs: number) => number;
};

const DAY_MS = 86_400_000;
/** Offsets change at whole quarters of an hour in every zone since 1972, so one lookup serves a quarter. */
const OFFSET_GRAIN_MS = 900_000;

/**
 * Makes the arithmetic of a zone.
 *
 * @param timeZone - IANA name.
 * @throws {RangeError} When the browser does not know the zone.
 */
export function createZone(timeZone: string): Zone {
  const clock = new Intl.DateTimeFormat("en-US", {
    timeZone,
    hourCycle: "h23",
    year: "numeric",
    month: "numeric",
    day: "numeric",
    hour: "numeric",
    minute: "numeric",
    second: "numeric",
  });
  const known = new Map<number, number>();

  function readOffset(instantMs: number): number {
    const parts: Record<string, number> = {};
    for (const part of clock.formatToParts(instantMs)) {
      parts[part.type] = Number(part.value);
    }
    const { year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0 } = parts;
    return Date.UTC(year, month - 1, day, hour, minute, second) - instantMs;
  }

  function offsetMs(instantMs: number): number {
    const quarter = Math.floor(instantMs / OFFSET_GRAIN_MS) * OFFSET_GRAIN_MS;
    const offset = known.get(quarter) ?? readOffset(quarter);
    known.set(quarter, offset);
    return offset;
  }

  function toInstant(localMs: number): number {
    const before = offsetMs(localMs - DAY_MS);
    const after = offsetMs(localMs + DAY_MS);
    const early = localMs - Math.max(before, after);
    const late = localMs - Math.min(before, after);
    if (offsetMs(early) + early === localMs) {
      return early;
    }
    // In a gap neither is right; the offset from before the gap leads to the first instant after it.
    return offsetMs(late) + late === localMs ? late : localMs - before;
  }

  return {
    name: timeZone,
    offsetMs,
    toLocal: (instantMs) => instantMs + offsetMs(instantMs),
    toInstant,
  };
}
