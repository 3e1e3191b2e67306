import { isId } from "@turnpike/domain/ids/ids";
import { z } from "zod";
import { operation } from "./operation.ts";
import { instant, slug, tenantId } from "./shapes.ts";

const planId = slug;
const version = z.coerce.number().int().min(1).max(2_147_483_647);

export const migrationId = z
  .string()
  .refine((value) => isId("migration", value), {
    error: "Not the id of a migration; it looks like mig_0199f3b0c1d27a4e8f60112233445566.",
  })
  .meta({ examples: ["mig_0199f3b0c1d27a4e8f60112233445566"] });

/** The query of `GET /v1/plans/{planId}/migration-preview`, which answers one JSON document on each line. */
export const migrationPreviewQuery = z.strictObject({
  planId,
  fromVersion: version.optional(),
  to: z.union([z.literal("draft"), version]),
});

const money = z.string().meta({
  description: "In major units, exact, with the decimals of the currency.",
  examples: ["49.90"],
});

/** One subscriber of a preview. */
export const migrationRow = z.strictObject({
  kind: z.literal("subscriber"),
  tenantId,
  tenantName: z.string(),
  planVersion: z.number().int(),
  currency: z.string().nullable(),
  from: instant
    .nullable()
    .describe("The period that is compared; null for a tenant that is not billed."),
  to: instant.nullable(),
  isWhole: z
    .boolean()
    .describe("False when no period has ended yet, and the running one is compared so far."),
  before: money
    .nullable()
    .describe(
      "What the period comes to, with add-ons, less coupons and promotional credit as they are now, before tax.",
    ),
  after: money.nullable().describe("What it would cost; null when the tenant cannot be moved."),
  difference: money.nullable(),
  fault: z.string().nullable().describe("Why the tenant cannot be moved."),
});
export type MigrationRow = z.infer<typeof migrationRow>;

/** The last line of a preview. */
export const migrationTotals = z.strictObject({
  kind: z.literal("totals"),
  subscribers: z.number().int(),
  unbilled: z.number().int().describe("Those without a subscription that runs: they pay nothing."),
  refused: z.number().int().describe("Those that cannot be moved."),
  currencies: z.array(
    z.strictObject({
      currency: z.string(),
      more: z.number().int(),
      less: z.number().int(),
      same: z.number().int(),
      before: money,
      after: money,
      difference: money,
    }),
  ),
});
export type MigrationTotals = z.infer<typeof migrationTotals>;

export const planMigration = z.strictObject({
  migrationId,
  planId,
  fromVersion: z.number().int().nullable().describe("Null for every other version."),
  toVersion: z.number().int(),
  when: z.enum(["now", "period_end"]),
  state: z.enum(["running", "done", "cancelled", "failed"]),
  moved: z.number().int(),
  unchanged: z.number().int().describe("Those that have the version already, or leave the plan."),
  failed: z.number().int(),
  failures: z
    .array(z.strictObject({ tenantId: z.string(), reason: z.string() }))
    .describe("The first hundred that could not be moved."),
  createdAt: instant,
  createdBy: z.string(),
  finishedAt: instant.nullable(),
});
export type PlanMigration = z.infer<typeof planMigration>;

const tags = ["Catalogue"];

/** There is also a plain route: `GET /plans/{planId}/migration-preview` streams what each subscriber would pay. */
export const planMigrationsContract = {
  countSubscribers: operation({ scope: "billing:read" })
    .route({
      method: "GET",
      path: "/plans/{planId}/subscribers",
      summary: "Count the tenants that have a plan, by version",
      tags,
    })
    .input(z.strictObject({ planId }))
    .output(
      z.strictObject({
        items: z.array(
          z.strictObject({ version: z.number().int(), subscribers: z.number().int() }),
        ),
      }),
    ),
  create: operation({ scope: "catalog:write" })
    .route({
      method: "POST",
      path: "/plans/{planId}/migrations",
      summary: "Move the subscribers of a plan to another version",
      description:
        "A job moves them one after the other. `period_end` moves each at the end of its period; one that is not billed moves at once.",
      tags,
    })
    .input(
      z.strictObject({
        planId,
        fromVersion: version.optional().describe("Left out: those of every other version."),
        toVersion: version,
        when: z.enum(["now", "period_end"]).default("period_end"),
      }),
    )
    .output(planMigration),
  list: operation({ scope: "catalog:read" })
    .route({
      method: "GET",
      path: "/plans/{planId}/migrations",
      summary: "List the newest hundred migrations of a plan, newest first",
      tags,
    })
    .input(z.strictObject({ planId }))
    .output(z.strictObject({ items: z.array(planMigration).max(100) })),
  cancel: operation({ scope: "catalog:write", worksWhenFull: true })
    .route({
      method: "POST",
      path: "/plan-migrations/{migrationId}/cancel",
      summary: "Stop a migration: who has been moved stays so",
      tags,
    })
    .input(z.strictObject({ migrationId }))
    .output(planMigration),
};
