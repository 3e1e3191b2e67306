import { STANDINGS } from "@turnpike/domain/entitlements/standing";
import { z } from "zod";
import { operation } from "./operation.ts";
import { instant, pageOf, pageQuery, plainText } from "./shapes.ts";
import { planId, tenant } from "./tenants.ts";

export const CUSTOMER_SORTS = ["newest", "usage", "quota", "activity", "revenue"] as const;

export const customer = z.strictObject({
  tenant,
  standing: z.enum(STANDINGS).describe("The payment standing."),
  used: z.string().describe("Requests with live keys in the current period, an exact decimal."),
  quotaPercent: z
    .number()
    .nullable()
    .describe("Of the fullest quota of the current period, one decimal; null without a quota."),
  lastUsedAt: instant.nullable().describe("Minute of the last call; null before the first."),
  revenue: z
    .strictObject({ amount: z.string(), currency: z.string() })
    .nullable()
    .describe(
      "Monthly recurring revenue in major units, before tax; null without any, and for programs without `invoices:read`.",
    ),
});
export type Customer = z.infer<typeof customer>;

/** Tenants as customers, for operators. */
export const customersContract = {
  list: operation({ scope: "tenants:read" })
    .route({
      method: "GET",
      path: "/customers",
      summary: "List tenants with their use, quota, last call and revenue, filtered and sorted",
      description:
        "For operators. The figures are worked out every minute. Sorted by a figure, the largest comes first, and of equal ones the newest tenant; amounts of several currencies are in one order, and nothing is converted.",
      tags: ["Tenants"],
    })
    .input(
      z.strictObject({
        q: plainText(100)
          .optional()
          .describe("Part of the name or slug, the id, or with an @ part of a member's address."),
        planId: planId.optional(),
        standing: z.enum(STANDINGS).optional(),
        suspended: z.stringbool().optional(),
        sort: z
          .enum(CUSTOMER_SORTS)
          .default("newest")
          .describe("`revenue` needs `invoices:read` as well."),
        ...pageQuery,
      }),
    )
    .output(pageOf(customer)),
};
