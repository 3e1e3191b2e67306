import { type Currency, roundToMinor } from "../../money/currency.ts";
import {
  addExact,
  divideHalfAway,
  type Exact,
  maxExact,
  toExact,
  ZERO,
} from "../../money/exact.ts";
import type { Quantity } from "../../pricing/price.ts";
import type { PeriodUnit } from "../../time/period.ts";
import { type BillingPlan, isPriced, type PlanPhase } from "../catalog/billing-plan.ts";
import { forInterval, isSameInterval, planInterval } from "../subscription/plan-interval.ts";
import { pricePeriod } from "./price-usage.ts";

/** A version of a plan as one subscriber has it. */
export type VersionInForce = {
  readonly plan: BillingPlan;
  readonly phaseIndex: number;
  readonly seats: ReadonlyMap<string, Quantity>;
};

export type ComparisonUsage = {
  /** What was used in a period of an interval, by meter. */
  readonly quantitiesOf: (interval: PeriodUnit) => ReadonlyMap<string, Quantity>;
  readonly currency: Currency;
};

/** Minor units. */
export type VersionComparison = {
  readonly beforeMinor: bigint;
  readonly afterMinor: bigint;
};

function phaseOf({ plan, phaseIndex }: VersionInForce): PlanPhase | undefined {
  return plan.phases[phaseIndex];
}

/** The intervals of priced cards in force, each once: what usage has to be known for. */
export function listIntervals(versions: readonly VersionInForce[]): PeriodUnit[] {
  const intervals = versions
    .flatMap((version) => phaseOf(version)?.cards ?? [])
    .filter(isPriced)
    .map(({ interval }) => interval);
  return intervals.filter(
    (interval, index) => intervals.findIndex((other) => isSameInterval(other, interval)) === index,
  );
}

/** What the cards of one interval cost in a period of theirs. */
function priceInterval(
  version: VersionInForce,
  interval: PeriodUnit,
  { quantitiesOf, currency }: ComparisonUsage,
): Exact {
  const cards = (phaseOf(version)?.cards ?? []).filter(
    (card) => isPriced(card) && isSameInterval(card.interval, interval),
  );
  const only = { duration: undefined, minimum: undefined, taxClass: "standard", cards };
  const { totalMinor } = pricePeriod(
    { ...version.plan, phases: [only] },
    { phaseIndex: 0, quantities: quantitiesOf(interval), seats: version.seats, currency },
  );
  return toExact(totalMinor);
}

/** What a version costs for each `interval`, in minor units. */
function priceFor(version: VersionInForce, interval: PeriodUnit, usage: ComparisonUsage): bigint {
  const phase = phaseOf(version);
  if (phase === undefined) {
    return 0n;
  }
  const own = planInterval(phase);
  let sum = ZERO;
  for (const each of listIntervals([version])) {
    sum = addExact(sum, forInterval(priceInterval(version, each, usage), each, own));
  }
  const least =
    phase.minimum === undefined ? 0n : roundToMinor(toExact(phase.minimum), usage.currency);
  const { numerator, denominator } = forInterval(maxExact(sum, toExact(least)), own, interval);
  return divideHalfAway(numerator, denominator);
}

/**
 * Compares what one subscriber's usage costs under two versions, before coupons, credit and tax. Both are for a period of the older
 * version's interval, so that a yearly price is compared with a monthly one by its part.
 */
export function compareVersions(
  before: VersionInForce,
  after: VersionInForce,
  usage: ComparisonUsage,
): VersionComparison {
  const phase = phaseOf(before);
  const interval = phase === undefined ? "month" : planInterval(phase);
  return {
    beforeMinor: priceFor(before, interval, usage),
    afterMinor: priceFor(after, interval, usage),
  };
}
