import { type Plan, plan } from "@turnpike/contract/catalog";
import { migrationRow, migrationTotals } from "@turnpike/contract/plan-migrations";
import { planDraft, planVersion } from "@turnpike/contract/plan-versions";
import type { ApiClient } from "#platform/api-client.ts";
import type { FakeAnswers } from "#platform/render-with-platform.tsx";

const AT = "2026-11-20T10:00:00.000Z";
const MONTH = { month: 1 };

const TERMS: Parameters<ApiClient["catalog"]["putPlanDraft"]>[0]["terms"] = {
  name: "Pro",
  description: "",
  currency: "USD",
  visibility: "public",
  rateLimits: [],
  phases: [
    {
      rateCards: [
        {
          key: "base",
          price: { model: "flat", amount: "49" },
          interval: MONTH,
          timing: "advance",
        },
        {
          key: "requests",
          meter: "requests",
          interval: MONTH,
          price: {
            model: "graduated",
            tiers: [
              { upTo: "1000", unitAmount: "0" },
              { upTo: null, unitAmount: "0.002" },
            ],
          },
          entitlement: { kind: "soft", limit: "50000" },
        },
      ],
    },
  ],
};

export function makePlan(more: Partial<Plan> = {}) {
  return plan.parse({
    ...TERMS,
    planId: "pro",
    version: 3,
    isDefault: false,
    pricePerMonth: "49",
    quotas: [],
    concurrency: null,
    scopes: [],
    isAddOn: false,
    archivedAt: null,
    ...more,
  });
}

export function makeVersion(version: number) {
  const { isDefault: _, archivedAt: __, ...terms } = makePlan({ version });
  return planVersion.parse({ ...terms, publishedAt: AT });
}

export function makeStored(more: object = {}, terms: object = {}) {
  return planDraft.parse({
    planId: "pro",
    revision: "7",
    terms: { ...TERMS, ...terms },
    faults: [],
    updatedAt: AT,
    updatedBy: "user usr_1",
    ...more,
  });
}

/** The list of drafts with that of a plan. */
export const listDraft = (planId: string, name: string) => ({
  items: [{ planId, name, revision: "1", isNew: true, updatedAt: AT, updatedBy: "user usr_1" }],
});

/** The preview of a migration as it streams: one subscriber, who would pay more. */
export function makePreview(): Response {
  const row = migrationRow.parse({
    kind: "subscriber",
    tenantId: "ten_0199f3b0c1d27a4e8f60112233445566",
    tenantName: "Acme",
    planVersion: 3,
    currency: "USD",
    from: AT,
    to: AT,
    isWhole: true,
    before: "49.00",
    after: "59.00",
    difference: "10.00",
    fault: null,
  });
  const sums = { before: "49.00", after: "59.00", difference: "10.00" };
  const totals = migrationTotals.parse({
    kind: "totals",
    subscribers: 1,
    unbilled: 0,
    refused: 0,
    currencies: [{ currency: "USD", more: 1, less: 0, same: 0, ...sums }],
  });
  return new Response(`${JSON.stringify(row)}\n${JSON.stringify(totals)}\n`);
}

/** What the catalogue of an operator asks for: one plan, nothing drafted, no subscribers. */
export const CATALOGUE: FakeAnswers = {
  "GET /plans": () => ({ items: [makePlan()] }),
  "GET /meters": () => ({
    items: [
      { meterId: "requests", version: 1, name: "Requests", unit: "request", aggregation: "count" },
    ],
  }),
  "GET /plan-drafts": () => ({ items: [] }),
  "GET /plans/pro/subscribers": () => ({ items: [] }),
  "GET /plans/pro/migrations": () => ({ items: [] }),
};
