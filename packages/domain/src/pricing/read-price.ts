import { toSuggestion } from "../text/suggest.ts";
import type { Reader } from "./catalog-fault.ts";
import type { Price, PriceModel, PriceTier } from "./price.ts";
import {
  type Members,
  readDecimal,
  readList,
  readMembers,
  readOptionalDecimal,
} from "./read-value.ts";

/** The members of each model, beside `model` and the bounds. */
const MODEL_MEMBERS = {
  flat: ["amount"],
  per_unit: ["unitAmount"],
  graduated: ["tiers"],
  volume: ["tiers"],
  package: ["amount", "size"],
  percentage: ["rate"],
} as const satisfies Record<PriceModel["model"], readonly string[]>;

const MODELS = ["flat", "per_unit", "graduated", "volume", "package", "percentage"] as const;
const BOUNDS = ["included", "minimum", "maximum"] as const;
const TIER_MEMBERS = ["upTo", "unitAmount", "flatAmount"] as const;

function reportUnknown(price: Members, known: readonly string[], reader: Reader): void {
  for (const member of Object.keys(price)) {
    if (!known.includes(member)) {
      reader
        .at(member)
        .report(
          "unknown_member",
          `Remove it: this price has ${known.join(", ")}.${toSuggestion(member, known)} Limits for each event need single events, which the ledger does not keep; use minimum and maximum of the period, or a second card.`,
        );
    }
  }
}

function readTier(value: unknown, reader: Reader): PriceTier {
  const tier = readMembers(value, reader);
  reportUnknown(tier, TIER_MEMBERS, reader);
  return {
    upTo: tier["upTo"] === null ? null : readDecimal(tier["upTo"], reader.at("upTo")),
    unitAmount: readOptionalDecimal(tier["unitAmount"], reader.at("unitAmount")) ?? 0n,
    flatAmount: readOptionalDecimal(tier["flatAmount"], reader.at("flatAmount")) ?? 0n,
  };
}

function readTiers(value: unknown, reader: Reader): PriceTier[] {
  const list = readList(value, reader);
  const tiers = list.map((tier, index) => readTier(tier, reader.at(index)));
  if (Array.isArray(value) && list.length === 0) {
    reader.report("tiers_open", "Add a tier with upTo null, which holds every quantity.");
  }
  for (const [index, { upTo }] of tiers.entries()) {
    const isLast = index === tiers.length - 1;
    const before = index === 0 ? undefined : tiers[index - 1]?.upTo;
    if (isLast !== (upTo === null)) {
      reader
        .at(index)
        .at("upTo")
        .report(
          "tiers_open",
          isLast
            ? "Give the last tier upTo null, so that every quantity is in a tier."
            : "Only the last tier may have upTo null: give this one a bound, or remove those after it.",
        );
    }
    if (upTo !== null && before !== undefined && before !== null && upTo <= before) {
      reader
        .at(index)
        .at("upTo")
        .report("tiers_order", "Give each tier a higher bound than the one before it.");
    }
  }
  return tiers;
}

function readSize(value: unknown, reader: Reader): bigint {
  const size = readDecimal(value, reader);
  if (size === 0n && value !== undefined && Number(value) === 0) {
    reader.report("bad_value", "Give a package a size above 0.");
  }
  return size === 0n ? 1n : size;
}

function readModel(model: PriceModel["model"], price: Members, reader: Reader): PriceModel {
  const decimal = (member: string) => readDecimal(price[member], reader.at(member));
  switch (model) {
    case "flat":
      return { model, amount: decimal("amount") };
    case "per_unit":
      return { model, unitAmount: decimal("unitAmount") };
    case "graduated":
    case "volume":
      return { model, tiers: readTiers(price["tiers"], reader.at("tiers")) };
    case "package":
      return { model, amount: decimal("amount"), size: readSize(price["size"], reader.at("size")) };
    case "percentage":
      return { model, rate: decimal("rate") };
  }
}

function readBounds(price: Members, reader: Reader): Pick<Price, (typeof BOUNDS)[number]> {
  const bounds: { -readonly [Bound in (typeof BOUNDS)[number]]?: bigint } = {};
  for (const bound of BOUNDS) {
    const value = readOptionalDecimal(price[bound], reader.at(bound));
    if (value !== undefined) {
      bounds[bound] = value;
    }
  }
  const { minimum, maximum } = bounds;
  if (minimum !== undefined && maximum !== undefined && minimum > maximum) {
    reader.at("minimum").report("minimum_over_maximum", "Lower the minimum or raise the maximum.");
  }
  return bounds;
}

/**
 * Reads a price of a rate card and reports what cannot work.
 *
 * @returns `undefined` when its model is not known.
 */
export function readPrice(value: unknown, reader: Reader): Price | undefined {
  const price = readMembers(value, reader);
  const model = MODELS.find((known) => known === price["model"]);
  if (model === undefined) {
    reader
      .at("model")
      .report(
        "unknown_model",
        `Use one of ${MODELS.join(", ")}.${toSuggestion(String(price["model"]), MODELS)}`,
      );
    return;
  }
  reportUnknown(price, ["model", ...MODEL_MEMBERS[model], ...BOUNDS], reader);
  const read = readModel(model, price, reader);
  return { ...read, ...readBounds(price, reader) };
}
