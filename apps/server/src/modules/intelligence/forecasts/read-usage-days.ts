import { FORECAST_DAYS, FORECAST_METERS_MAX } from "@turnpike/contract/forecasts";
import type { UsageReport } from "@turnpike/contract/usage";
import { USAGE_ROWS_MAX } from "@turnpike/contract/usage-query";
import { REQUESTS_METER } from "@turnpike/domain/catalog/plan";
import type { Entitlement } from "@turnpike/domain/entitlements/entitlement";
import { AppError } from "@turnpike/domain/errors/app-error";
import { toUsageDays, type UsageDays } from "@turnpike/domain/forecast/usage-days";
import { HOUR_MS, listBucketStarts } from "@turnpike/domain/time/zoned-buckets";
import { queryUsage } from "#modules/analytics/index.ts";
import { listMeters } from "#modules/catalog/index.ts";
import type { AppServices } from "#platform/app-services.ts";
import { systemContext } from "../ask-usage.ts";
import type { Forecaster } from "./forecaster.ts";
import type { DaysOfMeter, ReadDays } from "./read-days.ts";

export type ForecastDeps = AppServices & { forecaster: Forecaster };

const DAY_MS = 24 * HOUR_MS;
/** Half a year: every weekday 26 times. A tenant with very many keys and routes is forecast from less. */
const HISTORY_DAYS = [182, 63] as const;
/** Calls of an hour are in the ledger by then, from every process. */
const SETTLED_AFTER_MS = 2 * 60_000;
/** One more than is forecast, for the end of the last. */
const DAYS_AHEAD = FORECAST_DAYS + 2;

/** Calls first, then the meters of the plan, then the others. */
async function listForecastMeters(deps: AppServices, { terms }: Entitlement) {
  const { items } = await listMeters(deps, systemContext(deps));
  const planned = new Set([
    ...terms.quotas.map(({ meter }) => meter),
    ...(terms.phases ?? []).flatMap(({ rateCards }) => rateCards.map(({ meter }) => meter)),
  ]);
  const rank = (meterId: string) => (meterId === REQUESTS_METER ? 0 : planned.has(meterId) ? 1 : 2);
  return items.toSorted((a, b) => rank(a.meterId) - rank(b.meterId)).slice(0, FORECAST_METERS_MAX);
}

type Asked = Pick<Entitlement, "tenantId"> & { timeZone: string; asOfMs: number };

/** Units of a meter that count in the environment `live`, by day. @throws {AppError} `QUERY_TOO_COSTLY`. */
async function askDays(deps: AppServices, { tenantId, timeZone, asOfMs }: Asked, meter: string) {
  for (const days of HISTORY_DAYS) {
    try {
      return await queryUsage(deps, systemContext(deps), {
        tenantId,
        measures: ["billable"],
        meter,
        dimensions: [],
        environment: ["live"],
        from: new Date(asOfMs - days * DAY_MS).toISOString(),
        to: new Date(asOfMs).toISOString(),
        grain: "day",
        timeZone,
        limit: USAGE_ROWS_MAX,
      });
    } catch (error) {
      const isLast = days === HISTORY_DAYS.at(-1);
      if (isLast || !(error instanceof AppError) || error.code !== "QUERY_TOO_COSTLY") {
        throw error;
      }
    }
  }
  throw new Error("No range of days was asked for.");
}

function toDays({ times, rows }: UsageReport, { timeZone, asOfMs }: Asked): UsageDays {
  const used = new Map(rows.map(({ time, values }) => [time, Number(values.billable ?? 0)]));
  const known = times.map((time) => ({ startMs: Date.parse(time), value: used.get(time) ?? 0 }));
  // The first day is not whole, and the last one is not over, unless the hour that has settled was its last.
  const fromMs = known[1]?.startMs ?? asOfMs;
  const startsMs = listBucketStarts("day", timeZone, {
    fromMs,
    toMs: asOfMs + DAYS_AHEAD * DAY_MS,
  });
  const running = startsMs.findLastIndex((startMs) => startMs <= asOfMs);
  const values = startsMs
    .slice(0, Math.max(0, running))
    .map((startMs) => known.find((day) => day.startMs === startMs)?.value ?? 0);
  const today = known.find((day) => day.startMs === startsMs[running])?.value ?? 0;
  return toUsageDays(startsMs, values, today);
}

async function readNow(
  deps: AppServices,
  entitlement: Entitlement,
  asked: Asked,
): Promise<ReadDays> {
  const meters: DaysOfMeter[] = [];
  for (const { meterId, name, unit } of await listForecastMeters(deps, entitlement)) {
    const days = toDays(await askDays(deps, asked, meterId), asked);
    meters.push({ meter: meterId, name, unit, days });
  }
  return { asOfMs: asked.asOfMs, meters };
}

/**
 * Reads the days that forecasts of a tenant are made from. They are kept until the next hour has settled.
 *
 * @throws {AppError} `QUERY_TOO_COSTLY`.
 */
export async function readUsageDays(
  deps: ForecastDeps,
  entitlement: Entitlement,
  timeZone: string,
): Promise<ReadDays> {
  const { tenantId, planId, planVersion } = entitlement;
  const settledMs = deps.clock.now().getTime() - SETTLED_AFTER_MS;
  const asOfMs = Math.floor(settledMs / HOUR_MS) * HOUR_MS;
  // Another plan has other meters.
  const key = `${tenantId} ${timeZone} ${planId} ${String(planVersion)}`;
  return await deps.forecaster.days.get(key, asOfMs, () =>
    readNow(deps, entitlement, { tenantId, timeZone, asOfMs }),
  );
}
