import { MOVEMENT_KINDS } from "@turnpike/domain/billing/revenue/movements";
import { OVERDUE_AGES } from "@turnpike/domain/billing/revenue/overdue-ages";
import { z } from "zod";
import { invoiceSummary } from "./invoices.ts";
import { operation } from "./operation.ts";
import { instant, pageOf, pageQuery, tenantId } from "./shapes.ts";

const money = z.string().meta({
  description:
    "An amount in major units, with the decimals of the currency, below zero with a minus.",
  examples: ["49.90"],
});
const share = z
  .string()
  .nullable()
  .meta({ description: "Per cent, two decimals; null of nothing.", examples: ["102.50"] });
const currency = z.string().regex(/^[A-Z]{3}$/, "Three capital letters, ISO 4217.");
const calendarMonth = z
  .string()
  .regex(/^\d{4}-(0[1-9]|1[0-2])$/, "A month, such as 2026-11.")
  .meta({ examples: ["2026-11"] });

const movementSum = z.strictObject({
  change: money,
  customers: z.number().int(),
});

export const revenueMonth = z.strictObject({
  month: calendarMonth,
  isOver: z.boolean().describe("False for the running month, which is counted so far."),
  opening: money.describe("Monthly recurring revenue as the month began."),
  openingCustomers: z.number().int(),
  movements: z.strictObject({
    new: movementSum,
    expansion: movementSum,
    contraction: movementSum,
    churned: movementSum,
    reactivated: movementSum,
  }),
  closing: money.describe("The opening and all movements."),
  closingCustomers: z.number().int(),
  customerChurn: share,
  revenueChurn: share,
  netRetention: share,
  grossRetention: share,
  usage: money.describe(
    "Usage, late usage and minimums on invoices issued in the month, before tax.",
  ),
});
export type RevenueMonth = z.infer<typeof revenueMonth>;

const overdueAge = z.strictObject({
  fromDays: z.number().int(),
  toDays: z.number().int().nullable(),
  count: z.number().int(),
  due: money,
});

export const revenueOfCurrency = z.strictObject({
  currency: z.string(),
  mrr: money.describe("Monthly recurring revenue now."),
  customers: z.number().int().describe("Tenants that bring recurring revenue now."),
  months: z.array(revenueMonth),
  overdue: z.strictObject({
    count: z.number().int(),
    due: money,
    ages: z.array(overdueAge),
  }),
});
export type RevenueOfCurrency = z.infer<typeof revenueOfCurrency>;

export const revenueReport = z.strictObject({
  asOf: instant,
  currencies: z.array(revenueOfCurrency).describe("One for each currency; nothing is converted."),
});
export type RevenueReport = z.infer<typeof revenueReport>;

/** Rows behind a figure: a kind of movement, or all customers at the end of the month. */
export const REVENUE_ROWS = ["closing", "moved", ...MOVEMENT_KINDS] as const;

export const revenueCustomer = z.strictObject({
  tenantId,
  tenantName: z.string(),
  planId: z.string(),
  before: money.describe("Monthly recurring revenue as the month began."),
  after: money.describe("And at its end, or now."),
  change: money,
  kind: z.enum(MOVEMENT_KINDS).nullable().describe("Null when nothing has changed."),
});
export type RevenueCustomer = z.infer<typeof revenueCustomer>;

export const usageInvoice = z.strictObject({
  invoiceId: z.string(),
  tenantId,
  tenantName: z.string(),
  number: z.string(),
  issuedAt: instant,
  usage: money,
});
export type UsageInvoice = z.infer<typeof usageInvoice>;

export const DUNNING_STAGES = [
  "invoice.attempt",
  "invoice.overdue",
  "invoice.reminder",
  "invoice.final_notice",
  "invoice.blocked",
] as const;

export const overdueInvoice = z.strictObject({
  ...invoiceSummary.pick({
    invoiceId: true,
    tenantId: true,
    tenantName: true,
    number: true,
    issuedAt: true,
    dueAt: true,
    currency: true,
    total: true,
    due: true,
  }).shape,
  daysOverdue: z.number().int().describe("Whole days past the due date."),
  standing: z.string().describe("What the tenant may do now."),
  next: z
    .strictObject({ kind: z.enum(DUNNING_STAGES), at: instant })
    .nullable()
    .describe("What happens next while it is not paid; null once calls are refused."),
  blockedAt: instant.describe("When calls are refused, or since when."),
});
export type OverdueInvoice = z.infer<typeof overdueInvoice>;

const tags = ["Revenue"];
const ofMonth = { month: calendarMonth, currency };

export const revenueCsvQuery = z.strictObject({
  ...ofMonth,
  rows: z.enum(["closing", "moved"]).default("closing"),
});

/** What subscriptions bring, for operators. Of the environment `live` alone. */
export const revenueContract = {
  getRevenue: operation({ scope: "invoices:read" })
    .route({
      method: "GET",
      path: "/revenue",
      summary: "Get recurring revenue by month and currency",
      description:
        "Monthly recurring revenue is the fees of the phases in force, normalised to a month, with seats and add-ons, less coupons that hold for more than one period, before tax. Trials, pauses and usage are not in it. A month that is over does not change.",
      tags,
    })
    .input(
      z.strictObject({
        months: z.coerce
          .number()
          .int()
          .min(1)
          .max(36)
          .default(12)
          .describe("How many, this one included."),
      }),
    )
    .output(revenueReport),
  listRevenueCustomers: operation({ scope: "invoices:read" })
    .route({
      method: "GET",
      path: "/revenue/customers",
      summary: "List the customers behind a figure, the largest first",
      tags,
    })
    .input(
      z.strictObject({
        ...ofMonth,
        rows: z
          .enum(REVENUE_ROWS)
          .default("closing")
          .describe("`closing`: all that bring revenue at the end; `moved`: all that changed."),
        ...pageQuery,
      }),
    )
    .output(pageOf(revenueCustomer)),
  listUsageInvoices: operation({ scope: "invoices:read" })
    .route({
      method: "GET",
      path: "/revenue/usage",
      summary: "List the invoices behind usage revenue, the largest first",
      tags,
    })
    .input(z.strictObject({ ...ofMonth, ...pageQuery }))
    .output(pageOf(usageInvoice)),
  listOverdueInvoices: operation({ scope: "invoices:read" })
    .route({
      method: "GET",
      path: "/invoices/overdue",
      summary:
        "List open invoices past their due date, or of which a payment has failed, with what follows",
      tags,
    })
    .input(
      z.strictObject({
        currency: currency.optional(),
        fromDays: z.coerce
          .number()
          .int()
          .optional()
          .refine(
            (days) => days === undefined || OVERDUE_AGES.some(({ fromDays }) => fromDays === days),
            {
              error: "The first day of an age: 0, 31, 61 or 91.",
            },
          )
          .describe("Of one age alone."),
        ...pageQuery,
      }),
    )
    .output(pageOf(overdueInvoice)),
};
