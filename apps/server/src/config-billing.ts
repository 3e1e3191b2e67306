import { DUNNING_DEFAULT } from "@turnpike/domain/billing/payments/dunning";
import { PRORATION_MODES } from "@turnpike/domain/billing/subscription/subscription";
import { z } from "zod";
import { taxSection } from "./config-tax.ts";

const text = (lengthMax: number) => z.string().trim().max(lengthMax);

const DAYS = "A whole number of days from 1 to 365.";

const prefix = z
  .string()
  .regex(/^[A-Z][A-Z0-9]{0,9}$/, "One to ten capital letters and digits, beginning with a letter.");

const seller = z
  .strictObject({
    name: text(120)
      .default("")
      .describe("Your company, as invoices name it. Default: the brand's name."),
    address: z
      .array(text(120))
      .max(6)
      .default([])
      .describe("Your postal address, line by line, as invoices show it."),
    postalCode: text(20)
      .optional()
      .describe("Your postal code. Left out where `address` has it; e-invoices name it apart."),
    city: text(100).optional().describe("Your city, like `postalCode`."),
    country: z
      .string()
      .regex(/^[A-Z]{2}$/, "Two capital letters, ISO 3166-1.")
      .optional()
      .describe("Your country, ISO 3166-1."),
    taxId: text(40).optional().describe("Your tax id, as invoices show it."),
    email: text(254).optional().describe("Where customers ask about invoices."),
    logo: text(500)
      .optional()
      .describe(
        "A picture at the head of invoices: path of a PNG or JPEG file, relative to the configuration file.",
      ),
  })
  .prefault({});

/** How customers are billed. */
export const billingSection = z
  .strictObject({
    seller,
    tax: taxSection,
    paymentDays: z
      .int("A whole number of days from 0.")
      .min(0, "A whole number of days from 0.")
      .max(365, "At most 365 days.")
      .default(14)
      .describe("Days from the issue of an invoice until it is due."),
    dunning: z
      .strictObject({
        reminderDays: z
          .array(z.int(DAYS).min(1, DAYS).max(365, DAYS))
          .min(1, "At least one day.")
          .max(12, "At most 12 days.")
          .default([...DUNNING_DEFAULT.retryDays])
          .refine(
            (days) => days.every((day, index) => index === 0 || day > (days[index - 1] ?? 0)),
            "Days must rise.",
          )
          .describe(
            "Days after the due date on which an unpaid invoice is reminded of; the last one is the last notice.",
          ),
        graceDays: z
          .int(DAYS)
          .min(1, DAYS)
          .max(365, DAYS)
          .default(DUNNING_DEFAULT.graceDays)
          .describe(
            "Days from the last notice until calls are refused (402 `PAYMENT_REQUIRED`). Payment ends it at once.",
          ),
      })
      .prefault({}),
    proration: z
      .enum(PRORATION_MODES)
      .default("time")
      .describe(
        "What a customer gets back for the rest of a period that a change ends: by time, by the smaller of time and quota left, at the next period, or nothing.",
      ),
    invoicePrefix: prefix.default("INV").describe("Begins the numbers of invoices."),
    documents: z
      .strictObject({
        font: text(500)
          .optional()
          .describe(
            "A font for letters beyond Latin, Greek and Cyrillic, such as Noto Sans JP: path of a TTF or OTF file, relative to the configuration file.",
          ),
      })
      .prefault({}),
    creditNotePrefix: prefix.default("CN").describe("Begins the numbers of credit notes."),
  })
  .prefault({})
  .refine(({ tax, seller: { country } }) => tax === undefined || country !== undefined, {
    path: ["seller", "country"],
    error: "Needed for `tax`: where you are decides which invoices are taxed.",
  })
  .refine(({ invoicePrefix, creditNotePrefix }) => invoicePrefix !== creditNotePrefix, {
    path: ["creditNotePrefix"],
    error: "Must differ from invoicePrefix: both number series would have the same numbers.",
  });
