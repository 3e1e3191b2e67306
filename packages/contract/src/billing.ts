import { STANDINGS } from "@turnpike/domain/entitlements/standing";
import { isId, SLUG_PATTERN } from "@turnpike/domain/ids/ids";
import { ENVIRONMENTS } from "@turnpike/domain/keys/key-format";
import { z } from "zod";
import { operation } from "./operation.ts";
import { displayText, instant, keyId, pageOf, pageQuery, plainText, tenantId } from "./shapes.ts";

/** Life comes from stored instants: `scheduled` and `trialing` become `active` by themselves. */
export const SUBSCRIPTION_LIVES = [
  "none",
  "scheduled",
  "trialing",
  "active",
  "paused",
  "ended",
] as const;
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

export const environment = z
  .enum(ENVIRONMENTS)
  .default("live")
  .describe("`test` is the sandbox of the tenant: it has a clock of its own and owes nothing.");
const planId = z.string().regex(SLUG_PATTERN, "Lower-case letters, digits and dashes.");
const cardKey = plainText(100).min(1);
export const money = z.string().meta({
  description: "An amount in major units, exact, with the decimals of the currency.",
  examples: ["49.90"],
});
const decimal = z.string().meta({ description: "An exact decimal.", examples: ["1200.5"] });
const inputDecimal = z
  .string()
  .regex(/^\d{1,15}(\.\d{1,12})?$/, 'A decimal in quotes, such as "12.5".');
export const inputMoney = z
  .string()
  .regex(/^\d{1,12}(\.\d{1,12})?$/, 'A decimal amount in quotes, such as "49.90".');

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

const totals = {
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
  ...totals,
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
  ...totals,
  due: money,
});
export type UpcomingInvoice = z.infer<typeof upcomingInvoice>;

const pendingChange = z.strictObject({
  planId: z.string(),
  planVersion: z.number().int(),
  at: instant,
});

const addOn = z.strictObject({
  planId: z.string(),
  planVersion: z.number().int(),
  name: z.string(),
  since: instant,
});

const seats = z.strictObject({ card: z.string(), name: z.string(), quantity: decimal });

const upcomingDate = z.strictObject({
  at: instant,
  kind: z.enum([
    "begins",
    "trialEnds",
    "renews",
    "changes",
    "pauses",
    "ends",
    "invoiceDue",
    "couponEnds",
  ]),
  text: z.string(),
});

export const subscription = z.strictObject({
  tenantId,
  environment: z.enum(ENVIRONMENTS),
  life: z.enum(SUBSCRIPTION_LIVES),
  standing: z.enum(STANDINGS),
  currency: z.string(),
  planId: z.string().describe("The plan in force, or the one that was."),
  planVersion: z.number().int(),
  planName: z.string(),
  phase: z.number().int().describe("Index of the phase in force, from 0."),
  startedAt: instant.nullable(),
  anchor: instant.nullable(),
  periodFrom: instant.nullable(),
  periodTo: instant.nullable(),
  trialEndsAt: instant.nullable(),
  pending: z.strictObject({
    change: pendingChange.nullable(),
    endsAt: instant.nullable(),
    pausesAt: instant.nullable(),
  }),
  seats: z.array(seats),
  addOns: z.array(addOn),
  coupons: z.array(z.strictObject({ couponId: z.string(), name: z.string(), text: z.string() })),
  balance: money.describe("Credit of the customer that the next invoice takes."),
  dates: z.array(upcomingDate).max(20),
  revision: z.number().int(),
  now: instant.describe("The clock of the environment."),
});
export type Subscription = z.infer<typeof subscription>;

const WHEN = z.enum(["now", "period_end"]);
/** Operators alone may choose it; customers get what the operator configured. */
const proration = z.enum(["time", "largerOfTimeOrQuota", "nextPeriod", "none"]).optional();

/** What a customer can do to their subscription. */
export const subscriptionAction = z.discriminatedUnion("do", [
  z.strictObject({
    do: z.literal("subscribe"),
    planId,
    startsAt: instant
      .optional()
      .describe(
        "When the plan begins, within a year. Default: at once. Nothing is charged before.",
      ),
  }),
  z.strictObject({ do: z.literal("change"), planId, when: WHEN.optional(), proration }),
  z.strictObject({ do: z.literal("seats"), card: cardKey, quantity: inputDecimal, proration }),
  z.strictObject({ do: z.literal("addOn"), planId, proration }),
  z.strictObject({ do: z.literal("removeAddOn"), planId, proration }),
  z.strictObject({
    do: z.literal("cancel"),
    when: WHEN.default("period_end"),
    reason: plainText(500).optional(),
    proration,
  }),
  z.strictObject({ do: z.literal("uncancel") }),
  z.strictObject({ do: z.literal("pause"), when: WHEN.default("period_end"), proration }),
  z.strictObject({ do: z.literal("resume") }),
  z.strictObject({ do: z.literal("coupon"), couponId: planId }),
]);
export type SubscriptionAction = z.output<typeof subscriptionAction>;

