import { isId, type TenantId } from "@turnpike/domain/ids/ids";
import { z } from "zod";
import { migrationRow } from "./plan-migrations.ts";
import { slug } from "./shapes.ts";

const place = z.string().transform((text, context): { planId: string; tenantId: TenantId } => {
  const [planId = "", tenantId = "", ...rest] = text.split(".");
  if (rest.length > 0 || !slug.safeParse(planId).success || !isId("tenant", tenantId)) {
    context.addIssue({
      code: "custom",
      message: "A plan, a dot and a tenant, such as pro.ten_0199f3b0c1d27a4e8f60112233445566.",
    });
    return z.NEVER;
  }
  return { planId, tenantId };
});

/** The query of `GET /v1/catalog/drafts/preview`, which answers one JSON document on each line. */
export const draftsPreviewQuery = z.strictObject({
  /** The last row that an answer gave before it broke off: the next answer goes on after it. */
  after: place.optional(),
});

/** A subscriber of a plan that has a draft, or a draft that cannot be published. */
export const draftsRow = z.discriminatedUnion("kind", [
  migrationRow.extend({ planId: slug, planName: z.string() }),
  z.strictObject({
    kind: z.literal("fault"),
    planId: slug,
    planName: z.string(),
    fault: z.string().describe("Why the draft cannot be published."),
  }),
]);
export type DraftsRow = z.infer<typeof draftsRow>;

/** The last line: without it the answer is not whole. */
export const draftsTotals = z.strictObject({ kind: z.literal("end"), plans: z.int() });
export type DraftsTotals = z.infer<typeof draftsTotals>;
