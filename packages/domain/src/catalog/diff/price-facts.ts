import { toGrouped } from "../../text/to-grouped.ts";
import { toPlural } from "../../text/to-plural.ts";
import type { IntervalTerms, PriceTerms, PriceTierTerms } from "../plan-phase.ts";
import { type Fact, groupFact, valueFact } from "./fact.ts";

/** A decimal that may be missing. */
export function decimalFact(label: string, decimal: string | undefined): Fact | undefined {
  return decimal === undefined ? undefined : valueFact(label, decimal, toGrouped(decimal));
}

/** "every month", "every 3 months". */
export function describeInterval(interval: IntervalTerms): string {
  const parts = Object.entries(interval).map(([unit, count]) =>
    count === 1 ? `every ${unit}` : `every ${String(count)} ${toPlural(unit)}`,
  );
  return parts.join(", ");
}

function toTierFact(tier: PriceTierTerms, index: number): Fact {
  const end = tier.upTo === null ? "no end" : toGrouped(tier.upTo);
  const unit = toGrouped(tier.unitAmount ?? "0");
  return groupFact(
    {
      label: `tier ${String(index + 1)}`,
      text: `${tier.upTo === null ? "no end" : `up to ${end}`}, ${unit} a unit`,
      value: tier,
    },
    {
      upTo: valueFact("end", tier.upTo, end),
      unitAmount: decimalFact("unit price", tier.unitAmount ?? "0"),
      flatAmount: decimalFact("fee", tier.flatAmount ?? "0"),
    },
  );
}

/** What a price reads like in one line: "0.002 a unit", "graduated, 3 tiers". */
export function describePrice(price: PriceTerms): string {
  const grouped = (decimal: string | undefined) => toGrouped(decimal ?? "?");
  switch (price.model) {
    case "flat":
      return grouped(price.amount);
    case "per_unit":
      return `${grouped(price.unitAmount)} a unit`;
    case "package":
      return `${grouped(price.amount)} for each ${grouped(price.size)} units`;
    case "percentage":
      return `${grouped(price.rate)} %`;
    case "graduated":
    case "volume": {
      const count = price.tiers?.length ?? 0;
      return `${price.model}, ${String(count)} ${count === 1 ? "tier" : "tiers"}`;
    }
  }
}

/** The facts of a price. A price of another model is another price. */
export function toPriceFact(price: PriceTerms): Fact {
  const tiers = (price.tiers ?? []).map((tier, index) => [String(index), toTierFact(tier, index)]);
  const isTiered = price.model === "graduated" || price.model === "volume";
  return groupFact(
    {
      label: "price",
      text: describePrice(price),
      value: price,
      role: "silent",
      kind: isTiered ? "tiers" : price.model,
    },
    {
      model: isTiered ? valueFact("model", price.model) : undefined,
      amount: decimalFact("amount", price.amount),
      unitAmount: decimalFact("unit price", price.unitAmount),
      size: decimalFact("package size", price.size),
      rate: decimalFact("rate", price.rate),
      included: decimalFact("included units", price.included),
      minimum: decimalFact("minimum", price.minimum),
      maximum: decimalFact("maximum", price.maximum),
      tiers: groupFact(
        { label: "tiers", text: "", value: null, role: "silent" },
        Object.fromEntries(tiers),
      ),
    },
  );
}
