import {
  FORECAST_DAYS,
  FORECAST_DAYS_NEEDED,
  FORECAST_PAST_DAYS,
  type ForecastBand,
  type ForecastMiss,
  type MeterForecast,
  type UsageForecast,
} from "@turnpike/contract/forecasts";
import { assertMayInTenant, type CallContext } from "@turnpike/domain/access/actor";
import type { Span } from "@turnpike/domain/billing/rating/line";
import type { Entitlement } from "@turnpike/domain/entitlements/entitlement";
import { resourceNotFound } from "@turnpike/domain/errors/app-error";
import type { Forecast } from "@turnpike/domain/forecast/forecast-series";
import { describeDays } from "@turnpike/domain/forecast/usage-days";
import type { TenantId } from "@turnpike/domain/ids/ids";
import { periodAt } from "@turnpike/domain/time/period";
import { findEntitlement } from "#modules/entitlements/index.ts";
import { findKeptMisses, joinMisses } from "./find-misses.ts";
import type { MeterPrediction } from "./forecast-work.ts";
import { listCompared } from "./kept-forecasts.store.ts";
import type { DaysOfMeter } from "./read-days.ts";
import { type ForecastDeps, readUsageDays } from "./read-usage-days.ts";

const PAST_PERIODS = 3;

function toInstant(epochMs: number): string {
  return new Date(epochMs).toISOString();
}

/** The running billing period, and those before it, the last one first. */
function listPeriods({ periodAnchor, periodUnit }: Entitlement, nowMs: number): Span[] {
  const periods: Span[] = [];
  let atMs = nowMs;
  while (periods.length <= PAST_PERIODS) {
    const { start, end } = periodAt(periodAnchor, periodUnit, new Date(atMs));
    periods.push({ fromMs: start.getTime(), toMs: end.getTime() });
    atMs = start.getTime() - 1;
  }
  return periods;
}

function bandAt(forecast: Forecast, step: number): ForecastBand {
  const at = (part: keyof Forecast) => forecast[part][step] ?? 0;
  return {
    mean: at("mean"),
    lower80: at("lower80"),
    upper80: at("upper80"),
    lower95: at("lower95"),
    upper95: at("upper95"),
  };
}

function toMeterForecast(
  { meter, name, unit, days }: DaysOfMeter,
  outlook: MeterPrediction | undefined,
  { period, kept }: { period: Span; kept: readonly ForecastMiss[] },
): MeterForecast {
  const { startsMs, values } = days;
  const first = Math.max(0, values.length - FORECAST_PAST_DAYS);
  const base = {
    meter,
    name,
    unit,
    history: { days: values.length, needed: FORECAST_DAYS_NEEDED as typeof FORECAST_DAYS_NEEDED },
    past: values
      .slice(first)
      .map((value, index) => ({ from: toInstant(startsMs[first + index] ?? 0), value })),
  };
  if (outlook === undefined) {
    const isUsed = values.length > 0 || days.today > 0;
    return {
      ...base,
      state: isUsed ? "not_enough_history" : "no_usage",
      notes: [],
      days: [],
      totals: [],
      period: null,
      accuracy: [],
    };
  }
  return {
    ...base,
    state: "forecast",
    notes: describeDays(values),
    days: Array.from({ length: FORECAST_DAYS }, (_, step) => ({
      from: toInstant(startsMs[values.length + step] ?? 0),
      ...bandAt(outlook.steps, step),
    })),
    totals: outlook.totals,
    period: {
      from: toInstant(period.fromMs),
      to: toInstant(period.toMs),
      used: outlook.used,
      total: outlook.period,
    },
    accuracy: joinMisses(kept, outlook.tests),
  };
}

/** What a tenant may do, which names its meters and periods. @throws {AppError} `RESOURCE_NOT_FOUND`. */
export async function readEntitlement(
  deps: ForecastDeps,
  tenantId: TenantId,
): Promise<Entitlement> {
  const found = await deps.transact.asTenant(tenantId, (tx) => findEntitlement(tx, tenantId));
  if (found === undefined) {
    throw resourceNotFound("tenant");
  }
  return found;
}

/**
 * Forecasts the usage of each meter of a tenant: by day, in sum and for the running billing period, with how far such forecasts were off.
 *
 * @param input.timeZone - In which days begin.
 * @throws {AppError} `RESOURCE_NOT_FOUND`; `INSUFFICIENT_SCOPE`; `QUERY_TOO_COSTLY`; `OVERLOADED`.
 */
export async function forecastUsage(
  deps: ForecastDeps,
  context: CallContext,
  { tenantId, timeZone }: { tenantId: TenantId; timeZone: string },
): Promise<UsageForecast> {
  assertMayInTenant(context.actor, "usage:read", tenantId);
  const entitlement = await readEntitlement(deps, tenantId);
  const { asOfMs, meters } = await readUsageDays(deps, entitlement, timeZone);
  const [period, ...pastPeriods] = listPeriods(entitlement, asOfMs);
  if (period === undefined) {
    throw new Error("There is no running period.");
  }
  const outlooks = await deps.forecaster.run("usage", {
    nowMs: asOfMs,
    period,
    pastPeriods,
    meters: meters.map(({ days }) => days),
  });
  const endedAfter = new Date(pastPeriods.at(-1)?.fromMs ?? asOfMs);
  const compared = await deps.transact.asTenant(tenantId, (tx) =>
    listCompared(tx, tenantId, { endedAfter }),
  );
  return {
    tenantId,
    timeZone,
    asOf: toInstant(asOfMs),
    meters: meters.map((meter, index) =>
      toMeterForecast(meter, outlooks[index], {
        period,
        kept: findKeptMisses(compared, `meter:${meter.meter}`),
      }),
    ),
  };
}
