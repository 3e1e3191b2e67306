import { CUSTOM_SCOPE_PATTERN, isReservedScope } from "@turnpike/domain/access/custom-scopes";
import {
  AGGREGATIONS,
  isAdditive,
  METER_DIMENSIONS_MAX,
  METER_VERSIONS_MAX,
  METERS_MAX,
} from "@turnpike/domain/catalog/meter";
import { SLUG_PATTERN } from "@turnpike/domain/ids/ids";
import { parseJsonPointer } from "@turnpike/domain/text/json-pointer";
import { z } from "zod";
import { operation } from "./operation.ts";
import { displayText, instant, plainText } from "./shapes.ts";

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

const POINTER_LENGTH_MAX = 200;

const jsonPointer = plainText(POINTER_LENGTH_MAX).refine(
  (text) => parseJsonPointer(text) !== undefined,
  "A JSON pointer (RFC 6901), such as /usage/tokens.",
);

const meterDimension = z.strictObject({
  name: z
    .string()
    .regex(/^[a-z][a-z0-9_]{0,39}$/, "Lower-case letters, digits and underscores.")
    .describe("What queries call it."),
  pointer: jsonPointer.describe("Where it stands in the data of an event, as a JSON pointer."),
});

const meterFields = {
  name: displayText(60).describe("What customers see."),
  unit: displayText(30).describe("What one unit is called, singular."),
  aggregation: z
    .enum(AGGREGATIONS)
    .describe(
      "How usage becomes a number. It stays what it is: a new way of counting needs a new meter.",
    ),
  eventType: plainText(256)
    .min(1, "Must not be empty.")
    .optional()
    .describe(
      "The `type` of the events that it counts. Left out: the gateway and verification count it.",
    ),
  valuePointer: jsonPointer
    .optional()
    .describe("Where the value stands in the data of an event. `count` alone has none."),
  dimensions: z
    .array(meterDimension)
    .max(METER_DIMENSIONS_MAX)
    .optional()
    .describe("Parts of an event that usage can be broken down by."),
};

type MeterShape = z.output<z.ZodObject<typeof meterFields>>;

/** What the parts of a meter must have in common. */
function checkMeter(
  shape: Pick<MeterShape, "aggregation" | "eventType" | "valuePointer" | "dimensions">,
  context: z.RefinementCtx,
): void {
  const { aggregation, eventType, valuePointer, dimensions = [] } = shape;
  const fault = (name: string, message: string) =>
    context.addIssue({ code: "custom", path: [name], message });
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
  "Name of the meter for programs. The gateway and verification count `requests`.",
);

/** A meter as it is defined. */
export const meterInput = z.strictObject({ meterId, ...meterFields }).superRefine(checkMeter);
export type MeterInput = z.output<typeof meterInput>;

/** A meter as it stands. Visitors see neither type, pointer nor dimensions. */
export const meter = z.strictObject({
  meterId,
  version: z.number().int().optional().describe("Counts up with each change."),
  ...meterFields,
});

export const meterVersion = meter.extend({ version: z.number().int(), publishedAt: instant });

/** The `catalog` section of turnpike.yaml and of `turnpike catalog apply`. */
export const catalogInput = z
  .strictObject({
    meters: z.array(meterInput).max(100).default([]).describe("What is counted."),
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
      summary: "Change a meter: a new version, by which events are counted from now on",
      description: `What was counted before stays as it is. The aggregation, and whether calls or events are counted, cannot change. \`null\` takes dimensions away. A meter has at most ${METER_VERSIONS_MAX.toLocaleString("en")} versions.`,
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
      }),
    )
    .output(meter),
  listMeterVersions: operation({ scope: "catalog:read" })
    .route({
      method: "GET",
      path: "/meters/{meterId}/versions",
      summary: "List the versions of a meter, the newest first",
      tags,
    })
    .input(z.strictObject({ meterId: slug }))
    .output(z.strictObject({ items: z.array(meterVersion) })),
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
        published: z
          .array(z.strictObject({ planId: z.string(), version: z.number().int() }))
          .describe("Versions of plans that are new."),
        publishedMeters: z
          .array(z.strictObject({ meterId: z.string(), version: z.number().int() }))
          .describe("Versions of meters that are new."),
        newDefaultPlanId: z
          .string()
          .nullable()
          .describe("The default plan, when it is another one now."),
      }),
    ),
};
