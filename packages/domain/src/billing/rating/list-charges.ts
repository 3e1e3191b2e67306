import { type Currency, roundToMinor } from "../../money/currency.ts";
import { addExact, divideHalfAway, maxExact, toExact, ZERO } from "../../money/exact.ts";
import type { Quantity } from "../../pricing/price.ts";
import type { PeriodUnit } from "../../time/period.ts";
import { type BillingPlan, isPriced, type PlanPhase } from "../catalog/billing-plan.ts";
import { forInterval, isSameInterval, planInterval } from "../subscription/plan-interval.ts";
import { createLine, type Line, type Span } from "./line.ts";
import { type PricedPeriod, pricePeriod } from "./price-usage.ts";

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
): PricedPeriod {
  const cards = (phaseOf(version)?.cards ?? []).filter(
    (card) => isPriced(card) && isSameInterval(card.interval, interval),
  );
  const only = { duration: undefined, minimum: undefined, taxClass: "standard", cards };
  return pricePeriod(
    { ...version.plan, phases: [only] },
    { phaseIndex: 0, quantities: quantitiesOf(interval), seats: version.seats, currency },
  );
}

type IntervalCost = { interval: PeriodUnit; priced: PricedPeriod };

/** What a version costs for each `interval`, in minor units. */
function totalFor(
  version: VersionInForce,
  interval: PeriodUnit,
  { costs, currency }: { costs: readonly IntervalCost[]; currency: Currency },
): bigint {
  const phase = phaseOf(version);
  if (phase === undefined) {
    return 0n;
  }
  const own = planInterval(phase);
  const sum = costs.reduce(
    (all, { interval: each, priced }) =>
      addExact(all, forInterval(toExact(priced.totalMinor), each, own)),
    ZERO,
  );
  const least = phase.minimum === undefined ? 0n : roundToMinor(toExact(phase.minimum), currency);
  const { numerator, denominator } = forInterval(maxExact(sum, toExact(least)), own, interval);
  return divideHalfAway(numerator, denominator);
}

/** A period of any length that is charged whole. */
const FULL: Span = { fromMs: 0, toMs: 1 };

/** A charge as a fee of the whole period; its kind says whether it is of usage. */
function toCharge(
  { plan }: VersionInForce,
  {
    kind,
    card,
    amount,
    isAddOn,
  }: Pick<Line, "kind" | "amount"> & {
    card: string | undefined;
    isAddOn: boolean;
  },
): Line {
  return createLine({
    kind: isAddOn && kind === "base" ? "addOn" : kind,
    owner: {
      planId: plan.planId,
      isAddOn,
      runOrder: isAddOn ? 1 : 0,
      planPlace: plan.place,
      cardPlace: undefined,
      card,
      ...(plan.isPrepaid === true && { isPrepaid: true }),
    },
    span: FULL,
    quantity: undefined,
    amount,
    taxClass: "standard",
    source: { of: "fee", price: toExact(amount), full: FULL },
  });
}

/**
 * Lists what a version costs for each `interval`, by card, as lines that coupons and credit can lower. Together they are what the
 * version costs exactly: what a minimum adds is a line of its own, and a rest of rounding is in the last one.
 */
export function listCharges(
  version: VersionInForce,
  { interval, isAddOn, ...usage }: ComparisonUsage & { interval: PeriodUnit; isAddOn: boolean },
): Line[] {
  const costs = listIntervals([version]).map((each) => ({
    interval: each,
    priced: priceInterval(version, each, usage),
  }));
  const lines = costs.flatMap(({ interval: each, priced }) =>
    priced.lines.map(({ kind, card, amountMinor }) => {
      const { numerator, denominator } = forInterval(toExact(amountMinor), each, interval);
      const amount = divideHalfAway(numerator, denominator);
      return toCharge(version, { kind, card, amount, isAddOn });
    }),
  );
  const sum = lines.reduce((all, { amount }) => all + amount, 0n);
  const rest = totalFor(version, interval, { costs, currency: usage.currency }) - sum;
  const last = lines.at(-1);
  if (rest === 0n) {
    return lines;
  }
  const isMinimum = phaseOf(version)?.minimum !== undefined && rest > 0n;
  if (isMinimum || last === undefined) {
    return [
      ...lines,
      toCharge(version, { kind: "commitment", card: undefined, amount: rest, isAddOn }),
    ];
  }
  const amount = last.amount + rest;
  const { kind, owner } = last;
  return [...lines.slice(0, -1), toCharge(version, { kind, card: owner?.card, amount, isAddOn })];
}
