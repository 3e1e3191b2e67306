import { isId } from "@turnpike/domain/ids/ids";
import { ENVIRONMENTS } from "@turnpike/domain/keys/key-format";
import { z } from "zod";
import { environment } from "./environment.ts";
import { decimal, money } from "./money.ts";
import { operation } from "./operation.ts";
import { instant, keyId, pageOf, pageQuery, tenantId } from "./shapes.ts";

export const INVOICE_STATES = ["open", "paid", "void", "uncollectible"] as const;
export const LINE_KINDS = [
  "base",
  "proration",
  "addOn",
  "usage",
  "beyondCap",
  "late",
  "commitment",
  "adjustment",
  "topUp",
  "discount",
  "promotional",
] as const;
export const LINE_PARTS = ["key", "route", "day", "model"] as const;

export const invoiceId = z
  .string()
  .refine((value) => isId("invoice", value), {
    error: "Not the id of an invoice; it looks like inv_0199f3b0c1d27a4e8f60112233445566.",
  })
  .meta({ examples: ["inv_0199f3b0c1d27a4e8f60112233445566"] });

export const invoiceTier = z.strictObject({
  upTo: decimal.nullable(),
  quantity: decimal,
  amount: decimal.describe("Exact, before rounding."),
});
export type InvoiceTier = z.infer<typeof invoiceTier>;

export const invoiceLine = z.strictObject({
  number: z.number().int().describe("From 1 on an invoice."),
  kind: z.enum(LINE_KINDS),
  description: z.string(),
  planId: z.string().nullable(),
  card: z.string().nullable().describe("Key of the rate card."),
  meterId: z.string().nullable(),
  unit: z.string().nullable().describe("Name of one unit of the meter, singular."),
  from: instant.nullable(),
  to: instant.nullable(),
  quantity: decimal.nullable(),
  amount: money,
  discount: money,
  credited: money.describe("What credit notes took back of it."),
  tiers: z.array(invoiceTier),
  /** Why nothing is charged for it: a hard limit, the spend cap, included units. */
  reason: z.string().nullable(),
  couponId: z.string().nullable(),
  /** True when it opens to key, route and day. */
  hasUsage: z.boolean(),
});
export type InvoiceLine = z.infer<typeof invoiceLine>;

export const invoiceTax = z.strictObject({
  category: z.string(),
  rate: decimal.describe("Per cent."),
  name: z.string().nullable(),
  base: money,
  amount: money,
});
export type InvoiceTax = z.infer<typeof invoiceTax>;

export const invoiceTotals = {
  currency: z.string(),
  lines: z.array(invoiceLine),
  net: money,
  taxes: z.array(invoiceTax),
  total: money,
  fromBalance: money.describe("What the customer's balance paid."),
  prepaid: money.describe("What prepaid credit paid."),
};

export const party = z.strictObject({
  name: z.string(),
  lines: z.array(z.string()).describe("The postal address, line by line."),
  country: z.string().nullable(),
  taxId: z.string().nullable(),
  email: z.string().nullable(),
});

const accountingTaxView = z.strictObject({
  currency: z.string(),
  amount: money,
  rate: decimal.describe("What one unit of the document's currency is worth in it."),
  rateFrom: z.string().describe("First day of the rate, such as 2026-11-01."),
  source: z.string().nullable().describe("The publisher of the rate."),
});
export type AccountingTaxView = z.infer<typeof accountingTaxView>;

/** Frozen with the document. */
const accountingTax = accountingTaxView
  .nullable()
  .describe(
    "The tax in the seller's own currency; null where it is that of the document, or there is no tax.",
  );

export const creditNote = z.strictObject({
  creditNoteId: z.string(),
  number: z.string(),
  invoiceId: z.string(),
  invoiceNumber: z.string(),
  issuedAt: instant,
  currency: z.string(),
  reason: z.string(),
  lines: z.array(
    z.strictObject({ invoiceLine: z.number().int(), description: z.string(), amount: money }),
  ),
  net: money,
  taxes: z.array(invoiceTax),
  accountingTax,
  total: money,
  toDue: money.describe("What it took off the amount due of its invoice."),
  toBalance: money.describe("What it added to the customer's balance."),
});
export type CreditNote = z.infer<typeof creditNote>;

