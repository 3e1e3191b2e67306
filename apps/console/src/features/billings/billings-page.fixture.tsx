import { cleanup } from "@testing-library/react";
import { limits } from "@turnpike/contract/limits";
import { afterEach, vi } from "vitest";
import {
  INVOICE_ID,
  type makeInvoice,
  makeLine,
  makeSubscription,
  makeUpcoming,
  TENANT_ID,
} from "#components/billing/billing-answers.fixture.ts";
import { openScreen } from "#components/billing/open-billing-screen.fixture.tsx";
import { makeInsightList } from "#components/insights/insights.fixture.ts";
import type { FakeAnswers } from "#platform/render-with-platform.tsx";
import { BillingsPage } from "./billings-page.tsx";
import { parseBillingsSearch } from "./billings-search.view-model.ts";
import { makeCredits } from "./credits/credits.fixture.ts";
import { makeDetails } from "./details/billing-details.fixture.ts";
import { makeCollection, makeSetup } from "./payments/payments.fixture.ts";
import { makeSpendCap } from "./spend-cap/spend-cap.fixture.ts";

export const OF_TENANT = `/tenants/${TENANT_ID}`;
export const NOTHING = { items: [], nextCursor: null };
export const USAGE = makeLine({
  number: 2,
  kind: "usage",
  description: "Requests",
  card: "requests",
  meterId: "requests",
  unit: "request",
  quantity: "1500",
  amount: "1.00",
  tiers: [
    { upTo: "1000", quantity: "1000", amount: "0" },
    { upTo: null, quantity: "500", amount: "1" },
  ],
  hasUsage: true,
});
export const BEYOND = makeLine({
  number: 3,
  kind: "beyondCap",
  description: "Requests beyond the limit",
  quantity: "7",
  unit: "request",
  amount: "0.00",
  reason: "Beyond the hard limit of your plan.",
});

export const ANSWERS: FakeAnswers = {
  "GET /plans": () => ({ items: [] }),
  "GET /meters": () => ({ items: [] }),
  [`GET ${OF_TENANT}/limits`]: () =>
    limits.parse({
      planId: "pro",
      planVersion: 1,
      plan: { name: "Pro", currency: "USD", pricePerMonth: "49" },
      rateLimits: [],
      quotas: [],
      concurrency: null,
      balances: [],
    }),
  [`GET ${OF_TENANT}/subscription`]: () => makeSubscription(),
  [`GET ${OF_TENANT}/invoices/upcoming`]: () =>
    makeUpcoming({
      lines: [makeLine(), USAGE, BEYOND],
      net: "50.00",
      total: "50.00",
      due: "50.00",
    }),
  [`GET ${OF_TENANT}/invoices`]: () => NOTHING,
  [`GET ${OF_TENANT}/billing/events`]: () => NOTHING,
  [`GET ${OF_TENANT}/members`]: () => NOTHING,
  [`GET ${OF_TENANT}/billing/credits`]: () => makeCredits(),
  [`GET ${OF_TENANT}/billing/details`]: () => makeDetails(),
  [`GET ${OF_TENANT}/billing/spend-cap`]: () => makeSpendCap(),
  [`GET ${OF_TENANT}/insights`]: () => makeInsightList(),
  [`GET ${OF_TENANT}/payment-method`]: () => makeSetup({ canSetUp: false }),
  [`GET ${OF_TENANT}/invoices/${INVOICE_ID}/collection`]: () => makeCollection({ due: "0.00" }),
};

/** A clean page for each test. */
export function stageBillings(): void {
  afterEach(() => {
    cleanup();
    localStorage.clear();
    vi.unstubAllGlobals();
  });
}

/** Opens the page of billings with a faked API. */
export function openBillings(address: string, answers: FakeAnswers = {}, role?: "viewer") {
  return openScreen({
    address,
    parseSearch: parseBillingsSearch,
    screen: (search, onSearchChange) => (
      <BillingsPage search={search} onSearchChange={onSearchChange} />
    ),
    answers: { ...ANSWERS, ...answers },
    ...(role === undefined ? {} : { role }),
  });
}

/** The head of an invoice, as the list has it. */
export function toSummary(invoice: ReturnType<typeof makeInvoice>) {
  const { lines: _, taxes: __, fromBalance: ___, prepaid: ____, ...head } = invoice;
  const {
    seller: _s,
    customer: _c,
    cutOffAt: _a,
    toBalance: _b,
    accountingTax: _t,
    creditNotes: _n,
    payments: _p,
    ...summary
  } = head;
  return summary;
}
