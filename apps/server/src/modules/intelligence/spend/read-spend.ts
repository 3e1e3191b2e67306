import { USAGE_ROWS_MAX } from "@turnpike/contract/usage-query";
import { isPriced, type PricedCard } from "@turnpike/domain/billing/catalog/billing-plan";
import { spanAt } from "@turnpike/domain/billing/subscription/open-run";
import { listRuns, type Subscription } from "@turnpike/domain/billing/subscription/subscription";
import type { TenantId } from "@turnpike/domain/ids/ids";
import { chargeHours, type UsedHour, valueUnits } from "@turnpike/domain/insights/charge-hours";
import type { Hour } from "@turnpike/domain/insights/incident";
import type { Currency } from "@turnpike/domain/money/currency";
import { toScaled } from "@turnpike/domain/money/decimal";
import type { Picos } from "@turnpike/domain/money/exact";
import { queryUsage } from "#modules/analytics/index.ts";
import { type BillingDeps, openProjection } from "#modules/billing/index.ts";
import { systemContext } from "../ask-usage.ts";
import type { WatchedSeries } from "../incident-finder.ts";
import { watchedRange } from "../read-hours.ts";

/** What the units of an hour were charged, and their value at a price that is the same in every hour. */
type SpentHour = { timeMs: number; charged: Picos; value: Picos };
export type SpentMeter = { meterId: string; hours: SpentHour[] };

/** What a tenant spent on usage, by the hour: the series is of values, its calls are what was charged. */
export type Spend = { currency: Currency; series: WatchedSeries; meters: SpentMeter[] };

/** Meters beyond these are not watched: each takes a question. */
const METERS_MAX = 10;
const PICO_DIGITS = 12;

type Card = PricedCard & { meterId: string };
type Range = { fromMs: number; toMs: number };

function listCards(subscription: Subscription): Card[] {
  return listRuns(subscription)
    .flatMap(({ inForce }) => inForce.phase.cards)
    .filter((card): card is Card => isPriced(card) && card.meterId !== undefined);
}

async function askUnits(
  deps: BillingDeps,
  tenantId: TenantId,
  { meterId, fromMs, toMs, isHourly }: Range & { meterId: string; isHourly: boolean },
) {
  return await queryUsage(deps, systemContext(deps), {
    tenantId,
    measures: ["billable"],
    meter: meterId,
    dimensions: [],
    environment: ["live"],
    from: new Date(fromMs).toISOString(),
    to: new Date(toMs).toISOString(),
    ...(isHourly ? { grain: "hour" as const } : {}),
    timeZone: "UTC",
    limit: USAGE_ROWS_MAX,
  });
}

async function readHours(
  deps: BillingDeps,
  tenantId: TenantId,
  input: Range & { meterId: string },
): Promise<UsedHour[]> {
  const { rows, times } = await askUnits(deps, tenantId, { ...input, isHourly: true });
  const units = new Map(rows.map(({ time, values }) => [time, toScaled(values.billable ?? "0")]));
  return times.map((time) => ({ timeMs: Date.parse(time), quantity: units.get(time) ?? 0n }));
}

/** Minor units as a number: for statistics, which are no amounts. */
export function toMinorNumber(picos: Picos, { digits }: Currency): number {
  return Number(picos) / 10 ** (PICO_DIGITS - digits);
}

async function chargeMeter(
  deps: BillingDeps,
  tenantId: TenantId,
  {
    meterId,
    cards,
    anchorMs,
    ...range
  }: Range & { meterId: string; cards: readonly Card[]; anchorMs: number },
): Promise<SpentMeter | undefined> {
  const used = await readHours(deps, tenantId, { ...range, meterId });
  if (used.every(({ quantity }) => quantity === 0n)) {
    return;
  }
  const sums = used.map(() => 0n);
  for (const { price, interval } of cards) {
    const periodFromMs = (atMs: number) => spanAt(anchorMs, interval, atMs).fromMs;
    const beganMs = periodFromMs(range.fromMs);
    const before =
      beganMs < range.fromMs
        ? await askUnits(deps, tenantId, {
            ...{ meterId, fromMs: beganMs, toMs: range.fromMs },
            isHourly: false,
          })
        : undefined;
    const usedBefore = toScaled(before?.totals.billable ?? "0");
    const charges = chargeHours(used, { price, periodFromMs, usedBefore });
    for (const [index, picos] of charges.entries()) {
      sums[index] = (sums[index] ?? 0n) + picos;
    }
  }
  return {
    meterId,
    hours: used.map(({ timeMs, quantity }, index) => ({
      timeMs,
      charged: sums[index] ?? 0n,
      value: cards.reduce((sum, { price }) => sum + valueUnits(price, quantity), 0n),
    })),
  };
}

function toSeries(meters: readonly SpentMeter[], currency: Currency): WatchedSeries {
  const times = meters[0]?.hours.map(({ timeMs }) => timeMs) ?? [];
  const sumOf = (read: "value" | "charged"): Hour[] =>
    times.map((timeMs, index) => {
      const picos = meters.reduce((sum, { hours }) => sum + (hours[index]?.[read] ?? 0n), 0n);
      return { timeMs, value: toMinorNumber(picos, currency) };
    });
  const hours = sumOf("value");
  const first = Math.max(
    0,
    hours.findIndex(({ value }) => value !== 0),
  );
  return {
    measure: "spend",
    route: null,
    hours: hours.slice(first),
    calls: sumOf("charged").slice(first),
  };
}

/**
 * Reads what a tenant spent on usage in each of the hours that are watched, by the prices in force and by what bills.
 *
 * @returns `undefined` where no use is charged.
 */
export async function readSpend(deps: BillingDeps, tenantId: TenantId): Promise<Spend | undefined> {
  const projection = await openProjection(deps, systemContext(deps), { tenantId });
  const subscription = projection?.projected.account.subscription;
  if (projection === undefined || subscription?.state !== "running") {
    return;
  }
  const byMeter = Map.groupBy(listCards(subscription), ({ meterId }) => meterId);
  const { anchorMs } = subscription;
  const meters: SpentMeter[] = [];
  for (const [meterId, cards] of [...byMeter].slice(0, METERS_MAX)) {
    const found = await chargeMeter(deps, tenantId, {
      ...watchedRange(deps),
      ...{ meterId, cards, anchorMs },
    });
    if (found?.hours.some(({ charged }) => charged > 0n)) {
      meters.push(found);
    }
  }
  const { currency } = projection;
  return meters.length === 0 ? undefined : { currency, series: toSeries(meters, currency), meters };
}
