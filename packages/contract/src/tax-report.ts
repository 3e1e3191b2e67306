import { TAX_SCHEMES } from "@turnpike/domain/billing/tax/tax-scheme";
import { parseCalendarRange } from "@turnpike/domain/time/calendar-range";
import { z } from "zod";
import { operation } from "./operation.ts";
import { instant, pageOf, pageQuery, plainText, tenantId } from "./shapes.ts";

const money = z.string().meta({
  description:
    "An amount in major units, with the decimals of the currency, below zero with a minus.",
  examples: ["49.90"],
});
const country = z
  .string()
  .regex(/^[A-Z]{2}$/, "Two capital letters, ISO 3166-1.")
  .describe("ISO 3166-1; `ZZ` where none was given.");
const currency = z.string().regex(/^[A-Z]{3}$/, "Three capital letters, ISO 4217.");
const category = z
  .string()
  .regex(/^(?:[A-Z]{1,2}|none)$/, "A category of EN 16931, or none.")
  .describe("Of EN 16931; `none` where no tax was configured.");
const rate = z
  .string()
  .regex(/^\d{1,3}(\.\d{1,12})?$/, "Per cent.")
  .meta({ examples: ["19"] });

/** A year, quarter or month of the calendar, UTC. */
export const taxPeriod = z
  .string()
  .refine((text) => parseCalendarRange(text) !== undefined, {
    error: "A year, quarter or month, such as 2026, 2026-Q4 or 2026-11.",
  })
  .meta({ examples: ["2026-Q4"] });

export const taxCell = z.strictObject({
  currency: z.string(),
  sellerCountry: country,
  country: country.describe(
    "Of the customer; that of the seller where the customer has given none.",
  ),
  category,
  rate: z.string().describe("Per cent."),
  name: z.string().nullable(),
  scheme: z.enum(TAX_SCHEMES),
  documents: z.number().int(),
  net: money,
  tax: money,
});
export type TaxCell = z.infer<typeof taxCell>;

const taxTotal = z.strictObject({
  currency: z.string(),
  invoices: z.number().int(),
  creditNotes: z.number().int(),
  voided: z.number().int(),
  net: money,
  tax: money,
});

/** A line of an EC sales list: what was sold to one tax id without tax. */
const ecSale = z.strictObject({
  currency: z.string(),
  country,
  taxId: z.string(),
  name: z.string(),
  net: money,
});

export const taxReport = z.strictObject({
  period: z.string(),
  from: instant,
  to: instant,
  isOver: z.boolean(),
  firstIssuedAt: instant.nullable().describe("Of the first invoice; null when there is none."),
  totals: z.array(taxTotal).describe("Sums of the documents, one for each currency."),
  cells: z.array(taxCell),
  ecSales: z.array(ecSale),
});
export type TaxReport = z.infer<typeof taxReport>;

export const taxDocument = z.strictObject({
  kind: z.enum(["invoice", "credit_note", "void"]),
  documentId: z.string(),
  invoiceId: z.string(),
  number: z.string(),
  at: instant.describe("When it was issued; of a void invoice, when it was voided."),
  tenantId,
  customerName: z.string(),
  taxId: z.string().nullable(),
  net: money,
  tax: money,
});
export type TaxDocument = z.infer<typeof taxDocument>;

export const taxReportQuery = z.strictObject({ period: taxPeriod });

const tags = ["Revenue"];

/** Taxes of what was issued, for operators. Of the environment `live` alone. */
export const taxReportContract = {
  getTaxReport: operation({ scope: "invoices:read" })
    .route({
      method: "GET",
      path: "/tax-report",
      summary: "Get the taxes of a period by country, category and rate",
      description:
        "Invoices less credit notes, each by its date of issue, in its currency. A void invoice is taken back in the period in which it was voided. Nothing is converted, and nothing goes by the date of payment.",
      tags,
    })
    .input(taxReportQuery)
    .output(taxReport),
  listTaxDocuments: operation({ scope: "invoices:read" })
    .route({
      method: "GET",
      path: "/tax-report/documents",
      summary: "List the documents behind a row of the tax report, oldest first",
      tags,
    })
    .input(
      z.strictObject({
        period: taxPeriod,
        currency,
        seller: country.optional().describe("Country of the seller."),
        country,
        category,
        rate,
        name: plainText(100).optional(),
        ...pageQuery,
      }),
    )
    .output(pageOf(taxDocument)),
};
