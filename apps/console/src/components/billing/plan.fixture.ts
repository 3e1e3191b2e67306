import { meter, type Plan, plan } from "@turnpike/contract/catalog";

export const METERS = [
  meter.parse({ meterId: "requests", name: "Requests", unit: "request", aggregation: "count" }),
];

/** A plan of the catalogue: 49 dollars a month unless given otherwise. */
export function makePlan(more: Partial<Plan> = {}) {
  return plan.parse({
    planId: "pro",
    version: 1,
    isDefault: false,
    name: "Pro",
    description: "",
    currency: "USD",
    pricePerMonth: "49",
    visibility: "public",
    rateLimits: [],
    quotas: [],
    concurrency: null,
    scopes: [],
    phases: [{ rateCards: [makeFee("49")] }],
    isAddOn: false,
    archivedAt: null,
    ...more,
  });
}

export function makeFee(amount: string, more: object = {}) {
  return {
    key: "base",
    name: "Base fee",
    price: { model: "flat" as const, amount },
    interval: { month: 1 },
    timing: "advance" as const,
    ...more,
  };
}

/** 1,000 requests at nothing, then $0.002 up to 10,000, then $0.001. */
export const GRADUATED = {
  key: "calls",
  meter: "requests",
  interval: { month: 1 },
  price: {
    model: "graduated" as const,
    tiers: [
      { upTo: "1000", unitAmount: "0" },
      { upTo: "10000", unitAmount: "0.002" },
      { upTo: null, unitAmount: "0.001" },
    ],
  },
};
