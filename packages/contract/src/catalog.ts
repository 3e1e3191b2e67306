import { CUSTOM_SCOPE_PATTERN, isReservedScope } from "@turnpike/domain/access/custom-scopes";
import {
  AGGREGATIONS,
  isAdditive,
  METER_DIMENSIONS_MAX,
  METER_VERSIONS_MAX,
  METERS_MAX,
} from "@turnpike/domain/catalog/meter";
import { parseJsonPointer } from "@turnpike/domain/text/json-pointer";
import { z } from "zod";
import { couponInput } from "./coupons.ts";
import { operation } from "./operation.ts";
import { planPhases } from "./plan-phases.ts";
import { displayName, displayText, instant, plainText, slug } from "./shapes.ts";

export const rateLimit = z.strictObject({
  name: slug.describe("The name in replies."),
  limit: z.number().int().min(1).max(1_000_000).describe("Calls in one window."),
  windowSeconds: z
    .number()
    .int()
    .min(1)
    .max(86_400)
    .describe("Length of the window in seconds. For longer windows use a quota."),
});

export const quota = z.strictObject({
  meter: slug.describe("The meter it caps."),
  limit: z
    .number()
    .int()
    .min(0)
    .max(Number.MAX_SAFE_INTEGER)
    .describe("Whole units in one billing period (a month)."),
  kind: z.enum(["hard", "soft"]).describe("`hard` refuses calls beyond it, `soft` records them."),
});

/** Calls of a tenant, or of a key, that may be under way at once. */
export const concurrency = z.number().int().min(1).max(100_000);

/** The most scopes of the operator's own API that one plan allows. */
export const PLAN_SCOPES_MAX = 100;

const customScope = z
  .string()
  .regex(
    CUSTOM_SCOPE_PATTERN,
    "Two to four words joined by colons, such as maps:read, in lower-case letters, digits, dashes and underscores.",
  )
  .refine((name) => !isReservedScope(name), "This noun is used by scopes of the management API.");

const planTerms = {
  name: displayName(60).describe("The name customers see."),
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
    .describe(
      "Price of one period in major units, as text to keep it exact. Not for a plan with phases, whose cards have prices.",
    ),
  visibility: z
    .enum(["public", "private"])
    .default("public")
    .describe("`public` plans are shown to everyone, `private` ones are assigned by the operator."),
  rateLimits: z
    .array(rateLimit)
    .max(5)
    .default([])
    .describe("Limits on short windows. Every call is checked against each, so keep them few."),
  quotas: z
    .array(quota)
    .max(20)
    .default([])
    .describe(
      "Caps for one billing period. Not for a plan with phases, whose cards have entitlements.",
    ),
  phases: planPhases
    .optional()
    .describe("What it costs and entitles to, phase by phase: trials, fees, usage, quotas."),
  isAddOn: z
    .boolean()
    .optional()
    .describe("True for a plan that is only bought beside another one. Left out: no."),
  isPrepaid: z
    .boolean()
    .optional()
    .describe(
      "True for a plan whose usage draws on the tenant's credit as calls happen: without credit, calls that cost something are refused. Fees are invoiced as on any plan. Left out: no.",
    ),
  concurrency: concurrency
    .nullish()
    .describe(
      "Calls of a tenant through the gateway that may be under way at once, in each environment; further ones get 429. Left out or null: only its share of the upstream limits it.",
    ),
  scopes: z
    .array(customScope)
    .max(PLAN_SCOPES_MAX)
    .optional()
    .describe("Scopes of your own API that keys of the plan may carry, such as `maps:read`."),
};

export const planInput = z.strictObject({
  planId: slug.describe("Identifier of the plan for programs."),
  ...planTerms,
});

/** The terms of a plan that is being written: its parts have their shapes, and whether they fit together is reported. */
export const planDraftTerms = z.strictObject(planTerms);
export type PlanDraftTerms = z.output<typeof planDraftTerms>;

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
        message: `${name} is listed twice.`,
      });
    }
  }
}

/** Refuses two limits of one name, which would share their count, and two quotas of one meter. */
export function refuseRepeatedLimits(
  terms: {
    rateLimits?: readonly { name: string }[] | undefined;
    quotas?: readonly { meter: string }[] | undefined;
  },
  context: z.RefinementCtx,
  path: readonly (string | number)[] = [],
): void {
  const { rateLimits = [], quotas = [] } = terms;
  const meters = quotas.map(({ meter }) => meter);
  refuseRepeated(context, meters, (index) => [...path, "quotas", index, "meter"]);
  const names = rateLimits.map(({ name }) => name);
  refuseRepeated(context, names, (index) => [...path, "rateLimits", index, "name"]);
}

const INSTEAD_OF_PHASES = "Remove it: the cards of the plan's phases have its prices and limits.";

