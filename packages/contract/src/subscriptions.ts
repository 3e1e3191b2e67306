import { STANDINGS } from "@turnpike/domain/entitlements/standing";
import { SLUG_PATTERN } from "@turnpike/domain/ids/ids";
import { ENVIRONMENTS } from "@turnpike/domain/keys/key-format";
import { z } from "zod";
import { environment } from "./environment.ts";
import { creditNote, invoiceLine, invoiceTotals, upcomingInvoice } from "./invoices.ts";
import { decimal, inputDecimal, money } from "./money.ts";
import { operation } from "./operation.ts";
import { instant, pageOf, pageQuery, plainText, tenantId } from "./shapes.ts";

/** Life comes from stored instants: `scheduled` and `trialing` become `active` by themselves. */
export const SUBSCRIPTION_LIVES = [
  "none",
  "scheduled",
  "trialing",
  "active",
  "paused",
  "ended",
] as const;

const planId = z.string().regex(SLUG_PATTERN, "Lower-case letters, digits and dashes.");
const cardKey = plainText(100).min(1);

const pendingChange = z.strictObject({
  planId: z.string(),
  planVersion: z.number().int(),
  planName: z.string(),
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
    .array(z.strictObject({ ...invoiceTotals, due: money }))
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

export const billingEvent = z.strictObject({
  sequence: z.number().int(),
  at: instant,
  recordedAt: instant,
  kind: z.string(),
  text: z.string(),
  actor: z.string(),
});
export type BillingEvent = z.infer<typeof billingEvent>;

const ofTenant = { tenantId, environment };
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
