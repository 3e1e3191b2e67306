import type { PlanAdvice } from "#platform/advice-queries.ts";
import { TENANT_ID } from "../billing/billing-answers.fixture.ts";

const MONTHS = ["2026-09-01", "2026-10-01", "2026-11-01"].map((day) => `${day}T00:00:00.000Z`);
const span = (index: number) => ({ from: MONTHS[index] ?? "", to: MONTHS[index + 1] ?? "" });
const inMonths = (...amounts: string[]) => amounts.map((amount) => ({ amount, blocked: [] }));
const REFUSED = [{ meter: "requests", name: "Requests", unit: "request", quantity: "1200" }];

/** Growth is cheaper than the own plan, and the cheapest plan refuses requests. */
export function makePlanAdvice(changes: Partial<PlanAdvice> = {}): PlanAdvice {
  return {
    tenantId: TENANT_ID as never,
    asOf: "2026-11-20T00:00:00.000Z",
    currency: "USD",
    state: "advice",
    months: [span(0), span(1)],
    plans: [
      {
        planId: "pro",
        version: 1,
        name: "Pro",
        isOwn: true,
        total: "140.50",
        saving: "0.00",
        blocked: [],
        months: inMonths("60.00", "80.50"),
      },
      {
        planId: "free",
        version: 1,
        name: "Free",
        isOwn: false,
        total: "0.00",
        saving: "140.50",
        blocked: REFUSED,
        months: [
          { amount: "0.00", blocked: [] },
          { amount: "0.00", blocked: REFUSED },
        ],
      },
      {
        planId: "growth",
        version: 3,
        name: "Growth",
        isOwn: false,
        total: "99.50",
        saving: "41.00",
        blocked: [],
        months: inMonths("49.00", "50.50"),
      },
    ],
    recommended: { planId: "growth", reason: "cheaper", saving: "41.00" },
    refused: 0,
    quotas: [
      {
        meter: "requests",
        name: "Requests",
        unit: "request",
        kind: "included",
        limit: "10000",
        most: "900",
        share: 0.09,
      },
    ],
    spendCap: "130.00",
    ...changes,
  };
}
