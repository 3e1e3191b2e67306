import type { Span } from "../billing/rating/line.ts";
import { BAND_PARTS, type BandPart, type TotalsForecast } from "./forecast-totals.ts";
import { positionOf, type UsageDays } from "./usage-days.ts";

/** When something is used up. Undefined: not as far as is looked. Epoch milliseconds. */
export type RunOut = Readonly<Record<BandPart, number | undefined>>;

/** A time in which so much may be used. */
export type Room = Span & { readonly left: number };

/** Where a sum that rises from `from` reaches `left`; steps are as fine as days. */
function findReached(
  { days, forecast, part }: { days: UsageDays; forecast: TotalsForecast; part: BandPart },
  { fromMs, toMs, left }: Room,
): number | undefined {
  const from = positionOf(days, fromMs);
  const instants = [...days.startsMs.filter((startMs) => fromMs < startMs && startMs < toMs), toMs];
  let beforeMs = fromMs;
  let before = 0;
  for (const atMs of instants) {
    const used = Math.max(before, forecast.total(from, positionOf(days, atMs))[part]);
    if (used >= left) {
      const share = used === before ? 1 : Math.max(0, left - before) / (used - before);
      return Math.round(beforeMs + share * (atMs - beforeMs));
    }
    beforeMs = atMs;
    before = used;
  }
  return;
}

/**
 * Finds when forecast usage passes what may be used: in the running time, else in one that follows. More usage is earlier, so the upper
 * bound gives the earliest date.
 *
 * @param rooms - In order, the first from now on.
 */
export function findRunOut(
  days: UsageDays,
  forecast: TotalsForecast,
  rooms: readonly Room[],
): RunOut {
  const find = (part: BandPart) => {
    for (const room of rooms) {
      const atMs = findReached({ days, forecast, part }, room);
      if (atMs !== undefined) {
        return atMs;
      }
    }
    return;
  };
  const [lower95, lower80, mean, upper80, upper95] = BAND_PARTS.map(find);
  return { lower95, lower80, mean, upper80, upper95 };
}
