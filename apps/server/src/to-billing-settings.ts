import { EU_RATES } from "@turnpike/domain/billing/tax/eu-rates";
import type { Seller, TaxRate } from "@turnpike/domain/billing/tax/tax-decision";
import { findCurrency, formatMinor, roundToMinor } from "@turnpike/domain/money/currency";
import { toScaled } from "@turnpike/domain/money/decimal";
import { toExact } from "@turnpike/domain/money/exact";
import { type BillingSettings, toPlaceLine } from "#modules/billing/index.ts";
import type { Config } from "./config.ts";
import { findPngMark } from "./find-png-mark.ts";

type TaxConfig = NonNullable<Config["billing"]["tax"]>;

function toInstant(day: string | undefined): number | undefined {
  return day === undefined ? undefined : Date.parse(day);
}

function toRate(rate: TaxConfig["rates"][number]): TaxRate {
  return {
    country: rate.country,
    region: rate.region,
    taxClass: rate.class,
    category: rate.category,
    rate: toScaled(rate.rate),
    name: rate.name,
    fromMs: toInstant(rate.from),
    toMs: toInstant(rate.to),
  };
}

/** The schema has made sure of a country where there is tax. */
function toSeller({ tax, seller }: Config["billing"]): Seller | undefined {
  if (tax === undefined || seller.country === undefined) {
    return;
  }
  // Of two rows from one day the later counts: the operator's own.
  const presets = tax.presets.includes("eu") ? EU_RATES : [];
  return {
    country: seller.country,
    isRegistered: tax.registered,
    pricesInclude: tax.pricesInclude,
    taxRates: [...presets, ...tax.rates.map(toRate)],
  };
}

function toAccounting({ tax }: Config["billing"]): BillingSettings["accounting"] {
  const currency = findCurrency(tax?.currency);
  return tax === undefined || currency === undefined
    ? undefined
    : {
        currency,
        source: tax.exchangeSource,
        rates: tax.exchangeRates.map(({ currency: code, from, rate }) => ({
          currency: code,
          rate: toScaled(rate),
          fromMs: Date.parse(from),
        })),
      };
}

/** Amounts with the decimals of their currency, from the smallest. */
function toTopUps({ topUps }: Config["billing"]): BillingSettings["topUps"] {
  if (topUps === undefined) {
    return;
  }
  return {
    isTaxed: topUps.taxed,
    offers: topUps.offers.map(({ currency: code, amounts, min, max }) => {
      const currency = findCurrency(code) ?? { code, digits: 2 };
      const minor = (text: string) => roundToMinor(toExact(toScaled(text)), currency);
      const sorted = amounts.map(minor).sort((a, b) => (a < b ? -1 : 1));
      const money = (amount: bigint) => formatMinor(amount, currency);
      return {
        currency: code,
        amounts: sorted.map(money),
        min: money(min === undefined ? (sorted[0] ?? 1n) : minor(min)),
        max: money(max === undefined ? (sorted.at(-1) ?? 1n) : minor(max)),
      };
    }),
  };
}

/** What billing needs of the configuration. */
export function toBillingSettings({
  billing,
  brand,
}: Pick<Config, "billing" | "brand">): BillingSettings {
  const {
    seller,
    dunning,
    documents,
    bank,
    tax: _tax,
    topUps: _topUps,
    stripe: _stripe,
    ...rest
  } = billing;
  const place = { postalCode: seller.postalCode ?? null, city: seller.city ?? null };
  return {
    ...rest,
    dunning: { retryDays: dunning.reminderDays, graceDays: dunning.graceDays },
    tax: toSeller(billing),
    accounting: toAccounting(billing),
    documents: {
      language: brand.language,
      logo: seller.logo ?? findPngMark(brand.mark),
      font: documents.font ?? null,
      mail: documents.mail.enabled
        ? {
            sandbox: documents.mail.sandbox,
            eInvoice: documents.mail.eInvoice === "none" ? null : documents.mail.eInvoice,
          }
        : undefined,
    },
    bank:
      bank === undefined
        ? undefined
        : {
            holder: bank.holder,
            iban: bank.iban ?? null,
            bic: bank.bic ?? null,
            bank: bank.name ?? null,
            lines: bank.lines,
          },
    topUps: toTopUps(billing),
    seller: {
      name: seller.name === "" ? brand.name : seller.name,
      lines: [...seller.address, ...toPlaceLine(place)],
      country: seller.country ?? null,
      taxId: seller.taxId ?? null,
      email: seller.email ?? null,
      address: { lines: seller.address, ...place, region: null },
    },
  };
}
