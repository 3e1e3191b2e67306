import { parseBic, parseIban } from "@turnpike/domain/billing/payments/check-digits";
import { DUNNING_DEFAULT } from "@turnpike/domain/billing/payments/dunning";
import { PRORATION_MODES } from "@turnpike/domain/billing/subscription/subscription";
import { z } from "zod";
import { writeLike } from "./config-shape.ts";
import { stripeSection } from "./config-stripe.ts";
import { taxSection } from "./config-tax.ts";
import { topUpsSection } from "./config-top-ups.ts";

const text = (lengthMax: number) => z.string().trim().max(lengthMax);

const DAYS = "A whole number of days from 1 to 365.";

const prefix = z
  .string()
  .regex(/^[A-Z][A-Z0-9]{0,9}$/, "One to ten capital letters and digits, beginning with a letter.");

const seller = z
  .strictObject(
    {
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
          "A picture at the head of invoices: path of a PNG or JPEG file, relative to the configuration file. Default: the brand's mark, if that is a PNG.",
        ),
    },
    writeLike("seller: { name: Acme Ltd, address: [1 Quay, Galway], country: IE }"),
  )
  .prefault({});

const IBAN = "An IBAN with right check digits, such as DE89 3704 0044 0532 0130 00.";
const BIC = "A BIC of 8 or 11 characters, such as COBADEFFXXX.";

const bank = z
  .strictObject({
    holder: text(120).min(1, "Must not be empty.").describe("The holder of the account."),
    iban: z
      .string()
      .refine((value) => parseIban(value) !== undefined, IBAN)
      .transform((value) => parseIban(value) ?? value)
      .optional()
      .describe("Its IBAN; the check digits are checked."),
    bic: z
      .string()
      .refine((value) => parseBic(value) !== undefined, BIC)
      .transform((value) => parseBic(value) ?? value)
      .optional()
      .describe("Its BIC, for transfers from abroad."),
    name: text(120).optional().describe("Name of the bank."),
    lines: z
      .array(text(120))
      .max(8)
      .default([])
      .describe("What banks without an IBAN need, line by line, such as a routing number."),
  })
  .refine(({ iban, lines }) => iban !== undefined || lines.length > 0, {
    path: ["iban"],
    error: "Give the IBAN, or `lines` where there is none.",
  })
  .optional()
  .describe(
    "Your bank account. With it, invoices say where to transfer and which reference to give.",
  );

/** How customers are billed. */
export const billingSection = z
  .strictObject({
    seller,
    tax: taxSection,
    bank,
    topUps: topUpsSection,
    stripe: stripeSection,
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
            "Days after the due date on which an unpaid invoice is reminded of; the last one is the last notice. After a payment that failed, the days on which it is tried again.",
          ),
        graceDays: z
          .int(DAYS)
          .min(1, DAYS)
          .max(365, DAYS)
          .default(DUNNING_DEFAULT.graceDays)
          .describe(
            "Days from the last notice, or the last attempt, until calls are refused (402 `PAYMENT_REQUIRED`). Payment ends it at once.",
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
        mail: z
          .strictObject({
            enabled: z
              .boolean()
              .default(true)
              .describe(
                "Whether customers get each invoice and credit note by mail when it is issued, as PDF.",
              ),
            sandbox: z
              .boolean()
              .default(false)
              .describe("Whether documents of sandboxes are mailed as well."),
            eInvoice: z
              .enum(["none", "ubl", "cii"])
              .default("none")
              .describe(
                "Attaches the e-invoice as a file of its own, in this syntax. Inside the PDF it is in any case, where a document has one.",
              ),
          })
          .prefault({}),
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
