import { z } from "zod";
import { concurrency, quota, rateLimit, refuseRepeatedLimits } from "./catalog.ts";
import { operation } from "./operation.ts";
import { plainText, tenantId } from "./shapes.ts";

/** Limits that one tenant has differently from its plan. A list that is given replaces the plan's whole list. */
export const termsOverrides = z
  .strictObject({
    rateLimits: z.array(rateLimit).max(5).optional(),
    quotas: z.array(quota).max(20).optional(),
    /** Null: no limit. */
    concurrency: concurrency.nullish(),
  })
  .superRefine((terms, context) => refuseRepeatedLimits(terms, context));
export type TermsOverridesInput = z.output<typeof termsOverrides>;

const limits = z.strictObject({
  rateLimits: z.array(rateLimit),
  quotas: z.array(quota),
  concurrency: concurrency.nullable(),
});

export const tenantTerms = z.strictObject({
  tenantId,
  planId: z.string(),
  planVersion: z.int(),
  /** What the plan says, in its present phase. */
  plan: limits,
  overrides: termsOverrides,
  /** What holds: the plan's, but for what is overridden. */
  terms: limits,
});
export type TenantTerms = z.infer<typeof tenantTerms>;

const tags = ["Tenants"];
const path = "/tenants/{tenantId}/terms";

/** The limits of one tenant: those of its plan, and what the operator agreed with it apart from that. */
export const tenantTermsContract = {
  get: operation({ scope: "tenants:read" })
    .route({
      method: "GET",
      path,
      summary: "Get the limits of a tenant, and where they are from",
      tags,
    })
    .input(z.strictObject({ tenantId }))
    .output(tenantTerms),
  put: operation({ scope: "catalog:write" })
    .route({
      method: "PUT",
      path,
      summary: "Give a tenant limits other than those of its plan",
      description:
        "Replaces all that were given before; an empty object leaves the plan's. Every process applies them within a second. The operator alone may do this.",
      tags,
    })
    .input(
      z.strictObject({
        tenantId,
        overrides: termsOverrides,
        /** For the audit log. */
        reason: plainText(500).trim().min(1),
      }),
    )
    .output(tenantTerms),
};