const invoiceHead = {
  invoiceId: z.string(),
  tenantId,
  tenantName: z.string(),
  environment: z.enum(ENVIRONMENTS),
  number: z.string(),
  state: z.enum(INVOICE_STATES),
  issuedAt: instant,
  dueAt: instant,
  from: instant.nullable().describe("Start of the earliest line."),
  to: instant.nullable(),
  currency: z.string(),
  net: money,
  total: money,
  paid: money,
  credited: money,
  due: money,
};
export const invoiceSummary = z.strictObject(invoiceHead);
export type InvoiceSummary = z.infer<typeof invoiceSummary>;

export const invoicePayment = z.strictObject({
  paymentId: z.string(),
  amount: money,
  paidAt: instant,
  reference: z.string(),
  recordedBy: z.string(),
});
export type InvoicePayment = z.infer<typeof invoicePayment>;

export const invoice = z.strictObject({
  ...invoiceHead,
  ...invoiceTotals,
  accountingTax,
  seller: party,
  customer: party,
  toBalance: money.describe(
    "What of payments, credit notes and the balance went to the balance again: it settles the invoice no more.",
  ),
  cutOffAt: instant.describe("Usage recorded up to here is on it or on an earlier one."),
  creditNotes: z.array(creditNote),
  payments: z.array(invoicePayment),
});
export type Invoice = z.infer<typeof invoice>;

/** What would be on the next invoice if the period ended with what was used until now. */
export const upcomingInvoice = z.strictObject({
  tenantId,
  environment: z.enum(ENVIRONMENTS),
  issuesAt: instant.nullable().describe("When it will be issued; null when nothing will."),
  asOf: instant.describe("Usage recorded up to here is in it."),
  from: instant.nullable(),
  to: instant.nullable(),
  ...invoiceTotals,
  due: money,
});
export type UpcomingInvoice = z.infer<typeof upcomingInvoice>;

/** A part of a usage line. The quantities and amounts of all parts sum to those of the line. */
export const linePart = z.strictObject({
  keyId: z.string().nullable(),
  keyName: z.string().nullable(),
  route: z.string().nullable().describe("Method and route; null for usage without one."),
  day: z.string().nullable().describe("UTC, such as 2026-11-26."),
  model: z
    .string()
    .nullable()
    .describe("The model that answered; null for usage of other APIs than those with tokens."),
  quantity: decimal,
  amount: money,
});
export type LinePart = z.infer<typeof linePart>;

const ofTenant = { tenantId, environment };
const tags = ["Billing"];

/** Invoices of one tenant: for its people and keys. */
export const invoicesContract = {
  listInvoices: operation({ scope: "billing:read" })
    .route({
      method: "GET",
      path: "/tenants/{tenantId}/invoices",
      summary: "List invoices, newest first",
      tags,
    })
    .input(z.strictObject({ ...ofTenant, state: z.enum(INVOICE_STATES).optional(), ...pageQuery }))
    .output(pageOf(invoiceSummary)),
  getInvoice: operation({ scope: "billing:read" })
    .route({
      method: "GET",
      path: "/tenants/{tenantId}/invoices/{invoiceId}",
      summary: "Get an invoice",
      tags,
    })
    .input(z.strictObject({ tenantId, invoiceId }))
    .output(invoice),
  listLineUsage: operation({ scope: "billing:read" })
    .route({
      method: "GET",
      path: "/tenants/{tenantId}/invoices/{invoiceId}/lines/{line}/usage",
      summary: "Open a usage line to key, route, model and day",
      description:
        "The parts sum to the line, to the unit and to the cent. `upcoming` in place of the id is the running invoice.",
      tags,
    })
    .input(
      z.strictObject({
        ...ofTenant,
        invoiceId: z.union([invoiceId, z.literal("upcoming")]),
        line: z.coerce.number().int().min(1).max(10_000),
        by: z
          .enum(LINE_PARTS)
          .default("day")
          .describe("What the parts are. Filters narrow to parts of another."),
        key: keyId.optional(),
        day: z.iso.date().optional(),
        ...pageQuery,
      }),
    )
    .output(pageOf(linePart)),
};
