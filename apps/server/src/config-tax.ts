import { z } from "zod";

const country = z.string().regex(/^[A-Z]{2}$/, "Two capital letters, ISO 3166-1.");
const day = z.iso.date("A day such as 2027-01-01.");

/** A rate of a country. Its taxes begin and end at midnight UTC. */
const taxRate = z
  .strictObject({
    country: country.describe("Country of the customer, ISO 3166-1."),
    region: z
      .string()
      .min(1)
      .max(60)
      .optional()
      .describe(
        "State or province of the customer, as its billing details name it. Left out: the whole country.",
      ),
    class: z
      .string()
      .min(1)
      .max(60)
      .default("standard")
      .describe("The `taxClass` of the rate cards that it is for."),
    category: z
      .enum(["S", "Z", "E"])
      .default("S")
      .describe("`S` a rate above 0, `Z` a rate of 0, `E` exempt; as in EN 16931."),
    rate: z
      .string()
      .regex(/^\d{1,2}(\.\d{1,4})?$/, 'Per cent in quotes, such as "19" or "9.975".')
      .describe("Per cent."),
    name: z
      .string()
      .min(1)
      .max(40)
      .optional()
      .describe("Name of the tax. Taxes with other names are charged beside each other."),
    from: day.optional().describe("First day of the rate. Left out: ever before."),
    to: day.optional().describe("First day on which it no longer holds. Left out: for ever."),
  })
  .refine(({ category, rate }) => (category === "S") === Number(rate) > 0, {
    path: ["rate"],
    error: "A rate of `S` is above 0, and one of `Z` or `E` is 0.",
  })
  .refine(({ from, to }) => from === undefined || to === undefined || from < to, {
    path: ["to"],
    error: "Must be after `from`.",
  });

/** What one unit of a currency is worth, from a day on. */
const exchangeRate = z.strictObject({
  currency: z
    .string()
    .regex(/^[A-Z]{3}$/, "Three capital letters, ISO 4217.")
    .describe("The other currency, ISO 4217."),
  from: day.describe(
    "First day of the rate, from midnight UTC. It counts until the next one, 35 days at most.",
  ),
  rate: z
    .string()
    .regex(/^\d{1,9}(\.\d{1,12})?$/, 'A decimal in quotes, such as "0.9134".')
    .refine((value) => Number(value) > 0, "Must be above 0.")
    .describe("What one unit of it is worth in `billing.tax.currency`."),
});

/** How the seller is taxed. */
export const taxSection = z
  .strictObject({
    registered: z
      .boolean()
      .default(true)
      .describe("False for a seller who is not registered for tax: then nothing is taxed."),
    pricesInclude: z
      .enum(["net", "gross"])
      .default("net")
      .describe("`net`: tax comes on top of the prices of plans. `gross`: it is in them."),
    presets: z
      .array(z.literal("eu"))
      .max(1)
      .default([])
      .describe(
        "Rates that come with Turnpike: `eu` has the standard rates of all member states of the European Union.",
      ),
    rates: z
      .array(taxRate)
      .max(2_000)
      .default([])
      .describe("Your own rates. From its date on, one counts instead of that of a preset."),
    currency: z
      .string()
      .regex(/^[A-Z]{3}$/, "Three capital letters, ISO 4217.")
      .optional()
      .describe(
        "The currency in which you account for tax, ISO 4217. Documents in others state their tax in it as well. Left out: they do not.",
      ),
    exchangeRates: z
      .array(exchangeRate)
      .max(20_000)
      .default([])
      .describe(
        "What other currencies are worth in `currency`, by day. An invoice in a currency without a rate waits.",
      ),
    exchangeSource: z
      .string()
      .min(1)
      .max(60)
      .optional()
      .describe(
        "The publisher of these rates, as documents name it, such as European Central Bank.",
      ),
  })
  .refine(({ currency, exchangeRates }) => currency !== undefined || exchangeRates.length === 0, {
    path: ["currency"],
    error: "Needed for `exchangeRates`: it is what they are in.",
  })
  .optional()
  .describe("Taxes on invoices. Left out: none are charged.");