/** Checks the parts of a plan that fit together in every installation. */
function checkPlan(
  plan: PlanDraftTerms,
  context: z.RefinementCtx,
  path: (string | number)[] = [],
): void {
  refuseRepeatedLimits(plan, context, path);
  refuseRepeated(context, plan.scopes ?? [], (index) => [...path, "scopes", index]);
  if (plan.phases === undefined) {
    return;
  }
  for (const [member, isGiven] of [
    ["quotas", plan.quotas.length > 0],
    ["pricePerMonth", /[1-9]/.test(plan.pricePerMonth)],
  ] as const) {
    if (isGiven) {
      context.addIssue({ code: "custom", path: [...path, member], message: INSTEAD_OF_PHASES });
    }
  }
}

/** The terms of a plan that is complete. */
export const completePlanTerms = planDraftTerms.superRefine((plan, context) =>
  checkPlan(plan, context),
);

const POINTER_LENGTH_MAX = 200;

const jsonPointer = plainText(POINTER_LENGTH_MAX).refine(
  (text) => parseJsonPointer(text) !== undefined,
  "A JSON pointer (RFC 6901), such as /usage/tokens.",
);

const meterDimension = z.strictObject({
  name: z
    .string()
    .regex(/^[a-z][a-z0-9_]{0,39}$/, "Lower-case letters, digits and underscores.")
    .describe("The name used in queries."),
  pointer: jsonPointer.describe("Its location in the event's data, as a JSON pointer."),
});

const meterFields = {
  name: displayName(60).describe("The name customers see."),
  unit: displayText(30).describe("Name of one unit, singular."),
  aggregation: z
    .enum(AGGREGATIONS)
    .describe("How usage becomes a number. Cannot be changed later: create a new meter instead."),
  eventType: plainText(256)
    .min(1, "Must not be empty.")
    .optional()
    .describe(
      "The `type` of the events that the meter counts. Left out: it counts calls through the gateway and verification.",
    ),
  valuePointer: jsonPointer
    .optional()
    .describe("Location of the value in the event's data. Not used by `count`."),
  dimensions: z
    .array(meterDimension)
    .max(METER_DIMENSIONS_MAX)
    .optional()
    .describe("Fields of an event that usage can be broken down by."),
  valueMax: z
    .string()
    .regex(/^\d{1,15}(\.\d{1,12})?$/, 'A decimal in quotes, such as "1000".')
    .refine((text) => /[1-9]/.test(text), "Must be above 0.")
    .optional()
    .describe(
      "The highest value of one event, for `sum`; higher ones are rejected. A hard limit or a spend cap on a priced meter that sums needs it.",
    ),
};

type MeterShape = z.output<z.ZodObject<typeof meterFields>>;

/** Checks that the fields of a meter fit together. */
function checkMeter(
  shape: Pick<MeterShape, "aggregation" | "eventType" | "valuePointer" | "dimensions" | "valueMax">,
  context: z.RefinementCtx,
): void {
  const { aggregation, eventType, valuePointer, dimensions = [] } = shape;
  const fault = (name: string, message: string) =>
    context.addIssue({ code: "custom", path: [name], message });
  if (shape.valueMax !== undefined && aggregation !== "sum") {
    fault("valueMax", "Only a meter that sums has a highest value.");
  }
  if (eventType === undefined) {
    if (!isAdditive(aggregation)) {
      fault("eventType", `Only events can be counted by ${aggregation}.`);
    }
    if (valuePointer !== undefined) {
      fault("valuePointer", "Calls have no data to point into: give an eventType.");
    }
    if (dimensions.length > 0) {
      fault("dimensions", "Calls have no data to point into: give an eventType.");
    }
    return;
  }
  if (aggregation === "count" && valuePointer !== undefined) {
    fault("valuePointer", "Counting needs no value.");
  }
  if (aggregation !== "count" && valuePointer === undefined) {
    fault("valuePointer", "Required.");
  }
  const names = dimensions.map((dimension) => dimension.name);
  refuseRepeated(context, names, (index) => ["dimensions", index, "name"]);
}

const meterId = slug.describe(
  "Identifier of the meter for programs. Calls through the gateway and verification count towards `requests`.",
);

/** The definition of a meter. */
export const meterInput = z.strictObject({ meterId, ...meterFields }).superRefine(checkMeter);
export type MeterInput = z.output<typeof meterInput>;

/** The current state of a meter. Visitors do not see its type, pointer or dimensions. */
export const meter = z.strictObject({
  meterId,
  version: z.number().int().optional().describe("Goes up with each change."),
  ...meterFields,
});

export const meterVersion = meter.extend({ version: z.number().int(), publishedAt: instant });

