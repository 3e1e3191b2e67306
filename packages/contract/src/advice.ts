import { z } from "zod";
import { operation } from "./operation.ts";
import { instant, tenantId } from "./shapes.ts";

/** Closed months that plans are tried with, at most. */
export const ADVICE_MONTHS = 6;
/** Plans that are tried, the tenant's own included. */
export const ADVICE_PLANS_MAX = 20;

const money = z.string().describe("A decimal in major units of the currency, such as 12.50.");

const units = z.strictObject({
  meter: z.string(),
  name: z.string(),
  unit: z.string().describe("What one unit is called, singular."),
  quantity: z.string().describe("A decimal."),
});
export type AdvisedUnits = z.infer<typeof units>;

const month = z.strictObject({
  amount: money,
  blocked: z.array(units).describe("Beyond a hard limit: it would have been refused."),
});

const triedPlan = z.strictObject({
  planId: z.string(),
  version: z.int(),
  name: z.string(),
  isOwn: z.boolean(),
  total: money.describe("Of all months."),
  saving: money.describe("Less than on the own plan; negative for a plan that costs more."),
  blocked: z.array(units).describe("Of all months."),
  months: z.array(month).max(ADVICE_MONTHS).describe("As in `months`, at the same places."),
});
export type TriedPlanAdvice = z.infer<typeof triedPlan>;

const quotaUse = z.strictObject({
  meter: z.string(),
  name: z.string(),
  unit: z.string(),
  kind: z.enum(["hard", "soft", "included"]),
  limit: z.string().describe("Units of a month."),
  most: z.string().describe("The most that was used of it in one of the months."),
  share: z.number().describe("`most` of `limit`."),
});
export type QuotaUse = z.infer<typeof quotaUse>;

export const planAdvice = z.strictObject({
  tenantId,
  asOf: instant,
  currency: z.string(),
  state: z
    .enum(["advice", "not_enough_history"])
    .describe("`not_enough_history`: there is no closed month with usage yet."),
  months: z
    .array(z.strictObject({ from: instant, to: instant }))
    .max(ADVICE_MONTHS)
    .describe("Closed months by UTC since usage began, oldest first."),
  plans: z
    .array(triedPlan)
    .max(ADVICE_PLANS_MAX)
    .describe("The own plan first, then the others, the cheapest first."),
  recommended: z
    .strictObject({
      planId: z.string(),
      reason: z.enum(["cheaper", "refuses_nothing"]),
      saving: money,
    })
    .nullable()
    .describe("The cheapest plan that would have refused nothing; null when the own plan is best."),
  refused: z.int().describe("Calls that the own plan's quotas did refuse in these months."),
  quotas: z.array(quotaUse).describe("How much of what the own plan gives was used."),
  spendCap: money
    .nullable()
    .describe(
      "A cap that leaves room above the dearest month; null on a plan whose price does not depend on usage.",
    ),
});
export type PlanAdvice = z.infer<typeof planAdvice>;

export const adviceContract = {
  plans: operation({ scope: "billing:read" })
    .route({
      method: "GET",
      path: "/tenants/{tenantId}/advice/plans",
      summary: "Try every plan with the usage of the last months",
      description:
        "The tenant's usage of up to six closed months through every public plan, by what bills: tiers, included units, minimums and seats count as on an invoice. List prices before coupons, credit, add-ons and tax; trials and introductory prices are left out. Whether rate limits would have refused calls is not known.",
      tags: ["Advice"],
    })
    .input(z.strictObject({ tenantId }))
    .output(planAdvice),
};
