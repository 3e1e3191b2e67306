import { t } from "@lingui/core/macro";
import { fromScaled, SCALE, toScaled } from "@turnpike/domain/money/decimal";
import { formatUnits } from "#components/billing/invoice-line.view-model.ts";
import { toWords } from "#components/billing/to-words.ts";
import { formatPrice, formatPricePerMonth, toPlanView } from "#components/plan.view-model.ts";
import {
  type Interval,
  isSameInterval,
  toDurationText,
  toInterval,
  toPerInterval,
} from "#components/pricing/interval-words.ts";
import { formatMoney } from "#platform/format-money.ts";
import { findMeterName } from "#platform/name-meter.ts";
import type { Meter, Plan } from "#platform/shared-queries.ts";
import { nameUnit, nameUnits } from "#platform/unit-words.ts";
import { type TierTable, toTierTable } from "./tier-table.view-model.ts";

type Phase = Plan["phases"][number];
type Card = Phase["rateCards"][number];
type Price = NonNullable<Card["price"]>;

/** One thing that a plan charges for or allows, in words. */
export type OfferTerm = {
  key: string;
  text: string;
  /** What else has to be known of it, one sentence each. */
  details: readonly string[];
  tiers: TierTable | undefined;
};

export type OfferPhase = {
  key: string;
  /** Undefined for the only phase of a plan. */
  title: string | undefined;
  terms: readonly OfferTerm[];
};

export type Offer = {
  planId: string;
  name: string;
  description: string;
  currency: string;
  /** The fees of the last phase, a decimal. */
  fees: string;
  /** The same in words: "$49". */
  price: string;
  /** "a month" */
  per: string;
  interval: Interval;
  phases: readonly OfferPhase[];
  /** How usage is paid for, where that is not by invoice; undefined otherwise. */
  payment: string | undefined;
  /** Limits that hold in every phase. */
  limits: readonly string[];
  /** What the plan gives beside its fees, to compare; empty when it is sold by its fees alone. */
  promise: string;
};

/** Writes everything that a plan promises and charges, phase by phase. */
export function toOffer(plan: Plan, meters: readonly Meter[]): Offer {
  const last = plan.phases.at(-1);
  const interval = toMainInterval(last?.rateCards ?? []);
  const summed = sumFees(last?.rateCards ?? [], interval);
  const fees = summed ?? plan.pricePerMonth;
  return {
    planId: plan.planId,
    name: plan.name,
    description: plan.description,
    currency: plan.currency,
    fees,
    price: summed === undefined ? formatPricePerMonth(plan) : formatPrice(summed, plan.currency),
    per: summed === undefined ? t`a month` : toPerInterval(interval),
    interval,
    phases: plan.phases.map((phase, index) => ({
      key: String(index),
      title: toPhaseTitle(plan.phases, index),
      terms: toTerms(phase, { currency: plan.currency, meters }),
    })),
    payment:
      plan.isPrepaid === true
        ? t`Prepaid: calls draw on your credit as they happen, and stop when none is left.`
        : undefined,
    limits: toLimits(plan, meters),
    promise: toPromise(plan),
  };
}

/** Usage, features and limits of the last phase, in any interval: plans that differ in fees alone promise the same. */
function toPromise({ phases, rateLimits, concurrency, scopes, isPrepaid }: Plan): string {
  const cards = (phases.at(-1)?.rateCards ?? [])
    .filter((card) => !isFee(card))
    .map(({ key, meter, price, entitlement }) => ({ key, meter, price, entitlement }));
  return cards.length === 0
    ? ""
    : JSON.stringify({ cards, rateLimits, concurrency, scopes: [...scopes].sort(), isPrepaid });
}

function isPriced(card: Card): card is Card & { price: Price } {
  return card.price !== undefined;
}

function isFee(card: Card): boolean {
  return card.meter === undefined && isPriced(card);
}

/** The interval of the first fee, else of the first card with a price, else a month. */
function toMainInterval(cards: readonly Card[]): Interval {
  return toInterval((cards.find(isFee) ?? cards.find(isPriced))?.interval);
}

/**
 * What the fees come to in one interval, exactly.
 *
 * @returns Undefined when they have tiers or other intervals, so that no one sum says it.
 */
function sumFees(cards: readonly Card[], interval: Interval): string | undefined {
  let sum = 0n;
  for (const { price, quantity, interval: own } of cards.filter(isFee)) {
    if (price?.model !== "flat" || !isSameInterval(toInterval(own), interval)) {
      return;
    }
    // Prices and quantities have twelve decimals each; amounts beyond the twelfth are rounded on the invoice.
    sum += (toScaled(price.amount ?? "0") * toScaled(quantity ?? "1")) / SCALE;
  }
  return fromScaled(sum);
}

/** "First 14 days: free trial", "Then, for 3 months: Ramp", "After that". */
function toPhaseTitle(phases: readonly Phase[], index: number): string | undefined {
  const phase = phases[index];
  if (phases.length === 1 || phase === undefined) {
    return;
  }
  const isTrial = phase.duration !== undefined && !phase.rateCards.some(isPriced);
  const time =
    phase.duration === undefined
      ? t`After that`
      : index === 0
        ? t`First ${toDurationText(phase.duration)}`
        : t`Then, for ${toDurationText(phase.duration)}`;
  const name = phase.name ?? (isTrial ? t`free trial` : undefined);
  return name === undefined ? time : `${time}: ${name}`;
}