/** What an action comes to, at its instant. */
export const quote = z.strictObject({
  hash: z.string().describe("Confirms exactly this quote."),
  at: instant,
  expiresAt: instant,
  action: subscriptionAction,
  /** When the change takes effect: at once, or at the end of the period. */
  effectiveAt: instant,
  currency: z.string(),
  invoices: z
    .array(z.strictObject({ ...totals, due: money }))
    .describe("Invoices that confirming issues at once."),
  creditNotes: z.array(
    creditNote.omit({ creditNoteId: true, number: true, invoiceId: true, accountingTax: true }),
  ),
  /** Lines that wait for the next invoice. */
  waiting: z.array(invoiceLine),
  dueNow: money.describe("The sum of what the invoices leave to pay."),
  balance: money.describe("The customer's balance afterwards."),
  /** What the next invoice would be after the change, without usage to come. */
  nextAt: instant.nullable(),
  nextTotal: money.nullable(),
  texts: z.array(z.string()).describe("What changes, one sentence each."),
});
export type Quote = z.infer<typeof quote>;

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

export const billingEvent = z.strictObject({
  sequence: z.number().int(),
  at: instant,
  recordedAt: instant,
  kind: z.string(),
  text: z.string(),
  actor: z.string(),
});
export type BillingEvent = z.infer<typeof billingEvent>;

export const billingClock = z.strictObject({
  tenantId,
  now: instant.describe("The time in the sandbox."),
  realNow: instant,
  aheadMs: z.number().int(),
  /** What happened on the way, oldest first. */
  events: z.array(billingEvent),
});
export type BillingClock = z.infer<typeof billingClock>;

const ofTenant = { tenantId, environment };
const reason = displayText(500).describe("Why, for the audit log and the customer.");
const tags = ["Billing"];

/** Subscriptions of one tenant: for its people and keys. */
export const subscriptionsContract = {
  getSubscription: operation({ scope: "billing:read" })
    .route({
      method: "GET",
      path: "/tenants/{tenantId}/subscription",
      summary: "Get the subscription of a tenant",
      tags,
    })
    .input(z.strictObject(ofTenant))
    .output(subscription),
  quoteAction: operation({ scope: "billing:read" })
    .route({
      method: "POST",
      path: "/tenants/{tenantId}/subscription/quotes",
      summary: "Quote a change: what it would charge or credit, computed by what bills",
      description: "Nothing is changed or stored. A quote can be confirmed for ten minutes.",
      tags,
    })
    .input(z.strictObject({ ...ofTenant, action: subscriptionAction }))
    .output(quote),
  confirmAction: operation({ scope: "billing:write" })
    .route({
      method: "POST",
      path: "/tenants/{tenantId}/subscription/changes",
      summary: "Confirm a quote",
      description:
        "Takes `at`, `action` and `hash` of a quote. When it would come to another sum by now, the answer is 409 `QUOTE_CHANGED` with a new quote in `quote`, and nothing is changed. Confirming again what was confirmed changes nothing.",
      tags,
    })
    .input(
      z.strictObject({
        ...ofTenant,
        action: subscriptionAction,
        at: instant,
        hash: plainText(100).min(1),
      }),
    )
    .output(subscription),
  getUpcomingInvoice: operation({ scope: "billing:read" })
    .route({
      method: "GET",
      path: "/tenants/{tenantId}/invoices/upcoming",
      summary: "Get the running invoice: what the next one will be",
      tags,
    })
    .input(z.strictObject(ofTenant))
    .output(upcomingInvoice),
  listBillingEvents: operation({ scope: "billing:read" })
    .route({
      method: "GET",
      path: "/tenants/{tenantId}/billing/events",
      summary: "List what happened to the subscription, newest first",
      tags,
    })
    .input(z.strictObject({ ...ofTenant, ...pageQuery }))
    .output(pageOf(billingEvent)),
};

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

