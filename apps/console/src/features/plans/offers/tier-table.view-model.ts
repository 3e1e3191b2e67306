import { formatTierRange } from "#components/billing/invoice-line.view-model.ts";
import { formatMoney, isZero } from "#platform/format-money.ts";
import type { Plan } from "#platform/shared-queries.ts";
import { nameUnits } from "#platform/unit-words.ts";

type Price = NonNullable<Plan["phases"][number]["rateCards"][number]["price"]>;

export type TierTable = {
  /** What is counted: "Requests". */
  heading: string;
  rows: readonly {
    key: string;
    range: string;
    each: string;
    /** Undefined when no tier of the price has a fee. */
    fee: string | undefined;
  }[];
};

/**
 * Spells out the tiers of a price.
 *
 * @returns Undefined for a price without tiers.
 */
export function toTierTable(
  price: Price,
  { unit, currency }: { unit: string; currency: string },
): TierTable | undefined {
  const tiers = price.tiers ?? [];
  if (tiers.length === 0) {
    return;
  }
  const hasFees = tiers.some(({ flatAmount }) => !isZero(flatAmount ?? "0"));
  const plural = nameUnits(unit);
  return {
    heading: plural.charAt(0).toUpperCase() + plural.slice(1),
    rows: tiers.map((tier, index) => ({
      key: tier.upTo ?? "rest",
      range: formatTierRange(tiers[index - 1]?.upTo ?? null, tier.upTo),
      each: formatMoney(tier.unitAmount ?? "0", currency),
      fee: hasFees ? formatMoney(tier.flatAmount ?? "0", currency) : undefined,
    })),
  };
}
