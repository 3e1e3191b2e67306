import { isPriced } from "@turnpike/domain/billing/catalog/billing-plan";
import { toBillingPlan } from "@turnpike/domain/billing/catalog/to-billing-plan";
import { type PricedLine, pricePeriod } from "@turnpike/domain/billing/rating/price-usage";
import { findCurrency } from "@turnpike/domain/money/currency";
import { SCALE } from "@turnpike/domain/money/decimal";
import { divideHalfAway } from "@turnpike/domain/money/exact";
import type { CALENDAR_UNITS, PeriodUnit } from "@turnpike/domain/time/period";
import type { Meter, Plan } from "#platform/shared-queries.ts";

/** How many of a unit are in a year, as the billing engine counts: 365 days, 52 weeks, 12 months. */
const A_YEAR = {
  day: 365n,
  week: 52n,
  month: 12n,
  quarter: 4n,
  year: 1n,
} as const satisfies Record<(typeof CALENDAR_UNITS)[number], bigint>;

export type PricedOffer = {
  planId: string;
  /** One period of each card of the last phase, in minor units. */
  lines: readonly PricedLine[];
  /** The lines by the month, in minor units, rounded once: fees of a year are a twelfth. */
  perMonthMinor: bigint;
  /** True when a line is of another interval than a month, so that the sum is an average. */
  isAverage: boolean;
};

/** What a plan costs without any usage, and what is needed to price more. */
export type OfferPricer = {
  currency: string;
  /** Prices usage of one period, whole units by meter. */
  price: (quantities: ReadonlyMap<string, number>) => PricedOffer;
};

/**
 * Prepares plans for pricing by the functions that bill: of the last phase, which is the price that stays. The module holds
 * the billing engine, so it is loaded only where a price is shown.
 *
 * @returns By id of the plan.
 */
export function preparePricing(
  plans: readonly Plan[],
  meters: readonly Meter[],
): ReadonlyMap<string, OfferPricer> {
  return new Map(plans.map((plan, place) => [plan.planId, toPricer(plan, { place, meters })]));
}

function toPricer(
  terms: Plan,
  { place, meters }: { place: number; meters: readonly Meter[] },
): OfferPricer {
  const { planId } = terms;
  const plan = toBillingPlan({ planId, place, terms, meters });
  const phaseIndex = plan.phases.length - 1;
  const intervals = new Map(
    plan.phases[phaseIndex]?.cards.filter(isPriced).map((card) => [card.key, card.interval]),
  );
  const currency = findCurrency(terms.currency) ?? { code: terms.currency, digits: 2 };
  return {
    currency: terms.currency,
    price: (quantities) => {
      const scaled = new Map(
        [...quantities].map(([meterId, units]) => [meterId, BigInt(units) * SCALE]),
      );
      const { lines } = pricePeriod(plan, { phaseIndex, quantities: scaled, currency });
      return { planId, lines, ...toMonth(lines, intervals) };
    },
  };
}

function toMonth(
  lines: readonly PricedLine[],
  intervals: ReadonlyMap<string, PeriodUnit>,
): Pick<PricedOffer, "perMonthMinor" | "isAverage"> {
  let numerator = 0n;
  let denominator = 1n;
  let isAverage = false;
  for (const { card, amountMinor } of lines) {
    // The minimum of a phase is of the interval of its plan, which is that of its first fee.
    const interval =
      (card === undefined ? [...intervals.values()][0] : intervals.get(card)) ?? "month";
    const { every, unit } = typeof interval === "string" ? { every: 1, unit: interval } : interval;
    const [times, by] = [A_YEAR[unit], 12n * BigInt(every)];
    numerator = numerator * by + amountMinor * times * denominator;
    denominator *= by;
    isAverage ||= times !== by;
  }
  return { perMonthMinor: divideHalfAway(numerator, denominator), isAverage };
}
