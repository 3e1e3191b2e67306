import { EU_COUNTRIES } from "./tax-decision.ts";

/** Under which rule a sum of a tax report falls, which says on which return it goes. */
export const TAX_SCHEMES = [
  "domestic",
  "oss",
  "reverse_charge",
  "exempt",
  "outside",
  "untaxed",
] as const;
export type TaxScheme = (typeof TAX_SCHEMES)[number];

/** The category of documents without any tax: none was configured when they were issued. */
export const UNTAXED = "none";

/**
 * Finds the rule by which a sum was taxed. Rates of another member state of the European Union are those of the One Stop Shop (OSS).
 *
 * @param input.category - Of EN 16931, or {@link UNTAXED}.
 */
export function taxSchemeOf({
  category,
  country,
  sellerCountry,
}: {
  category: string;
  country: string;
  sellerCountry: string;
}): TaxScheme {
  switch (category) {
    case UNTAXED:
      return "untaxed";
    case "AE":
      return "reverse_charge";
    case "E":
      return "exempt";
    case "O":
      return "outside";
    default:
      return country !== sellerCountry &&
        EU_COUNTRIES.has(country) &&
        EU_COUNTRIES.has(sellerCountry)
        ? "oss"
        : "domestic";
  }
}
