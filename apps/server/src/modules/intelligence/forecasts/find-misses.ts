import type { ForecastMiss } from "@turnpike/contract/forecasts";
import type { Span } from "@turnpike/domain/billing/rating/line";
import { type PeriodTest, testedAtMs } from "@turnpike/domain/forecast/back-test-periods";
import { findCurrency, formatMinor } from "@turnpike/domain/money/currency";
import { DAY_MS } from "@turnpike/domain/time/zoned-buckets";
import type { KeptForecast, KeptMeasure } from "./kept-forecasts.store.ts";

type Compared = KeptForecast & { actual: string };

/** A day on which nothing was kept is made up for by the next ones. */
const LATE_DAYS_MAX = 2;
const MISSES_MAX = 3;

function toShare(forecast: number, actual: number): number | null {
  return actual === 0 ? null : (forecast - actual) / actual;
}

function toInstant(epochMs: number): string {
  return new Date(epochMs).toISOString();
}

function toKeptMiss({ madeOn, periodFrom, periodTo, currency, ...kept }: Compared): ForecastMiss {
  const known = findCurrency(currency);
  const read = (text: string) =>
    Number(known === undefined ? text : formatMinor(BigInt(text), known));
  const [forecast, actual] = [read(kept.mean), read(kept.actual)];
  return {
    kind: "kept",
    madeAt: `${madeOn}T00:00:00.000Z`,
    from: periodFrom.toISOString(),
    to: periodTo.toISOString(),
    forecast,
    lower80: read(kept.lower80),
    upper80: read(kept.upper80),
    actual,
    off: toShare(forecast, actual),
  };
}

/** Of each period that is over, the forecast of its fifth day, the last period first. */
export function findKeptMisses(kept: readonly Compared[], measure: KeptMeasure): ForecastMiss[] {
  const found = new Map<number, Compared>();
  for (const row of kept) {
    const span = { fromMs: row.periodFrom.getTime(), toMs: row.periodTo.getTime() };
    const lateMs = Date.parse(row.madeOn) + DAY_MS - testedAtMs(span);
    const isOfFifthDay = lateMs > 0 && lateMs <= (LATE_DAYS_MAX + 1) * DAY_MS;
    if (row.measure === measure && isOfFifthDay && !found.has(span.toMs)) {
      found.set(span.toMs, row);
    }
  }
  return [...found.values()].slice(0, MISSES_MAX).map(toKeptMiss);
}

/** How far off periods were forecast: what was kept, and where nothing was, what would have been. */
export function joinMisses(
  kept: readonly ForecastMiss[],
  tests: readonly PeriodTest[],
): ForecastMiss[] {
  const isKept = ({ toMs }: Span) => kept.some(({ to }) => Date.parse(to) === toMs);
  const tested = tests
    .filter((test) => !isKept(test))
    .map(
      ({ fromMs, toMs, madeAtMs, forecast, actual }): ForecastMiss => ({
        kind: "back_test",
        madeAt: toInstant(madeAtMs),
        from: toInstant(fromMs),
        to: toInstant(toMs),
        forecast: forecast.mean,
        lower80: forecast.lower80,
        upper80: forecast.upper80,
        actual,
        off: toShare(forecast.mean, actual),
      }),
    );
  return [...kept, ...tested]
    .toSorted((a, b) => Date.parse(b.to) - Date.parse(a.to))
    .slice(0, MISSES_MAX);
}
