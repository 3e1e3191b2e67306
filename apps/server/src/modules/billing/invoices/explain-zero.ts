import type { Line } from "@turnpike/domain/billing/rating/line";
import type { Currency } from "@turnpike/domain/money/currency";
import { fromScaled, SCALE } from "@turnpike/domain/money/decimal";
import type { Price, Quantity } from "@turnpike/domain/pricing/price";
import { toPlural } from "@turnpike/domain/text/to-plural";

/** A quantity as people read it: `1,200.5 calls`. */
function toUnits(quantity: Quantity, unit: string | null): string {
  const [whole = "", fraction] = fromScaled(quantity).split(".");
  const grouped = whole.replaceAll(/\B(?=(?:\d{3})+$)/g, ",");
  const name = quantity === SCALE ? (unit ?? "unit") : toPlural(unit ?? "unit");
  return `${grouped}${fraction === undefined ? "" : `.${fraction}`} ${name}`;
}

function explainUsage(
  price: Price,
  { quantity, unit, currency }: { quantity: Quantity; unit: string | null; currency: Currency },
): string {
  const included = price.included ?? 0n;
  if (quantity <= included) {
    return `${toUnits(included, unit)} of each period are included.`;
  }
  const [first] = price.model === "graduated" || price.model === "volume" ? price.tiers : [];
  const isFree = first?.unitAmount === 0n && first.flatAmount === 0n;
  if (isFree && first.upTo !== null && quantity - included <= first.upTo) {
    const units = toUnits(first.upTo, unit);
    return included === 0n
      ? `The first ${units} cost nothing.`
      : `${toUnits(included, unit)} of each period are included, and the first ${units} after that cost nothing.`;
  }
  const isPriceless =
    price.model === "per_unit" ? price.unitAmount === 0n : isFree && first.upTo === null;
  return isPriceless
    ? "The price of one is 0."
    : `It comes to less than half of the smallest amount of ${currency.code}.`;
}

/** Why nothing is charged for a line of usage, in one sentence; `null` for a line with an amount and for other lines. */
export function explainZero(
  { kind, amount, quantity = 0n, source }: Line,
  { unit, currency }: { unit: string | null; currency: Currency },
): string | null {
  if (amount !== 0n || quantity === 0n) {
    return null;
  }
  switch (kind) {
    case "beyondCap":
      return "It is beyond a hard limit or the spend cap, so it is not charged.";
    case "late":
      return "It adds nothing to the charge of its period.";
    case "usage":
      return source?.of === "usage"
        ? explainUsage(source.price, { quantity, unit, currency })
        : null;
    default:
      return null;
  }
}