/** The sandbox of one tenant. */
export const sandboxContract = {
  getClock: operation({ scope: "billing:read" })
    .route({
      method: "GET",
      path: "/tenants/{tenantId}/sandbox/clock",
      summary: "Get the time in the sandbox of a tenant",
      tags,
    })
    .input(z.strictObject({ tenantId }))
    .output(billingClock),
  advanceClock: operation({ scope: "billing:write" })
    .route({
      method: "POST",
      path: "/tenants/{tenantId}/sandbox/clock",
      summary: "Let time pass in the sandbox of a tenant",
      description:
        "Trials end, periods close, invoices are issued and reminders go, in order, as they would. At most two years at once. Only the environment `test` has a clock.",
      tags,
    })
    .input(z.strictObject({ tenantId, to: instant }))
    .output(billingClock),
};

const tenantSubscription = subscription.extend({ tenantName: z.string() });

/** Subscriptions of all tenants: for the operator. */
export const allSubscriptionsContract = {
  listSubscriptions: operation({ scope: "invoices:read" })
    .route({
      method: "GET",
      path: "/subscriptions",
      summary: "List the subscriptions of all tenants",
      tags,
    })
    .input(
      z.strictObject({
        environment,
        planId: planId.optional(),
        life: z.enum(SUBSCRIPTION_LIVES).optional(),
        ...pageQuery,
      }),
    )
    .output(pageOf(tenantSubscription)),
};

/** Invoices of all tenants: for the operator. */
export const invoicingContract = {
  listAllInvoices: operation({ scope: "invoices:read" })
    .route({
      method: "GET",
      path: "/invoices",
      summary: "List the invoices of all tenants, newest first",
      tags,
    })
    .input(
      z.strictObject({
        environment,
        state: z.enum(INVOICE_STATES).optional(),
        tenantId: tenantId.optional(),
        isOverdue: z.stringbool().optional(),
        currency: z.string().length(3).optional(),
        search: plainText(100).optional().describe("Part of a number or of a tenant's name."),
        from: instant.optional().describe("Issued at or after."),
        to: instant.optional().describe("Issued before."),
        ...pageQuery,
      }),
    )
    .output(
      pageOf(invoiceSummary).extend({
        sums: z
          .array(
            z.strictObject({
              currency: z.string(),
              count: z.number().int(),
              total: money,
              due: money,
            }),
          )
          .describe("Of all that match, for each currency."),
      }),
    ),
  voidInvoice: operation({ scope: "invoices:write" })
    .route({
      method: "POST",
      path: "/invoices/{invoiceId}/void",
      summary: "Void an invoice on which nothing was paid; its number stays",
      tags,
    })
    .input(z.strictObject({ invoiceId, reason }))
    .output(invoice),
  markUncollectible: operation({ scope: "invoices:write" })
    .route({
      method: "POST",
      path: "/invoices/{invoiceId}/uncollectible",
      summary: "Write an invoice off; it can still be paid",
      tags,
    })
    .input(z.strictObject({ invoiceId, reason }))
    .output(invoice),
  recordPayment: operation({ scope: "invoices:write" })
    .route({
      method: "POST",
      path: "/invoices/{invoiceId}/payments",
      summary: "Record a payment that was received",
      description:
        "What is beyond the amount due becomes balance. The same `reference` counts once.",
      tags,
    })
    .input(
      z.strictObject({
        invoiceId,
        amount: inputMoney,
        paidAt: instant.optional(),
        reference: displayText(200),
      }),
    )
    .output(invoice),
  createCreditNote: operation({ scope: "invoices:write" })
    .route({
      method: "POST",
      path: "/invoices/{invoiceId}/credit-notes",
      summary: "Credit an invoice, as a whole, by an amount or by its lines",
      description: "All notes of an invoice together are at most the invoice.",
      tags,
    })
    .input(
      z.strictObject({
        invoiceId,
        reason,
        amount: inputMoney.optional().describe("Spread over the lines. Left out with `lines`."),
        lines: z
          .array(z.strictObject({ line: z.number().int().min(1), amount: inputMoney }))
          .min(1)
          .max(1_000)
          .optional(),
      }),
    )
    .output(creditNote),
  addAdjustment: operation({ scope: "invoices:write" })
    .route({
      method: "POST",
      path: "/tenants/{tenantId}/adjustments",
      summary: "Charge a one-off line, now or on the next invoice",
      tags,
    })
    .input(
      z.strictObject({
        ...ofTenant,
        description: displayText(200).describe("As the customer reads it on the invoice."),
        amount: inputMoney,
        taxClass: plainText(60).default("standard"),
        when: z.enum(["now", "next_invoice"]).default("next_invoice"),
        reason,
      }),
    )
    .output(subscription),
};
