import {
  type Invoice,
  type InvoiceLine,
  invoice,
  invoiceLine,
  invoiceSummary,
  type LinePart,
  linePart,
  upcomingInvoice,
} from "@turnpike/contract/invoices";
import { type BillingClock, billingClock } from "@turnpike/contract/sandbox";
import { type Quote, quote, subscription } from "@turnpike/contract/subscriptions";

export const TENANT_ID = "ten_0199f3b0c1d27a4e8f60112233445566";
export const INVOICE_ID = "inv_0199f3b0c1d27a4e8f60112233445566";
const FROM = "2026-11-01T00:00:00.000Z";
const TO = "2026-12-01T00:00:00.000Z";
export const NOW = "2026-11-26T12:00:00.000Z";

export function makeLine(more: Partial<InvoiceLine> = {}): InvoiceLine {
  return invoiceLine.parse({
    number: 1,
    kind: "base",
    description: "Pro",
    planId: "pro",
    card: "base",
    meterId: null,
    unit: null,
    from: FROM,
    to: TO,
    quantity: null,
    amount: "49.00",
    discount: "0.00",
    credited: "0.00",
    tiers: [],
    reason: null,
    couponId: null,
    hasUsage: false,
    ...more,
  });
}

const totals = () => ({
  currency: "USD",
  lines: [makeLine()],
  net: "49.00",
  taxes: [],
  total: "49.00",
  fromBalance: "0.00",
  prepaid: "0.00",
});

export function makeUpcoming(more: object = {}) {
  return upcomingInvoice.parse({
    tenantId: TENANT_ID,
    environment: "live",
    issuesAt: TO,
    asOf: NOW,
    from: FROM,
    to: TO,
    ...totals(),
    due: "49.00",
    ...more,
  });
}

export function makeSubscription(more: object = {}) {
  return subscription.parse({
    tenantId: TENANT_ID,
    environment: "live",
    life: "active",
    standing: "current",
    currency: "USD",
    planId: "pro",
    planVersion: 1,
    planName: "Pro",
    phase: 0,
    startedAt: FROM,
    anchor: FROM,
    periodFrom: FROM,
    periodTo: TO,
    trialEndsAt: null,
    pending: { change: null, endsAt: null, pausesAt: null },
    seats: [],
    addOns: [],
    coupons: [],
    balance: "0.00",
    dates: [{ at: TO, kind: "renews", text: "Pro renews for another month." }],
    revision: 3,
    now: NOW,
    ...more,
  });
}

export function makeQuote(more: Partial<Quote> = {}) {
  return quote.parse({
    hash: "hash-1",
    at: NOW,
    expiresAt: "2026-11-26T12:10:00.000Z",
    action: { do: "change", planId: "scale" },
    effectiveAt: NOW,
    currency: "USD",
    invoices: [],
    creditNotes: [],
    waiting: [],
    dueNow: "0.00",
    balance: "0.00",
    nextAt: TO,
    nextTotal: "200.00",
    texts: [],
    ...more,
  });
}

export function makeInvoice(more: Partial<Invoice> = {}): Invoice {
  return invoice.parse({
    invoiceId: INVOICE_ID,
    tenantId: TENANT_ID,
    tenantName: "Acme",
    environment: "live",
    number: "INV-2026-000001",
    state: "open",
    issuedAt: FROM,
    dueAt: "2026-11-15T00:00:00.000Z",
    from: FROM,
    to: TO,
    paid: "0.00",
    credited: "0.00",
    due: "49.00",
    ...totals(),
    toBalance: "0.00",
    accountingTax: null,
    seller: { name: "Acme APIs", lines: [], country: null, taxId: null, email: null },
    customer: { name: "Acme", lines: [], country: null, taxId: null, email: null },
    cutOffAt: FROM,
    creditNotes: [],
    payments: [],
    ...more,
  });
}

/** The invoice as lists have it. */
export function makeInvoiceSummary(changes: Record<string, unknown> = {}) {
  const { shape } = invoiceSummary;
  const members = Object.entries({ ...makeInvoice(), ...changes });
  return invoiceSummary.parse(Object.fromEntries(members.filter(([name]) => name in shape)));
}

export function makePart(more: Partial<LinePart> = {}) {
  return linePart.parse({
    keyId: null,
    keyName: null,
    route: null,
    model: null,
    day: null,
    quantity: "0",
    amount: "0.00",
    ...more,
  });
}

export function makeClock(more: Partial<BillingClock> = {}) {
  return billingClock.parse({
    tenantId: TENANT_ID,
    now: NOW,
    realNow: NOW,
    aheadMs: 0,
    events: [],
    ...more,
  });
}
