/** A second, slow reading of prices, to hold the product's against: it adds up unit by unit. */

type Price = Readonly<Record<string, unknown>>;
type Tier = { upTo: string | null; unitAmount?: string; flatAmount?: string };

const PICO_DIGITS = 12;
const PICOS = 10n ** BigInt(PICO_DIGITS);

/** "12.5" as 12_500_000_000_000n. */
function toPicos(decimal: unknown): bigint {
  const [whole = "0", fraction = ""] = String(decimal ?? "0").split(".");
  return BigInt(whole) * PICOS + BigInt(fraction.padEnd(PICO_DIGITS, "0") || "0");
}

export function roundHalfAway(value: bigint, divisor: bigint): bigint {
  const magnitude = value < 0n ? -value : value;
  const doubled = (magnitude * 2n) / divisor;
  const rounded = (doubled + 1n) / 2n;
  return value < 0n ? -rounded : rounded;
}

function addTiers(tiers: readonly Tier[], units: number): bigint {
  let total = toPicos(tiers[0]?.flatAmount);
  let place = 0;
  for (let unit = 1; unit <= units; unit += 1) {
    const end = tiers[place]?.upTo;
    if (end !== null && end !== undefined && unit > Number(end)) {
      place += 1;
      total += toPicos(tiers[place]?.flatAmount);
    }
    total += toPicos(tiers[place]?.unitAmount);
  }
  return total;
}

/** What a number of units comes to in picos; seats may be a fraction, units of tiers and packages are whole. */
export function priceAgain(price: Price, quantity: string): bigint {
  const included = toPicos(price["included"]);
  const asked = toPicos(quantity) - included;
  const left = asked > 0n ? asked : 0n;
  const units = Number(left / PICOS);
  const tiers = (price["tiers"] ?? []) as readonly Tier[];
  const cost = (() => {
    switch (price["model"]) {
      case "flat":
        return (left * toPicos(price["amount"])) / PICOS;
      case "per_unit":
        return (left * toPicos(price["unitAmount"])) / PICOS;
      case "graduated":
        return addTiers(tiers, units);
      case "volume": {
        const tier = tiers.find(({ upTo }) => upTo === null || units <= Number(upTo));
        return BigInt(units) * toPicos(tier?.unitAmount) + toPicos(tier?.flatAmount);
      }
      case "package":
        return BigInt(Math.ceil(units / Number(price["size"]))) * toPicos(price["amount"]);
      default:
        return (left * toPicos(price["rate"])) / (100n * PICOS);
    }
  })();
  const most = price["maximum"] === undefined ? undefined : toPicos(price["maximum"]);
  return most !== undefined && cost > most ? most : cost;
}
