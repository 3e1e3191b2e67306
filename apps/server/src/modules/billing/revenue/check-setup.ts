import type { SetupCheck } from "@turnpike/contract/billing-setup";
import { EU_COUNTRIES } from "@turnpike/domain/billing/tax/tax-decision";
import { taxKindsAt } from "@turnpike/domain/billing/tax/tax-lines";
import type { BillingSettings } from "../billing-settings.ts";
import { findRateTrouble } from "./find-rate-trouble.ts";
import type { CustomerCountryRow } from "./setup.store.ts";

export type SetupFacts = {
  settings: BillingSettings;
  /** How customers with a live subscription are taxed. */
  customers: readonly CustomerCountryRow[];
  /** Of the plans they have. */
  taxClasses: readonly string[];
  /** Of the prepaid plans that customers have. */
  prepaidCurrencies: readonly string[];
  /** What health says of accounts that wait; undefined when none does. */
  held: string | undefined;
  sendsMail: boolean;
  nowMs: number;
};

type Check = (facts: SetupFacts) => Omit<SetupCheck, "check">;

const ok = (text: string) => ({ state: "ok" as const, text });
const advice = (text: string) => ({ state: "advice" as const, text });
const missing = (text: string) => ({ state: "missing" as const, text });

/** Countries and classes of customers for which the table has no rate now: their accounts would wait. */
function listMissingRates({ settings, customers, taxClasses, nowMs }: SetupFacts): string[] {
  const seller = settings.tax;
  if (seller === undefined) {
    return [];
  }
  const lacking = customers.flatMap(({ country, region, taxIdStatus, isExempt }) => {
    const customer = {
      country: country ?? undefined,
      region: region ?? undefined,
      taxId: undefined,
      taxIdStatus: taxIdStatus ?? undefined,
      isExempt,
    };
    return taxClasses
      .filter((taxClass) => taxKindsAt(taxClass, { seller, customer, atMs: nowMs }).length === 0)
      .map((taxClass) => `${country ?? seller.country} (${taxClass})`);
  });
  return [...new Set(lacking)].sort();
}

function checkExchangeRates({ settings, customers, nowMs }: SetupFacts) {
  const { accounting, tax, seller } = settings;
  if (accounting === undefined) {
    return tax !== undefined && EU_COUNTRIES.has(seller.country ?? "")
      ? advice(
          "Invoices in another currency than yours state their tax in yours as well: set billing.tax.currency if you issue any.",
        )
      : ok("Documents state their tax in their own currency alone.");
  }
  const trouble = findRateTrouble(settings, { customers, nowMs });
  return trouble === undefined
    ? ok(
        `Tax is accounted for in ${accounting.currency.code}, and each currency that needs a rate has one.`,
      )
    : missing(trouble);
}

const CHECKS: Readonly<Record<SetupCheck["check"], Check>> = {
  sellerName: ({ settings: { seller } }) => ({
    setting: "billing.seller.name",
    ...(seller.name === ""
      ? missing("Invoices need the full name of your company.")
      : ok(`Invoices are issued by ${seller.name}.`)),
  }),
  sellerAddress: ({ settings: { seller } }) => {
    const { address } = seller;
    const isWhole =
      seller.lines.length > 0 && (address?.city ?? null) !== null && address?.postalCode !== null;
    return {
      setting: "billing.seller.address",
      ...(seller.lines.length === 0
        ? missing("Invoices need your postal address.")
        : isWhole
          ? ok(seller.lines.join(", "))
          : advice("E-invoices need postalCode and city apart from the lines of the address.")),
    };
  },
  sellerCountry: ({ settings: { seller } }) => ({
    setting: "billing.seller.country",
    ...(seller.country === null
      ? missing("Your country decides which invoices are taxed.")
      : ok(seller.country)),
  }),
  sellerTaxId: ({ settings: { seller, tax } }) => ({
    setting: "billing.seller.taxId",
    ...(seller.taxId !== null
      ? ok(seller.taxId)
      : tax?.isRegistered === true
        ? missing("You charge tax, so invoices need your tax id.")
        : advice("Where you are registered for tax, invoices need your tax id.")),
  }),
  sellerEmail: ({ settings: { seller } }) => ({
    setting: "billing.seller.email",
    ...(seller.email === null
      ? advice("Customers do not see where to ask about an invoice.")
      : ok(seller.email)),
  }),
  tax: ({ settings: { tax, seller } }) => ({
    setting: "billing.tax",
    ...(tax !== undefined
      ? ok(
          tax.isRegistered
            ? `Taxed as a seller in ${tax.country}.`
            : "You are not registered: no tax is charged.",
        )
      : EU_COUNTRIES.has(seller.country ?? "")
        ? missing(
            "No tax is charged. Sellers in the European Union charge VAT, or say that they are not registered.",
          )
        : advice("No tax is charged. Ask your tax adviser whether that is right.")),
  }),
  taxRates: (facts) => {
    const lacking = listMissingRates(facts);
    return {
      setting: "billing.tax.rates",
      ...(lacking.length > 0
        ? missing(
            `Customers wait for a rate: ${lacking.join(", ")}. Their invoices are not issued.`,
          )
        : ok(
            facts.settings.tax === undefined
              ? "Nothing is taxed, so no rate is needed."
              : "Each customer with a subscription has a rate.",
          )),
    };
  },
  exchangeRates: (facts) => ({
    setting: "billing.tax.exchangeRates",
    ...checkExchangeRates(facts),
  }),
  topUps: ({ settings: { topUps }, prepaidCurrencies }) => {
    const sold = new Set(topUps?.offers.map(({ currency }) => currency));
    const lacking = prepaidCurrencies.filter((currency) => !sold.has(currency));
    return {
      setting: "billing.topUps",
      ...(lacking.length > 0
        ? missing(
            `Customers of prepaid plans cannot buy credit in ${lacking.join(", ")}: their calls stop when what you grant is used up.`,
          )
        : ok(
            prepaidCurrencies.length === 0
              ? "No customer has a prepaid plan."
              : "Customers of prepaid plans can buy credit in their currency.",
          )),
    };
  },
  heldAccounts: ({ held }) => ({
    setting: "billing.tax.rates",
    ...(held === undefined ? ok("No account waits for you.") : missing(held)),
  }),
  mail: ({ sendsMail }) => ({
    setting: "mail.smtp",
    ...(sendsMail
      ? ok("Reminders go by mail.")
      : advice("No mail is sent: customers see reminders in the console only.")),
  }),
};

/** Says what is there and what is missing for a right invoice, in the order in which it is set up. */
export function checkSetup(facts: SetupFacts): SetupCheck[] {
  return (Object.keys(CHECKS) as SetupCheck["check"][]).map((check) => ({
    check,
    ...CHECKS[check](facts),
  }));
}
