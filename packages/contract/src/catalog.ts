import { CUSTOM_SCOPE_PATTERN, isReservedScope } from "@turnpike/domain/access/custom-scopes";
import { SLUG_PATTERN } from "@turnpike/domain/ids/ids";
import { z } from "zod";
import { operation } from "./operation.ts";
import { displayText, plainText } from "./shapes.ts";

const slug = z
  .string()
  .regex(SLUG_PATTERN, "Lower-case letters, digits and dashes, starting with a letter.");

export const rateLimit = z.strictObject({
  name: slug.describe("What replies call it."),
  limit: z.number().int().min(1).max(1_000_000).describe("Calls in one window."),
  windowSeconds: z
    .number()
    .int()
    .min(1)
    .max(86_400)
    .describe("Length of the window in seconds; longer ones are quotas."),
});

export const quota = z.strictObject({
  meter: slug.describe("The meter that it caps."),
  limit: z
    .number()
    .int()
    .min(0)
    .max(Number.MAX_SAFE_INTEGER)
    .describe("Whole units in one billing period, a month."),
  kind: z.enum(["hard", "soft"]).describe("`hard` refuses what lies beyond, `soft` records it."),
});

/** The most scopes of the operator's own API that one plan allows. */
export const PLAN_SCOPES_MAX = 100;

const customScope = z
  .string()
  .regex(
    CUSTOM_SCOPE_PATTERN,
    "Two to four words joined by colons, such as maps:read, in lower-case letters, digits, dashes and underscores.",
  )
  .refine((name) => !isReservedScope(name), "This noun is used by scopes of Turnpike itself.");

const planTerms = {
  name: displayText(60).describe("What customers see."),
  description: plainText(300).default("").describe("One sentence for customers."),
  currency: z
    .string()
    .regex(/^[A-Z]{3}$/, "Three capital letters, ISO 4217.")
    .default("USD")
    .describe("ISO 4217."),
  pricePerMonth: z
    .string()
    .regex(/^\d{1,9}(\.\d{1,12})?$/, 'A decimal amount in quotes, such as "49.90".')
    .default("0")
    .describe("Price of one period in major units, as text, so that it stays exact."),
  visibility: z
    .enum(["public", "private"])
    .default("public")
    .describe("`public` is shown to everybody, `private` is only given by the operator."),
  rateLimits: z
    .array(rateLimit)
    .max(5)
    .default([])
    .describe("Calls in short windows. Every call is held against each, hence few."),
  quotas: z.array(quota).max(20).default([]).describe("Caps for one billing period."),
  scopes: z
    .array(customScope)
    .max(PLAN_SCOPES_MAX)
    .optional()
    .describe("Scopes of your own API that keys of the plan may carry, such as `maps:read`."),
};

export const planInput = z.strictObject({
  planId: slug.describe("Name of the plan for programs."),
  ...planTerms,
});

export const meter = z.strictObject({
  meterId: slug.describe(
    "Name of the meter for programs. The gateway and verification count `requests`.",
  ),
  name: displayText(60).describe("What customers see."),
  unit: displayText(30).describe("What one unit is called, singular."),
  aggregation: z.enum(["count", "sum"]).describe("How events become a number."),
});

function refuseRepeated(
  context: z.RefinementCtx,
  names: readonly string[],
  pathOf: (index: number) => (string | number)[],
): void {
  for (const [index, name] of names.entries()) {
    if (names.indexOf(name) !== index) {
      context.addIssue({
        code: "custom",
        path: pathOf(index),
        message: `${name} stands here twice.`,
      });
    }
  }
}

/** The `catalog` section of turnpike.yaml and of `turnpike catalog apply`. */
export const catalogInput = z
  .strictObject({
    meters: z.array(meter).max(100).default([]).describe("What is counted."),
    plans: z.array(planInput).min(1).max(100).describe("What is sold."),
    defaultPlanId: slug.optional().describe("The plan that a new tenant gets."),
  })
  .superRefine((catalog, context) => {
    const ids = catalog.plans.map((plan) => plan.planId);
    refuseRepeated(context, ids, (index) => ["plans", index, "planId"]);
    const meterIds = catalog.meters.map((meter) => meter.meterId);
    refuseRepeated(context, meterIds, (index) => ["meters", index, "meterId"]);
    for (const [at, plan] of catalog.plans.entries()) {
      const quotas = plan.quotas.map((quota) => quota.meter);
      refuseRepeated(context, quotas, (index) => ["plans", at, "quotas", index, "meter"]);
      // Limits of one name would share what was used.
      const limits = plan.rateLimits.map((rateLimit) => rateLimit.name);
      refuseRepeated(context, limits, (index) => ["plans", at, "rateLimits", index, "name"]);
      refuseRepeated(context, plan.scopes ?? [], (index) => ["plans", at, "scopes", index]);
    }
    if (catalog.defaultPlanId !== undefined && !ids.includes(catalog.defaultPlanId)) {
      context.addIssue({
        code: "custom",
        path: ["defaultPlanId"],
        message: "Must be one of the plans.",
      });
    }
  });

export const plan = z.strictObject({
  planId: z.string(),
  version: z.number().int(),
  isDefault: z.boolean(),
  name: z.string(),
  description: z.string(),
  currency: z.string(),
  pricePerMonth: z.string(),
  visibility: z.enum(["public", "private"]),
  rateLimits: z.array(rateLimit),
  quotas: z.array(quota),
  scopes: z.array(z.string()),
});
export type Plan = z.infer<typeof plan>;

const tags = ["Catalogue"];

export const catalogContract = {
  listPlans: operation({ scope: "public" })
    .route({
      method: "GET",
      path: "/plans",
      summary: "List the newest version of every plan",
      description:
        "Public plans need no credential. Private ones are listed for who may read the whole catalogue.",
      tags,
    })
    .input(z.strictObject({}))
    .output(z.strictObject({ items: z.array(plan).max(1000) })),
  listMeters: operation({ scope: "public" })
    .route({ method: "GET", path: "/meters", summary: "List meters", tags })
    .input(z.strictObject({}))
    .output(z.strictObject({ items: z.array(meter).max(1000) })),
  apply: operation({ scope: "catalog:write" })
    .route({
      method: "PUT",
      path: "/catalog",
      summary: "Bring meters and plans to the given state; a changed plan becomes a new version",
      tags,
    })
    .input(catalogInput)
    .output(
      z.strictObject({
        published: z.array(z.strictObject({ planId: z.string(), version: z.number().int() })),
      }),
    ),
};
