import { larger } from "../../money/bounds.ts";
import { type Currency, roundToMinor } from "../../money/currency.ts";
import { SCALE } from "../../money/decimal.ts";
import { toExact } from "../../money/exact.ts";
import type { TierPart } from "../../pricing/cost.ts";
import type { Quantity } from "../../pricing/price.ts";
import { type BillingPlan, isPriced, type PricedCard } from "../catalog/billing-plan.ts";
import type { Line, LineKind, Span } from "./line.ts";
import { chargeAdvance, closeStretch } from "./stretch.ts";

/** A period of any length that is charged whole. */
const FULL: Span = { fromMs: 0, toMs: 1 };

/** What a period is priced for. */
export type PeriodUsage = {
  /** From 0. */
  readonly phaseIndex: number;
  /** Used in the period, by meter; a meter that is not named was not used. */
  readonly quantities: ReadonlyMap<string, Quantity>;
  /** By key of the card; those that are not named have the seats of the plan. */
  readonly seats?: ReadonlyMap<string, Quantity> | undefined;
  readonly currency: Currency;
};

export type PricedLine = {
  /** Fees are `base`, what a minimum adds is a `commitment`. */
  readonly kind: LineKind;
  /** Key of the card; undefined for the minimum of the phase. */
  readonly card: string | undefined;
  readonly name: string;
  readonly quantity: Quantity;
  /** Minor units. */
  readonly amountMinor: bigint;
  readonly tiers: readonly TierPart[];
};

export type PricedPeriod = { readonly lines: readonly PricedLine[]; readonly totalMinor: bigint };

function chargeCard(plan: BillingPlan, card: PricedCard, usage: PeriodUsage): Line[] {
  const owner = {
    planId: plan.planId,
    isAddOn: false,
    runOrder: 0,
    planPlace: plan.place,
    cardPlace: card.place,
    card: card.key,
  };
  const used = card.meterId === undefined ? 0n : (usage.quantities.get(card.meterId) ?? 0n);
  const seats = usage.seats?.get(card.key) ?? card.quantity;
  const stretch = { ...FULL, full: FULL, card, owner, seats, used, uses: [], beyond: [] };
  return [
    ...chargeAdvance(stretch, "base", usage.currency),
    ...closeStretch(stretch, FULL.toMs, usage.currency).lines,
  ];
}

function toPricedLines(plan: BillingPlan, card: PricedCard, usage: PeriodUsage): PricedLine[] {
  return chargeCard(plan, card, usage).map(({ kind, quantity, amount, tiers }) => ({
    kind,
    card: card.key,
    name: card.name ?? card.key,
    quantity: quantity ?? 0n,
    amountMinor: amount,
    tiers,
  }));
}

function trueUp(least: bigint, lines: readonly PricedLine[]): PricedLine[] {
  const missing = larger(least - sumOf(lines), 0n);
  return missing === 0n
    ? []
    : [
        {
          kind: "commitment",
          card: undefined,
          name: "Minimum",
          quantity: SCALE,
          amountMinor: missing,
          tiers: [],
        },
      ];
}

function sumOf(lines: readonly PricedLine[]): bigint {
  return lines.reduce((sum, { amountMinor }) => sum + amountMinor, 0n);
}

/**
 * Prices one full period of each card of a phase, by the functions that bill, before coupons, credit and tax. The minimum of the
 * phase is set against one period of each card, for any intervals.
 *
 * @returns No lines for a phase that is not there.
 */
export function pricePeriod(plan: BillingPlan, usage: PeriodUsage): PricedPeriod {
  const phase = plan.phases[usage.phaseIndex];
  const charged = (phase?.cards ?? [])
    .filter(isPriced)
    .flatMap((card) => toPricedLines(plan, card, usage));
  const least =
    phase?.minimum === undefined ? 0n : roundToMinor(toExact(phase.minimum), usage.currency);
  const lines = [...charged, ...trueUp(least, charged)];
  return { lines, totalMinor: sumOf(lines) };
}
