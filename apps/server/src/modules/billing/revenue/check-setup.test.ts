import { EU_RATES } from "@turnpike/domain/billing/tax/eu-rates";
import { expect, it } from "vitest";
import { TEST_BILLING } from "../testing/billing.fixture.ts";
import { GERMAN_SELLER } from "../testing/taxed.fixture.ts";
import { checkSetup, type SetupFacts } from "./check-setup.ts";

const NOW_MS = Date.UTC(2027, 0, 1);
const SELLER = {
  name: "Beispiel GmbH",
  lines: ["Hauptstraße 1", "10115 Berlin"],
  country: "DE",
  taxId: "DE136695976",
  email: "rechnung@example.com",
  address: { lines: ["Hauptstraße 1"], postalCode: "10115", city: "Berlin", region: null },
};
const FACTS: SetupFacts = {
  settings: {
    ...{ ...TEST_BILLING, seller: SELLER, tax: { ...GERMAN_SELLER, taxRates: EU_RATES } },
    accounting: { currency: { code: "EUR", digits: 2 }, rates: [], source: undefined },
  },
  customers: [
    {
      country: null,
      region: null,
      taxIdStatus: null,
      isExempt: false,
      currency: "EUR",
      customers: 3,
    },
    {
      country: "FR",
      region: null,
      taxIdStatus: "pending",
      isExempt: false,
      currency: "EUR",
      customers: 1,
    },
    {
      country: "US",
      region: null,
      taxIdStatus: null,
      isExempt: false,
      currency: "EUR",
      customers: 1,
    },
  ],
  taxClasses: ["standard"],
  prepaidCurrencies: [],
  held: undefined,
  sendsMail: true,
  nowMs: NOW_MS,
};

const badOf = (facts: SetupFacts) =>
  checkSetup(facts)
    .filter(({ state }) => state !== "ok")
    .map(({ check, state }) => `${check} ${state}`);

it("finds nothing to say of a seller who has everything", () => {
  expect(badOf(FACTS)).toEqual([]);
});

it("names what an invoice lacks", () => {
  const seller = { ...SELLER, name: "", lines: [], country: null, taxId: null, email: null };
  expect(badOf({ ...FACTS, settings: { ...FACTS.settings, seller }, sendsMail: false })).toEqual([
    "sellerName missing",
    "sellerAddress missing",
    "sellerCountry missing",
    "sellerTaxId missing",
    "sellerEmail advice",
    "mail advice",
  ]);
});

it("says that a seller of the Union who taxes nothing should", () => {
  expect(badOf({ ...FACTS, settings: { ...FACTS.settings, tax: undefined } })).toEqual([
    "tax missing",
  ]);
});

it("names countries and classes of customers without a rate, and accounts that wait", () => {
  const facts = { ...FACTS, taxClasses: ["books", "standard"], held: "1 account waits." };
  expect(badOf(facts)).toEqual(["taxRates missing", "heldAccounts missing"]);
  // A customer outside the Union needs none.
  expect(checkSetup(facts).find(({ check }) => check === "taxRates")?.text).toContain(
    "DE (books), FR (books).",
  );
});

it("says which currency of a taxed customer has no exchange rate, or soon none", () => {
  const [home] = FACTS.customers;
  const customers = [
    ...(home === undefined ? [] : [{ ...home, currency: "USD" }]),
    // Not taxed, so nothing is to be stated.
    ...FACTS.customers.slice(2).map((customer) => ({ ...customer, currency: "JPY" })),
  ];
  const withRate = (day: string) => {
    const rates = [{ currency: "USD", rate: 1n, fromMs: Date.parse(day) }];
    const accounting = { currency: { code: "EUR", digits: 2 }, rates, source: undefined };
    const facts = { ...FACTS, customers, settings: { ...FACTS.settings, accounting } };
    return checkSetup(facts).find(({ check }) => check === "exchangeRates")?.text;
  };
  expect(withRate("2027-01-02")).toContain(": USD has no rate.");
  expect(withRate("2026-12-02")).toContain(": the rate of USD ends on 2027-01-06.");
  expect(withRate("2026-12-31")).toContain("each currency that needs a rate has one");
});

it("finds customers of prepaid plans who cannot buy credit in their currency", () => {
  const offer = { currency: "EUR", amounts: [], min: "1", max: "9" };
  const selling = { ...FACTS.settings, topUps: { isTaxed: false, offers: [offer] } };
  const facts = { ...FACTS, settings: selling, prepaidCurrencies: ["EUR"] };
  expect(badOf(facts)).toEqual([]);
  expect(badOf({ ...facts, prepaidCurrencies: ["EUR", "USD"] })).toEqual(["topUps missing"]);
  expect(badOf({ ...FACTS, prepaidCurrencies: ["EUR"] })).toEqual(["topUps missing"]);
});
