import { FORECAST_DAYS, FORECAST_DAYS_NEEDED } from "@turnpike/contract/forecasts";
import {
  type PastUsage,
  type ReplayedMonth,
  replayPlan,
} from "@turnpike/domain/billing/advice/replay-plan";
import type { BillingPlan } from "@turnpike/domain/billing/catalog/billing-plan";
import {
  type InvoiceProjection,
  type ProjectedAccount,
  projectInvoices,
} from "@turnpike/domain/billing/projection/project-invoices";
import {
  type MoneyRunOut,
  projectCap,
  projectCredit,
} from "@turnpike/domain/billing/projection/project-run-out";
import type { MeterOutlook } from "@turnpike/domain/billing/projection/usage-path";
import type { Span } from "@turnpike/domain/billing/rating/line";
import { NoTaxRate } from "@turnpike/domain/billing/tax/tax-lines";
import { backTestPeriods, type PeriodTest } from "@turnpike/domain/forecast/back-test-periods";
import type { Forecast } from "@turnpike/domain/forecast/forecast-series";
import {
  addToBand,
  type Band,
  forecastTotals,
  type TotalsForecast,
} from "@turnpike/domain/forecast/forecast-totals";
import { findRunOut, type Room, type RunOut } from "@turnpike/domain/forecast/run-out";
import { positionOf, type UsageDays, usedBetween } from "@turnpike/domain/forecast/usage-days";

const WEEK = 7;
/** Sums that a forecast comes with, in days from now. */
const TOTAL_DAYS = [WEEK, 30, FORECAST_DAYS] as const;
const DAY_MS = 24 * 60 * 60_000;

/** Forecasts from complete days; `undefined` when there are too few. The day that is not over is the first step. */
export function forecastDays({ values }: Pick<UsageDays, "values">): TotalsForecast | undefined {
  if (values.length < FORECAST_DAYS_NEEDED) {
    return;
  }
  // One day more than is shown: the first is not whole.
  const forecast = forecastTotals({ values, horizon: FORECAST_DAYS + 1, seasons: [WEEK] });
  return forecast.isEnough ? forecast : undefined;
}

export type UsageTask = {
  nowMs: number;
  /** The running billing period. */
  period: Span;
  /** Periods that are over, the last one first. */
  pastPeriods: readonly Span[];
  meters: readonly UsageDays[];
};

export type MeterPrediction = {
  steps: Forecast;
  totals: (Band & { days: number })[];
  /** Used in the running period, and what it will come to. */
  used: number;
  period: Band;
  tests: PeriodTest[];
};

function lookAhead(days: UsageDays, { nowMs, period, pastPeriods }: UsageTask) {
  const forecast = forecastDays(days);
  if (forecast === undefined) {
    return;
  }
  const now = positionOf(days, nowMs);
  const used = usedBetween(days, period.fromMs, period.toMs) + days.today;
  const end = Math.min(positionOf(days, period.toMs), FORECAST_DAYS + 1);
  return {
    steps: forecast.steps,
    totals: TOTAL_DAYS.map((count) => ({
      days: count,
      ...forecast.total(now, positionOf(days, nowMs + count * DAY_MS)),
    })),
    used,
    period: addToBand(used, forecast.total(now, Math.max(now, end))),
    tests: backTestPeriods(days, {
      periods: pastPeriods,
      season: WEEK,
      daysNeeded: FORECAST_DAYS_NEEDED,
    }),
  };
}

/** A meter with the days that its forecast is made from. */
export type MeterDays = { meterId: string; days: UsageDays };

export type InvoiceTask = {
  projected: ProjectedAccount;
  meters: readonly MeterDays[];
  toMs: number;
};

export type PlansTask = {
  plans: readonly BillingPlan[];
  past: PastUsage;
} & Parameters<typeof replayPlan>[2];

export type ExhaustionTask = {
  quotas: readonly { days: UsageDays; rooms: readonly Room[] }[];
  /** Undefined for a reader who may not see it, and while no plan with a price runs. */
  money: { projected: ProjectedAccount; meters: readonly MeterDays[] } | undefined;
  toMs: number;
};
export type ExhaustionResult = {
  /** Undefined for a meter with too few days. */
  quotas: (RunOut | undefined)[];
  cap: MoneyRunOut | undefined;
  credit: MoneyRunOut | undefined;
};

function forecastMeters(meters: readonly MeterDays[]): MeterOutlook[] {
  return meters.flatMap(({ meterId, days }) => {
    const forecast = forecastDays(days);
    return forecast === undefined ? [] : [{ meterId, days, forecast }];
  });
}

/** `undefined` when the table of rates has none for an invoice: errors do not keep their class on the way out of a thread. */
function unlessUntaxed<Result>(project: () => Result): Result | undefined {
  try {
    return project();
  } catch (error) {
    if (error instanceof NoTaxRate) {
      return;
    }
    throw error;
  }
}

/** Work that takes milliseconds of a core for each tenant: it runs where it holds up no call. */
export const FORECAST_WORK = {
  /** One for each meter; `undefined` for one with too few days. */
  usage: (task: UsageTask): (MeterPrediction | undefined)[] =>
    task.meters.map((days) => lookAhead(days, task)),
  /** What bills is asked with usage as it is forecast. A meter with too few days counts as unused. */
  invoice: ({ projected, meters, toMs }: InvoiceTask): InvoiceProjection | undefined =>
    unlessUntaxed(() => projectInvoices(projected, { meters: forecastMeters(meters), toMs })),
  /** Each plan with usage of the past. */
  plans: ({ plans, past, ...terms }: PlansTask): ReplayedMonth[][] =>
    plans.map((plan) => replayPlan(plan, past, terms)),
  exhaustion: ({ quotas, money, toMs }: ExhaustionTask): ExhaustionResult => {
    const outlook = { meters: forecastMeters(money?.meters ?? []), toMs };
    return {
      quotas: quotas.map(({ days, rooms }) => {
        const forecast = forecastDays(days);
        return forecast && findRunOut(days, forecast, rooms);
      }),
      cap: money && unlessUntaxed(() => projectCap(money.projected, outlook)),
      credit: money && unlessUntaxed(() => projectCredit(money.projected, outlook)),
    };
  },
};
export type ForecastWork = typeof FORECAST_WORK;
