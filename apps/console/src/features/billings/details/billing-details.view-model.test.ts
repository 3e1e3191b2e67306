import { describe, expect, it } from "vitest";
import { makeDetails } from "./billing-details.fixture.ts";
import { listAddressLines, toDraft, toInput, toTaxIdState } from "./billing-details.view-model.ts";
import { listCountries, nameCountry } from "./countries.ts";

const GIVEN = makeDetails({
  companyName: "Exemple SARL",
  addressLines: ["1 rue Haute", "Bâtiment B"],
  postalCode: "75001",
  city: "Paris",
  country: "FR",
  taxId: "FR40303265045",
  taxIdStatus: "pending",
  language: "de",
});

describe("billing details", () => {
  it("come back from the form as they went in", () => {
    const { taxIdStatus, taxIdReason, isExempt, exemption, updatedAt, ...given } = GIVEN;
    expect(toInput(GIVEN.tenantId, toDraft(GIVEN))).toEqual(given);
  });

  it("give nothing for what is empty or blank", () => {
    const draft = { ...toDraft(makeDetails()), city: "  ", address: "\n \n" };
    expect(toInput(GIVEN.tenantId, draft)).toMatchObject({ city: null, addressLines: [] });
  });

  it("show an address as a letter has it, without what is not given", () => {
    expect(listAddressLines(GIVEN)).toEqual([
      "Exemple SARL",
      "1 rue Haute",
      "Bâtiment B",
      "75001 Paris",
      "France",
    ]);
    expect(listAddressLines(makeDetails({ city: "Oslo" }))).toEqual(["Oslo"]);
    expect(listAddressLines(makeDetails())).toEqual([]);
  });

  it.each([
    ["pending", "Being checked"],
    ["confirmed", "Confirmed"],
    ["invalid", "Refused"],
  ] as const)("say that a tax id is %s", (taxIdStatus, label) => {
    expect(toTaxIdState(makeDetails({ taxId: "FR1", taxIdStatus }))).toMatchObject({ label });
  });

  it("say nothing of a tax id that is not given", () => {
    expect(toTaxIdState(makeDetails())).toBeUndefined();
  });
});

describe("countries", () => {
  it("have a name each, sorted, and codes of two letters", () => {
    const countries = listCountries();
    expect(countries).toHaveLength(249);
    expect(countries.filter(({ code, name }) => !/^[A-Z]{2}$/.test(code) || name === code)).toEqual(
      [],
    );
    const names = countries.map(({ name }) => name);
    expect(names).toEqual(names.toSorted(new Intl.Collator("en").compare));
  });

  it("show a code that no country has as it is", () => {
    expect(nameCountry("XX")).toBe("XX");
  });
});