type Context = { currency: string; meters: readonly Meter[] };

function toTerms(phase: Phase, context: Context): readonly OfferTerm[] {
  const terms = phase.rateCards.flatMap((card) => [
    ...(isPriced(card) ? [toPriceTerm(card, context)] : []),
    ...toEntitlementTerms(card, context),
  ]);
  if (phase.minimum === undefined) {
    return terms;
  }
  const per = toPerInterval(toMainInterval(phase.rateCards));
  const text = t`At least ${formatMoney(phase.minimum, context.currency)} ${per} in total`;
  return [...terms, { key: "minimum", text, details: [], tiers: undefined }];
}

function toPriceTerm(card: Card & { price: Price }, context: Context): OfferTerm {
  const { price } = card;
  const meter = context.meters.find(({ meterId }) => meterId === card.meter);
  const unit = card.meter === undefined ? undefined : (meter?.unit ?? card.meter);
  const name = card.name ?? findMeterName(context.meters, card.meter) ?? toWords(card.key);
  const per = toPerInterval(toInterval(card.interval));
  const money = (amount: string | undefined) => formatMoney(amount ?? "0", context.currency);
  return {
    key: t`${card.key} price`,
    text: `${name}: ${toPriceText(card, { unit, per, money })}`,
    details: [
      ...(price.included === undefined
        ? []
        : [t`${formatUnits(price.included, unit ?? null)} ${per} included`]),
      ...(price.minimum === undefined ? [] : [t`At least ${money(price.minimum)} ${per}`]),
      ...(price.maximum === undefined ? [] : [t`At most ${money(price.maximum)} ${per}`]),
      ...(unit === undefined && card.timing === "arrears" ? [t`Charged at the end`] : []),
    ],
    tiers: toTierTable(price, { unit: unit ?? "unit", currency: context.currency }),
  };
}

type PriceWords = {
  /** Undefined for a fee. */
  unit: string | undefined;
  per: string;
  money: (amount: string | undefined) => string;
};

function toPriceText({ price, quantity }: Card & { price: Price }, words: PriceWords): string {
  const { unit, per, money } = words;
  switch (price.model) {
    case "flat":
      return toScaled(quantity ?? "1") === SCALE
        ? `${money(price.amount)} ${per}`
        : t`${money(price.amount)} each ${per}, ${formatUnits(quantity ?? "1", null)} to begin with`;
    case "per_unit":
      return unit === undefined
        ? t`${money(price.unitAmount)} each ${per}, ${formatUnits(quantity ?? "1", null)} to begin with`
        : t`${money(price.unitAmount)} for each ${unit}`;
    case "package":
      return t`${money(price.amount)} for every ${formatUnits(price.size ?? "1", unit ?? "unit")} begun`;
    case "percentage":
      return t`${price.rate ?? "0"}% of the ${nameUnits(unit ?? "unit")} counted`;
    case "graduated":
      return t`each ${nameUnit(unit ?? "seat")} at the price of its tier`;
    case "volume":
      return t`all ${nameUnits(unit ?? "seat")} at the price of the tier reached`;
    default:
      return price.model satisfies never;
  }
}

function toEntitlementTerms(card: Card, { meters }: Context): readonly OfferTerm[] {
  const { entitlement } = card;
  if (entitlement === undefined) {
    return [];
  }
  const key = t`${card.key} entitlement`;
  const meter = meters.find(({ meterId }) => meterId === card.meter);
  const unit = meter?.unit ?? card.meter ?? "unit";
  const per = toPerInterval(toInterval(entitlement.refill ?? card.interval));
  const limit = entitlement.limit ?? "0";
  switch (entitlement.kind) {
    case "hard":
      return [
        {
          key,
          text: t`Up to ${formatUnits(limit, unit)} ${per}`,
          details: [t`Then calls are denied.`],
          tiers: undefined,
        },
      ];
    case "soft":
      return [
        {
          key,
          text: `${formatUnits(limit, unit)} ${per}`,
          details: [
            isPriced(card)
              ? t`More is allowed, and charged at the price above.`
              : t`More is allowed, and not charged.`,
          ],
          tiers: undefined,
        },
      ];
    case "static":
      return [
        { key, text: `${card.name ?? toWords(card.key)}: ${limit}`, details: [], tiers: undefined },
      ];
    case "boolean":
      return [{ key, text: card.name ?? toWords(card.key), details: [], tiers: undefined }];
    default:
      return entitlement.kind satisfies never;
  }
}

/** The limits of calls, in the words of the landing page; quotas are in the phases. */
function toLimits(plan: Plan, meters: readonly Meter[]): readonly string[] {
  const hasQuotas = plan.phases.some(({ rateCards }) =>
    rateCards.some(({ entitlement }) => entitlement !== undefined),
  );
  const view = toPlanView({ ...plan, quotas: [] }, meters);
  const isUnlimited = plan.rateLimits.length === 0 && plan.concurrency === null;
  // An add-on brings no limits of calls: those are of the plan beside it.
  return [
    ...(isUnlimited && (plan.isAddOn || hasQuotas || plan.scopes.length > 0)
      ? []
      : view.terms.map(({ text }) => text)),
    ...(plan.scopes.length > 0 ? [t`Scopes: ${plan.scopes.join(", ")}`] : []),
  ];
}
