import { EU_RATES } from "@turnpike/domain/billing/tax/eu-rates";
import { toScaled } from "@turnpike/domain/money/decimal";
import type { BillingSettings } from "#modules/billing/index.ts";

/** Invented: its tax id has the form of one. */
const SELLER: BillingSettings["seller"] = {
  name: "Turnpike Demo GmbH",
  lines: ["Beispielstraße 1", "10115 Berlin"],
  country: "DE",
  taxId: "DE136695976",
  email: "invoices@demo.example",
  address: { lines: ["Beispielstraße 1"], postalCode: "10115", city: "Berlin", region: null },
};

const TAX: NonNullable<BillingSettings["tax"]> = {
  country: "DE",
  isRegistered: true,
  pricesInclude: "net",
  taxRates: [
    ...EU_RATES,
    {
      country: "DE",
      region: undefined,
      taxClass: "reduced",
      category: "S",
      rate: toScaled("7"),
      name: undefined,
      fromMs: undefined,
      toMs: undefined,
    },
  ],
};

/** Demo tenants buy credit, also where the installation sells none. */
const DEMO_TOP_UPS: NonNullable<BillingSettings["topUps"]> = {
  isTaxed: false,
  offers: [{ currency: "USD", amounts: ["50", "100", "500"], min: "10", max: "2000" }],
};

/** The settings of invoices that show every kind of tax: an invented seller in Germany. */
export function withDemoSeller(
  settings: BillingSettings,
  { pricesInclude }: { pricesInclude: "net" | "gross" } = TAX,
): BillingSettings {
  return { ...settings, seller: SELLER, tax: { ...TAX, pricesInclude } };
}

/**
 * The settings of a demo's invoices: those of the installation where it is set up for tax, else those of the invented seller. Without a
 * seller and a tax, no invoice would have a form as an e-invoice.
 */
export function toDemoSettings(settings: BillingSettings): BillingSettings {
  const { seller, tax } = settings;
  const isSetUp = tax !== undefined && seller.taxId !== null && seller.country !== null;
  const set = isSetUp ? settings : withDemoSeller(settings);
  return { ...set, topUps: DEMO_TOP_UPS };
}
