import { SLUG_PATTERN } from "@turnpike/domain/ids/ids";
import { z } from "zod";
import { operation } from "./operation.ts";
import { displayText } from "./shapes.ts";

const slug = z
  .string()
  .regex(SLUG_PATTERN, "Lower-case letters, digits and dashes, starting with a letter.");

export const rateLimit = z.strictObject({
  name: slug,
  limit: z.number().int().min(1).max(1_000_000),
  windowSeconds: z.number().int().min(1).max(86_400),
});

export const quota = z.strictObject({
  meter: slug,
  limit: z.number().int().min(0).max(Number.MAX_SAFE_INTEGER),
  kind: z.enum(["hard", "soft"]),
});

const planTerms = {
  name: displayText(60),
  description: z.string().max(300).default(""),
  currency: z
    .string()
    .regex(/^[A-Z]{3}$/, "Three capital letters, ISO 4217.")
    .default("USD"),
  pricePerMonth: z
    .string()
    .regex(/^\d{1,9}(\.\d{1,12})?$/, 'A decimal amount in quotes, such as "49.90".')
    .default("0"),
  visibility: z.enum(["public", "private"]).default("public"),
  rateLimits: z.array(rateLimit).max(5).default([]),
  quotas: z.array(quota).max(20).default([]),
};

export const planInput = z.strictObject({ planId: slug, ...planTerms });

export const meter = z.strictObject({
  meterId: slug,
  name: displayText(60),
  unit: displayText(30),
  aggregation: z.enum(["count", "sum"]),
});

/** The `catalog` section of turnpike.yaml and of `turnpike catalog apply`. */
export const catalogInput = z
  .strictObject({
    meters: z.array(meter).max(100).default([]),
    plans: z.array(planInput).min(1).max(100),
    defaultPlanId: slug.optional(),
  })
  .superRefine((catalog, context) => {
    const ids = catalog.plans.map((plan) => plan.planId);
    for (const [index, id] of ids.entries()) {
      if (ids.indexOf(id) !== index) {
        context.addIssue({
          code: "custom",
          path: ["plans", index, "planId"],
          message: `The plan ${id} stands here twice.`,
        });
      }
    }
    if (catalog.defaultPlanId !== undefined && !ids.includes(catalog.defaultPlanId)) {
      context.addIssue({
        code: "custom",
        path: ["defaultPlanId"],
        message: "Must be one of the plans.",
      });
    }
  });
export type CatalogInput = z.infer<typeof catalogInput>;

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
});
export type Plan = z.infer<typeof plan>;

const tags = ["Catalogue"];

export const catalogContract = {
  listPlans: operation({ scope: "catalog:read" })
    .route({
      method: "GET",
      path: "/plans",
      summary: "List the newest version of every plan",
      tags,
    })
    .input(z.strictObject({}))
    .output(z.strictObject({ items: z.array(plan).max(1000) })),
  listMeters: operation({ scope: "catalog:read" })
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
