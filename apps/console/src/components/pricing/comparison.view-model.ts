import { t } from "@lingui/core/macro";
import { fromScaled, SCALE, toScaled } from "@turnpike/domain/money/decimal";
import { divideHalfAway } from "@turnpike/domain/money/exact";
import { formatTierRange, formatUnits } from "#components/billing/invoice-line.view-model.ts";
import { formatMinorUnits, formatMoney } from "#platform/format-money.ts";
import { findMeterName } from "#platform/name-meter.ts";
import type { Meter, Plan } from "#platform/shared-queries.ts";
import { toWords } from "../billing/to-words.ts";
import { toPerTime } from "../time-words.ts";
import { toInterval } from "./interval-words.ts";
import type { OfferPricer, PricedOffer } from "./price-offers.ts";

/** How many of a unit are in a year, for limits that refill by another clock than the month. */
const A_YEAR = { day: 365, week: 52, month: 12, quarter: 4, year: 1 } as const;

/** Meters that a shown plan prices or limits in its last phase, in the order of the catalogue. */
export function listComparedMeters(plans: readonly Plan[], meters: readonly Meter[]): Meter[] {
  const compared = new Set(
    plans.flatMap(({ phases }) =>
      (phases.at(-1)?.rateCards ?? []).flatMap(({ meter, price, entitlement }) =>
        meter !== undefined && (price !== undefined || entitlement !== undefined) ? [meter] : [],
      ),
    ),
  );
  return meters.filter(({ meterId }) => compared.has(meterId));
}

export type ComparedLine = {
  key: string;
  name: string;
  amount: string;
  /** "1,000 requests · $0.00", one for each tier that was entered. */
  tiers: readonly { key: string; range: string; text: string }[];
};

export type ComparedOffer = {
  planId: string;
  name: string;
  /** Of a month: "$69.00". */
  total: string;
  /** True for a sum over fees of other intervals. */
  isAverage: boolean;
  lines: readonly ComparedLine[];
  /** Why the plan does not hold so much: "Refuses requests beyond 50,000 a month." Undefined when it does. */
  misfit: string | undefined;
  /** The lowest price of its currency among the plans that hold so much. */
  isCheapest: boolean;
};

export type ComparisonInput = {
  plans: readonly Plan[];
  meters: readonly Meter[];
  pricers: ReadonlyMap<string, OfferPricer>;
  /** Whole units of one month, by meter. */
  quantities: ReadonlyMap<string, number>;
};

/** Prices the same usage in every plan, and marks the cheapest of each currency. */
export function comparePrices(input: ComparisonInput): readonly ComparedOffer[] {
  const { plans, meters, pricers, quantities } = input;
  const priced = plans.flatMap((plan) => {
    const offer = pricers.get(plan.planId)?.price(quantities);
    return offer === undefined
      ? []
      : [{ plan, offer, misfit: findMisfit(plan, meters, quantities) }];
  });
  const lowest = new Map<string, bigint>();
  for (const { plan, offer, misfit } of priced) {
    const known = lowest.get(plan.currency);
    if (misfit === undefined && (known === undefined || offer.perMonthMinor < known)) {
      lowest.set(plan.currency, offer.perMonthMinor);
    }
  }
  return priced.map(({ plan, offer, misfit }) => ({
    planId: plan.planId,
    name: plan.name,
    total: formatMinorUnits(offer.perMonthMinor, plan.currency),
    isAverage: offer.isAverage,
    lines: toComparedLines(offer, plan, meters),
    misfit,
    isCheapest: misfit === undefined && offer.perMonthMinor === lowest.get(plan.currency),
  }));
}

/** The first hard limit of the last phase that the quantities are beyond. */
function findMisfit(
  plan: Plan,
  meters: readonly Meter[],
  quantities: ReadonlyMap<string, number>,
): string | undefined {
  for (const { meter, interval, entitlement } of plan.phases.at(-1)?.rateCards ?? []) {
    if (meter === undefined || entitlement?.kind !== "hard") {
      continue;
    }
    const { every, unit } = toInterval(entitlement.refill ?? interval);
    const limit = (Number(entitlement.limit ?? "0") * A_YEAR[unit]) / (12 * every);
    if ((quantities.get(meter) ?? 0) > limit) {
      const name = meters.find(({ meterId }) => meterId === meter)?.unit ?? meter;
      const times = toPerTime(every, unit);
      return t`Denies calls beyond ${formatUnits(entitlement.limit ?? "0", name)} ${times}.`;
    }
  }
  return;
}

function toComparedLines(
  { lines }: PricedOffer,
  plan: Plan,
  meters: readonly Meter[],
): readonly ComparedLine[] {
  const cards = plan.phases.at(-1)?.rateCards ?? [];
  return lines.map((line, index) => {
    const card = cards.find(({ key }) => key === line.card);
    const meter = meters.find(({ meterId }) => meterId === card?.meter);
    const unit = meter?.unit ?? null;
    const hasTiers = line.tiers.length > 1 || line.tiers[0]?.upTo !== null;
    return {
      key: `${String(index)} ${line.name}`,
      name: card?.name ?? findMeterName(meters, card?.meter) ?? toWords(line.name),
      amount: formatMinorUnits(line.amountMinor, plan.currency),
      tiers: hasTiers
        ? line.tiers.map(({ upTo, quantity, amount }, place) => {
            const before = line.tiers[place - 1]?.upTo ?? null;
            const picos = divideHalfAway(amount.numerator, amount.denominator);
            return {
              key: String(place),
              range: formatTierRange(
                before === null ? null : fromScaled(before),
                upTo === null ? null : fromScaled(upTo),
              ),
              text: `${formatUnits(fromScaled(quantity), unit)} · ${formatMoney(fromScaled(picos), plan.currency)}`,
            };
          })
        : [],
    };
  });
}

/**
 * What usage adds to the price of a plan, or what the plan costs a month without any where its price does not say so.
 *
 * @param plan - Its last phase is the one that stays.
 * @param headline - The price that is read above: what its fees come to, a decimal, by the month or another interval.
 * @returns Empty when the price says it all.
 */
export function toIdleText(
  pricer: OfferPricer,
  plan: Pick<Plan, "phases">,
  headline: { fees: string; isMonthly: boolean },
): string {
  const { perMonthMinor, isAverage } = pricer.price(new Map());
  const amount = formatMinorUnits(perMonthMinor, pricer.currency);
  if (!headline.isMonthly || amount !== formatMoney(headline.fees, pricer.currency)) {
    return isAverage
      ? t`${amount} a month on average, without usage`
      : t`${amount} a month without usage`;
  }
  const hasUsagePrice = plan.phases
    .at(-1)
    ?.rateCards.some(({ meter, price }) => meter !== undefined && price !== undefined);
  if (hasUsagePrice !== true) {
    return "";
  }
  return perMonthMinor === 0n ? t`You pay for what you use` : t`plus usage`;
}

/** Whole units of a decimal quantity, for a slider: what is begun counts. */
export function toWholeUnits(quantity: string): number {
  return Number((toScaled(quantity) + SCALE - 1n) / SCALE);
}
