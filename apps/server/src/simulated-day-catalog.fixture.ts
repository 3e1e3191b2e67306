import { meterInput } from "@turnpike/contract/catalog";

export const QUOTAS = [
  { meter: "requests", limit: 900, kind: "hard" as const },
  { meter: "credits", limit: 6_000, kind: "hard" as const },
  { meter: "tokens", limit: 500, kind: "hard" as const },
  { meter: "runs", limit: 1_000_000, kind: "soft" as const },
];
export const METERS = QUOTAS.map(({ meter }) => meter);
export const EVENT_METERS = ["tokens", "runs"];

/** What is sold on the simulated day: two plans with the same quotas, of which one allows three times as much. */
export const DAY_CATALOG = {
  meters: [
    { meterId: "credits", name: "Credits", unit: "credit", aggregation: "sum" as const },
    meterInput.parse({
      meterId: "tokens",
      name: "Tokens",
      unit: "token",
      aggregation: "sum",
      eventType: "llm.call",
      valuePointer: "/tokens",
      dimensions: [{ name: "model", pointer: "/model" }],
    }),
    {
      meterId: "runs",
      name: "Runs",
      unit: "run",
      aggregation: "count" as const,
      eventType: "llm.call",
    },
  ],
  plans: [
    { planId: "small", limits: 1 },
    { planId: "large", limits: 3 },
  ].map(({ planId, limits }) => ({
    planId,
    name: planId,
    description: "",
    currency: "EUR",
    pricePerMonth: "5",
    visibility: "public" as const,
    rateLimits: [],
    quotas: QUOTAS.map((quota) => ({ ...quota, limit: quota.limit * limits })),
  })),
};
