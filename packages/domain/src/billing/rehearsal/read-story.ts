import { findCurrency } from "../../money/currency.ts";
import { type CatalogFault, createReader, type Reader } from "../../pricing/catalog-fault.ts";
import {
  isMembers,
  type Members,
  readDecimal,
  readList,
  readMembers,
  readText,
} from "../../pricing/read-value.ts";
import { parseInstant } from "../../time/parse-instant.ts";
import type { BillingTerms } from "../account/account.ts";
import { readBillingCatalog } from "../catalog/read-billing-catalog.ts";
import { DUNNING_DEFAULT, type DunningTerms } from "../payments/dunning.ts";
import { PRORATION_MODES } from "../subscription/subscription.ts";
import { type Customer, type Seller, TAX_ID_STATUSES, type TaxRate } from "../tax/tax-decision.ts";

/** A story in the terms of the engine. */
export type Story = {
  readonly terms: BillingTerms;
  readonly customer: Customer;
  readonly steps: readonly unknown[];
  /** Time runs up to and including this instant; undefined for that of the last step. */
  readonly untilMs: number | undefined;
};

function isGiven(value: unknown): boolean {
  return value !== undefined && value !== null;
}

function readInstant(value: unknown, reader: Reader): number | undefined {
  if (!isGiven(value)) {
    return;
  }
  const parsed = typeof value === "string" ? parseInstant(value) : undefined;
  if (parsed === undefined || "fault" in parsed) {
    reader.report("bad_value", "Write it as a date or an instant, such as 2026-01-31T09:30:00Z.");
    return;
  }
  return Date.parse(parsed.instant);
}

function readOptionalText(value: unknown, reader: Reader): string | undefined {
  return isGiven(value) ? readText(value, reader) : undefined;
}

function readWord<Word extends string>(
  value: unknown,
  words: readonly Word[],
  reader: Reader,
): Word | undefined {
  const word = words.find((known) => known === value);
  if (isGiven(value) && word === undefined) {
    reader.report("bad_value", `Use one of ${words.join(", ")}.`);
  }
  return word;
}

function readTaxRate(value: unknown, reader: Reader): TaxRate {
  const rate = readMembers(value, reader);
  return {
    country: readText(rate["country"], reader.at("country")),
    region: readOptionalText(rate["region"], reader.at("region")),
    taxClass: readOptionalText(rate["class"], reader.at("class")) ?? "standard",
    category: readText(rate["category"], reader.at("category")),
    rate: readDecimal(rate["rate"], reader.at("rate")),
    name: readOptionalText(rate["name"], reader.at("name")),
    fromMs: readInstant(rate["from"], reader.at("from")),
    toMs: readInstant(rate["to"], reader.at("to")),
  };
}

function readSeller(value: unknown, reader: Reader): Seller | undefined {
  if (!isGiven(value)) {
    return;
  }
  const seller = readMembers(value, reader);
  const rates = isGiven(seller["taxRates"])
    ? readList(seller["taxRates"], reader.at("taxRates"))
    : [];
  return {
    country: readText(seller["country"], reader.at("country")),
    isRegistered: seller["registered"] !== false,
    pricesInclude:
      readWord(seller["pricesInclude"], ["net", "gross"], reader.at("pricesInclude")) ?? "net",
    taxRates: rates.map((rate, index) => readTaxRate(rate, reader.at("taxRates").at(index))),
  };
}

function readCustomer(value: unknown, reader: Reader): Customer {
  const customer = isGiven(value) ? readMembers(value, reader) : {};
  return {
    country: readOptionalText(customer["country"], reader.at("country")),
    region: readOptionalText(customer["region"], reader.at("region")),
    taxId: readOptionalText(customer["taxId"], reader.at("taxId")),
    taxIdStatus: readWord(customer["taxIdStatus"], TAX_ID_STATUSES, reader.at("taxIdStatus")),
    isExempt: customer["exempt"] === true,
  };
}

function isDays(value: unknown): value is number {
  return typeof value === "number" && Number.isInteger(value) && value >= 0 && value <= 10_000;
}

function readDunning(value: unknown, reader: Reader): DunningTerms {
  const { retryDays = DUNNING_DEFAULT.retryDays, graceDays = DUNNING_DEFAULT.graceDays } = isGiven(
    value,
  )
    ? readMembers(value, reader)
    : {};
  const days = readList(retryDays, reader.at("retryDays"));
  if (!days.every(isDays) || !isDays(graceDays)) {
    reader.report("bad_value", "Give days as whole numbers from 0.");
    return DUNNING_DEFAULT;
  }
  return { retryDays: days.toSorted((a, b) => a - b), graceDays };
}

function readTerms(story: Members, reader: Reader): BillingTerms {
  const currency = findCurrency(story["currency"]);
  if (currency === undefined) {
    reader
      .at("currency")
      .report("bad_value", "Give the currency by its three letters of ISO 4217, such as EUR.");
  }
  const seller = readSeller(story["seller"], reader.at("seller"));
  const catalog = readBillingCatalog(story["catalog"], reader.at("catalog"));
  return {
    currency: currency ?? { code: "XXX", digits: 2 },
    seller,
    catalog,
    proration: readWord(story["proration"], PRORATION_MODES, reader.at("proration")) ?? "time",
    dunning: readDunning(story["dunning"], reader.at("dunning")),
  };
}

/**
 * Reads a story and everything in it that does not depend on time.
 *
 * @param value - A parsed line of JSON.
 * @returns The story, or what cannot work, in the order of the document.
 */
export function readStory(value: unknown): { story: Story } | { faults: CatalogFault[] } {
  const faults: CatalogFault[] = [];
  const reader = createReader(faults);
  if (!isMembers(value)) {
    reader.report("bad_value", "A story is an object with a catalog and a story.");
    return { faults };
  }
  const story: Story = {
    terms: readTerms(value, reader),
    customer: readCustomer(value["customer"], reader.at("customer")),
    steps: readList(value["story"], reader.at("story")),
    untilMs: readInstant(value["until"], reader.at("until")),
  };
  return faults.length === 0 ? { story } : { faults };
}