/** The `catalog` section of turnpike.yaml, and the input of `turnpike catalog apply`. */
export const catalogInput = z
  .strictObject({
    meters: z.array(meterInput).max(100).default([]).describe("What is counted."),
    plans: z.array(planInput).min(1).max(100).describe("What is sold."),
    coupons: z.array(couponInput).max(200).optional().describe("Discounts that customers redeem."),
    defaultPlanId: slug.optional().describe("The plan of new tenants."),
  })
  .superRefine((catalog, context) => {
    const ids = catalog.plans.map((plan) => plan.planId);
    refuseRepeated(context, ids, (index) => ["plans", index, "planId"]);
    const meterIds = catalog.meters.map((meter) => meter.meterId);
    refuseRepeated(context, meterIds, (index) => ["meters", index, "meterId"]);
    const couponIds = (catalog.coupons ?? []).map((coupon) => coupon.couponId);
    refuseRepeated(context, couponIds, (index) => ["coupons", index, "couponId"]);
    for (const [at, plan] of catalog.plans.entries()) {
      checkPlan(plan, context, ["plans", at]);
    }
    const { defaultPlanId } = catalog;
    if (defaultPlanId === undefined) {
      return;
    }
    const standard = catalog.plans.find((plan) => plan.planId === defaultPlanId);
    const faulty = (message: string) =>
      context.addIssue({ code: "custom", path: ["defaultPlanId"], message });
    if (standard === undefined) {
      faulty("Must be one of the plans.");
    } else if (standard.isAddOn === true) {
      faulty("Must be a plan that stands on its own, not an add-on.");
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
  concurrency: concurrency
    .nullable()
    .describe("Calls through the gateway that may be under way at once; null for no such limit."),
  scopes: z.array(z.string()),
  phases: planPhases.describe(
    "What it costs and entitles to. Of a plan without phases of its own: one phase with its price and quotas.",
  ),
  isAddOn: z.boolean(),
  isPrepaid: z
    .boolean()
    .optional()
    .describe("True when usage draws on credit as calls happen. Left out: no."),
  archivedAt: instant.nullable().describe("Since when it is offered to no one; null while it is."),
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
        "Public plans need no credential. Private and archived plans are listed for callers who may read the whole catalogue.",
      tags,
    })
    .input(z.strictObject({}))
    .output(z.strictObject({ items: z.array(plan).max(1000) })),
  listMeters: operation({ scope: "public" })
    .route({ method: "GET", path: "/meters", summary: "List meters", tags })
    .input(z.strictObject({}))
    .output(z.strictObject({ items: z.array(meter) })),
  createMeter: operation({ scope: "catalog:write" })
    .route({
      method: "POST",
      path: "/meters",
      summary: "Create a meter",
      description: `At most ${METERS_MAX.toLocaleString("en")} in an installation.`,
      tags,
    })
    .input(meterInput)
    .output(meter),
  updateMeter: operation({ scope: "catalog:write" })
    .route({
      method: "PATCH",
      path: "/meters/{meterId}",
      summary: "Change a meter: creates a new version that counts events from now on",
      description: `Usage counted before stays as it is. The aggregation cannot change, nor whether the meter counts calls or events. \`null\` removes dimensions. A meter has at most ${METER_VERSIONS_MAX.toLocaleString("en")} versions.`,
      tags,
    })
    .input(
      z.strictObject({
        meterId: slug,
        name: meterFields.name.optional(),
        unit: meterFields.unit.optional(),
        eventType: meterFields.eventType,
        valuePointer: meterFields.valuePointer,
        dimensions: meterFields.dimensions.nullable(),
        valueMax: meterFields.valueMax,
      }),
    )
    .output(meter),
  listMeterVersions: operation({ scope: "catalog:read" })
    .route({
      method: "GET",
      path: "/meters/{meterId}/versions",
      summary: "List the versions of a meter, newest first",
      tags,
    })
    .input(z.strictObject({ meterId: slug }))
    .output(z.strictObject({ items: z.array(meterVersion) })),
  apply: operation({ scope: "catalog:write", largeBody: true })
    .route({
      method: "PUT",
      path: "/catalog",
      summary:
        "Bring meters, plans and coupons to the given state; each changed plan gets a new version",
      tags,
    })
    .input(catalogInput)
    .output(
      z.strictObject({
        published: z
          .array(z.strictObject({ planId: z.string(), version: z.number().int() }))
          .describe("Plans that got a new version."),
        publishedMeters: z
          .array(z.strictObject({ meterId: z.string(), version: z.number().int() }))
          .describe("Meters that got a new version."),
        changedCoupons: z.array(z.string()).describe("Coupons that were created or changed."),
        newDefaultPlanId: z.string().nullable().describe("The new default plan, if it changed."),
      }),
    ),
};
