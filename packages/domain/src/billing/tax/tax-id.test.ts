import { describe, expect, it } from "vitest";
import { EU_COUNTRIES } from "./tax-decision.ts";
import { parseTaxId } from "./tax-id.ts";

/** One id of each country with right check digits, where it has some. */
const GOOD: Readonly<Record<string, string>> = {
  AT: "ATU13585627",
  BE: "BE0428759497",
  BG: "BG175074752",
  HR: "HR33392005961",
  CY: "CY10259033P",
  CZ: "CZ25123891",
  DK: "DK13585628",
  EE: "EE100931558",
  FI: "FI20774740",
  FR: "FR40303265045",
  DE: "DE136695976",
  GR: "EL094259216",
  HU: "HU12892312",
  IE: "IE6433435F",
  IT: "IT00743110157",
  LV: "LV40003521600",
  LT: "LT119511515",
  LU: "LU15027442",
  MT: "MT11679112",
  NL: "NL004495445B01",
  PL: "PL8567346215",
  PT: "PT501964843",
  RO: "RO18547290",
  SK: "SK2022749619",
  SI: "SI50223054",
  ES: "ESB58378431",
  SE: "SE123456789701",
};
/** Countries whose ids have a form and no check digit that holds for all. */
const FORM_ALONE = new Set("BG CY CZ IE LV LT RO ES".split(" "));

describe("parseTaxId", () => {
  it("takes a good id of every country of the Union, with its prefix or without", () => {
    expect(Object.keys(GOOD).sort()).toEqual([...EU_COUNTRIES].sort());
    for (const [country, taxId] of Object.entries(GOOD)) {
      expect(parseTaxId(taxId, country), country).toEqual({ taxId });
      expect(parseTaxId(taxId.slice(2), country), country).toEqual({ taxId });
    }
  });

  it("refuses an id with one other digit, of every country that has a check digit", () => {
    for (const [country, taxId] of Object.entries(GOOD)) {
      const at = taxId.search(/\d(?=\d)/) + 3;
      const other = `${taxId.slice(0, at)}${String((Number(taxId[at]) + 1) % 10)}${taxId.slice(at + 1)}`;
      const isTaken = "taxId" in parseTaxId(other, country);
      expect(isTaken, `${country} ${other}`).toBe(FORM_ALONE.has(country));
    }
  });

  it("takes spaces, dots and dashes, and the Belgian ids that begin with 1", () => {
    expect(parseTaxId(" de 136.695-976 ", "DE")).toEqual({ taxId: "DE136695976" });
    expect(parseTaxId("BE1000000021", "BE")).toEqual({ taxId: "BE1000000021" });
  });

  it("refuses the id of another country, and one without a country", () => {
    expect(parseTaxId("DE136695976", "FR")).toHaveProperty("fault");
    expect(parseTaxId("DE136695976", undefined)).toHaveProperty("fault");
  });

  it("takes any text outside the Union", () => {
    expect(parseTaxId("12-3456789", "US")).toEqual({ taxId: "12-3456789" });
  });
});
