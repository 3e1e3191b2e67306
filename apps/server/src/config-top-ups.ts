import { findCurrency } from "@turnpike/domain/money/currency";
import { z } from "zod";

const amount = z
  .string()
  .regex(/^(?!0+(\.0*)?$)\d{1,12}(\.\d{1,3})?$/, 'A decimal in quotes above 0, such as "50".');

/** Credit that customers buy. */
export const topUpsSection = z
  .strictObject({
    taxed: z
      .boolean()
      .default(false)
      .describe(
        "Whether credit is taxed when it is bought (a single-purpose voucher); then what it pays is not taxed again. Otherwise what it pays is taxed when it is used. Ask your tax adviser.",
      ),
    offers: z
      .array(
        z
          .strictObject({
            currency: z
              .string()
              .refine((code) => findCurrency(code) !== undefined, "A currency, ISO 4217.")
              .describe("Customers who are billed in it may buy credit."),
            amounts: z.array(amount).min(1).max(12).describe("What is suggested."),
            min: amount.optional().describe("The least. Default: the smallest amount."),
            max: amount.optional().describe("The most at once. Default: the largest amount."),
          })
          .refine(
            ({ currency, amounts, min = "1", max = "1" }) =>
              [...amounts, min, max].every((text) => fitsCurrency(text, currency)),
            {
              path: ["amounts"],
              error: "No more decimals than the currency has.",
            },
          ),
      )
      .min(1)
      .max(50)
      .refine(
        (offers) => new Set(offers.map(({ currency }) => currency)).size === offers.length,
        "One offer for each currency.",
      ),
  })
  .optional()
  .describe("Credit that customers buy. Left out: none is sold.");

/** True when an amount is whole minor units of a currency. */
function fitsCurrency(text: string, code: string): boolean {
  const digits = findCurrency(code)?.digits ?? 0;
  return (text.split(".")[1] ?? "").replace(/0+$/, "").length <= digits;
}
