import type { TimeBucket, TimeGrain, TimeRange } from "./time-buckets.view-model.ts";
import { createZone, type Zone } from "./zone.view-model.ts";

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
/** The first Monday of the epoch, as local time. */
const MONDAY_MS = 4 * DAY_MS;

/** Cuts a range as the server does: by the zone's clocks, the first bucket at or before the range. */
export function listBuckets(
  range: TimeRange & { grain: TimeGrain; timeZone: string },
): TimeBucket[] {
  const zone = createZone(range.timeZone);
  const buckets: TimeBucket[] = [];
  let fromMs = startOf(range.fromMs, range.grain, zone);
  while (fromMs < range.toMs) {
    const toMs = startOfNext(fromMs, range.grain, zone);
    buckets.push({ fromMs, toMs });
    fromMs = toMs;
  }
  return buckets;
}

function startOf(instantMs: number, grain: TimeGrain, zone: Zone): number {
  const local = zone.toLocal(instantMs);
  switch (grain) {
    case "minute":
    case "hour": {
      // By the offset of this very instant: an hour that comes twice stays two hours.
      const size = grain === "minute" ? MINUTE_MS : HOUR_MS;
      return instantMs - (((local % size) + size) % size);
    }
    case "day":
      return zone.toInstant(floorTo(local, DAY_MS));
    case "week":
      return zone.toInstant(floorTo(local - MONDAY_MS, 7 * DAY_MS) + MONDAY_MS);
    case "month": {
      const date = new Date(local);
      return zone.toInstant(Date.UTC(date.getUTCFullYear(), date.getUTCMonth(), 1));
    }
  }
}

function startOfNext(fromMs: number, grain: TimeGrain, zone: Zone): number {
  const local = zone.toLocal(fromMs);
  switch (grain) {
    case "minute":
      return fromMs + MINUTE_MS;
    case "hour":
      return startOf(fromMs + HOUR_MS, "hour", zone);
    case "day":
      return zone.toInstant(floorTo(local, DAY_MS) + DAY_MS);
    case "week":
      return zone.toInstant(floorTo(local, DAY_MS) + 7 * DAY_MS);
    case "month": {
      const date = new Date(local);
      return zone.toInstant(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 1));
    }
  }
}

function floorTo(value: number, size: number): number {
  return Math.floor(value / size) * size;
}
