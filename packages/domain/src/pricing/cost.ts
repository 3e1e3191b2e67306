import { larger } from "../money/bounds.ts";
import { SCALE } from "../money/decimal.ts";
import { type Exact, minExact, toExact } from "../money/exact.ts";
import type { Price, PriceTier, Quantity } from "./price.ts";

/** What one tier of a price holds. */
export type TierPart = {
  readonly upTo: Quantity | null;
  readonly quantity: Quantity;
  /** Exact, before a maximum. */
  readonly amount: Exact;
};

function toPart(tier: PriceTier, quantity: Quantity): TierPart {
  return {
    upTo: tier.upTo,
    quantity,
    amount: { numerator: quantity * tier.unitAmount + tier.flatAmount * SCALE, denominator: SCALE },
  };
}

function splitGraduated(tiers: readonly PriceTier[], quantity: Quantity): TierPart[] {
  const parts: TierPart[] = [];
  let floor = 0n;
  for (const [index, tier] of tiers.entries()) {
    if (index > 0 && quantity <= floor) {
      break;
    }
    const end = tier.upTo === null || quantity < tier.upTo ? quantity : tier.upTo;
    parts.push(toPart(tier, end - floor));
    floor = tier.upTo ?? end;
  }
  return parts;
}

function splitVolume(tiers: readonly PriceTier[], quantity: Quantity): TierPart[] {
  const tier = tiers.find(({ upTo }) => upTo === null || quantity <= upTo);
  return tier === undefined ? [] : [toPart(tier, quantity)];
}

/** The quantity that is charged: included units come off first, in every model. */
function chargeable(price: Price, quantity: Quantity): Quantity {
  const left = quantity - (price.included ?? 0n);
  return larger(left, 0n);
}

/**
 * Lists what each tier that was entered holds, after included units.
 *
 * @returns Empty for prices without tiers.
 */
export function listTierParts(price: Price, quantity: Quantity): TierPart[] {
  const charged = chargeable(price, quantity);
  switch (price.model) {
    case "graduated":
      return splitGraduated(price.tiers, charged);
    case "volume":
      return splitVolume(price.tiers, charged);
    default:
      return [];
  }
}

function sumParts(parts: readonly TierPart[]): Exact {
  return {
    numerator: parts.reduce((sum, { amount }) => sum + amount.numerator, 0n),
    denominator: SCALE,
  };
}

function costBeforeMaximum(price: Price, quantity: Quantity): Exact {
  const charged = chargeable(price, quantity);
  switch (price.model) {
    case "flat":
      return { numerator: price.amount * charged, denominator: SCALE };
    case "per_unit":
      return { numerator: price.unitAmount * charged, denominator: SCALE };
    case "graduated":
      return sumParts(splitGraduated(price.tiers, charged));
    case "volume":
      return sumParts(splitVolume(price.tiers, charged));
    case "package":
      return toExact(((charged + price.size - 1n) / price.size) * price.amount);
    case "percentage":
      return { numerator: price.rate * charged, denominator: SCALE * 100n };
  }
}

/**
 * Prices the whole quantity of one period, exactly.
 *
 * Example: graduated with 1,000 units at 0 and 0.002 for each one after that gives 1.00 for 1,500 units. The flat fee of the
 * first tier is due at 0 as well.
 *
 * @param quantity - What was used in the period, or the seats of a fee; 0 or more.
 * @returns The unrounded amount, at most `maximum`. A `minimum` is charged apart, see `rating/commitment.ts`.
 */
export function costOf(price: Price, quantity: Quantity): Exact {
  const cost = costBeforeMaximum(price, quantity);
  return price.maximum === undefined ? cost : minExact(cost, toExact(price.maximum));
}
