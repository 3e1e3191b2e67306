import { expect, it } from "vitest";
import { taxSchemeOf } from "./tax-scheme.ts";

it.each([
  ["S", "DE", "DE", "domestic"],
  ["Z", "DE", "DE", "domestic"],
  ["S", "FR", "DE", "oss"],
  ["AA", "FR", "DE", "oss"],
  ["S", "US", "US", "domestic"],
  ["AE", "FR", "DE", "reverse_charge"],
  ["E", "DE", "DE", "exempt"],
  ["O", "US", "DE", "outside"],
  ["none", "ZZ", "ZZ", "untaxed"],
] as const)(
  "a sum of category %s to %s from %s is %s",
  (category, country, sellerCountry, scheme) => {
    expect(taxSchemeOf({ category, country, sellerCountry })).toBe(scheme);
  },
);
