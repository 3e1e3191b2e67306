import { z } from "zod";
import { plan, planDraftTerms } from "./catalog.ts";
import { operation } from "./operation.ts";
import { instant, pageOf, pageQuery, slug } from "./shapes.ts";

const planId = slug;
const version = z.coerce.number().int().min(1).max(2_147_483_647);

/** Grows with every change of any draft, as decimal digits. */
const revision = z.string().regex(/^\d{1,19}$/, "A whole number in decimal digits.");

/** Guards a write against overwriting unseen changes: the revision it is based on, or `0` for "none yet". */
const expectedRevision = revision
  .optional()
  .describe('The revision that the change is based on, "0" for none yet. Left out: any.');

const fault = z.strictObject({
  pointer: z.string().describe("JSON pointer into the terms."),
  message: z.string().describe("What to do instead."),
});

export const planVersion = plan
  .omit({ isDefault: true, archivedAt: true })
  .extend({ publishedAt: instant });
export type PlanVersion = z.infer<typeof planVersion>;

export const planDraft = z.strictObject({
  planId,
  revision,
  terms: planDraftTerms,
  faults: z.array(fault).describe("What publishing would refuse; empty when it can be published."),
  updatedAt: instant,
  updatedBy: z.string(),
});
export type PlanDraft = z.infer<typeof planDraft>;

const draftSummary = planDraft
  .omit({ terms: true, faults: true })
  .extend({ name: z.string(), isNew: z.boolean().describe("True when no version is published.") });

export const planChange = z.strictObject({
  path: z
    .string()
    .describe("JSON pointer; cards, limits and quotas are named by their keys, not their places."),
  kind: z.enum(["added", "removed", "changed"]),
  before: z.unknown().describe("Null when it is added."),
  after: z.unknown().describe("Null when it is removed."),
  text: z.string().describe('One sentence, such as "calls: tier 2 unit price 0.002 → 0.0015".'),
});

const side = z.union([z.literal("draft"), version]);

const tags = ["Catalogue"];
const draftPath = "/plans/{planId}/draft";

export const planVersionsContract = {
  listPlanVersions: operation({ scope: "catalog:read" })
    .route({
      method: "GET",
      path: "/plans/{planId}/versions",
      summary: "List the versions of a plan, newest first",
      tags,
    })
    .input(z.strictObject({ planId, ...pageQuery }))
    .output(pageOf(planVersion)),
  getPlanVersion: operation({ scope: "catalog:read" })
    .route({
      method: "GET",
      path: "/plans/{planId}/versions/{version}",
      summary: "Get a version of a plan",
      tags,
    })
    .input(z.strictObject({ planId, version }))
    .output(planVersion),
  diffPlanVersions: operation({ scope: "catalog:read" })
    .route({
      method: "GET",
      path: "/plans/{planId}/changes",
      summary: "List what differs between two versions of a plan, or a version and its draft",
      tags,
    })
    .input(z.strictObject({ planId, from: side, to: side }))
    .output(z.strictObject({ items: z.array(planChange) })),
  listPlanDrafts: operation({ scope: "catalog:read" })
    .route({ method: "GET", path: "/plan-drafts", summary: "List the drafts of plans", tags })
    .input(z.strictObject({}))
    .output(z.strictObject({ items: z.array(draftSummary).max(1_000) })),
  getPlanDraft: operation({ scope: "catalog:read" })
    .route({ method: "GET", path: draftPath, summary: "Get the draft of a plan", tags })
    .input(z.strictObject({ planId }))
    .output(planDraft),
  putPlanDraft: operation({ scope: "catalog:write", largeBody: true })
    .route({
      method: "PUT",
      path: draftPath,
      summary: "Create or replace the draft of a plan",
      description:
        "A draft may have faults, which the answer lists. 409 `CONFLICT` with the present `revision` when it is not the expected one.",
      tags,
    })
    .input(z.strictObject({ planId, terms: planDraftTerms, expectedRevision }))
    .output(planDraft),
  deletePlanDraft: operation({ scope: "catalog:write" })
    .route({
      method: "DELETE",
      path: draftPath,
      successStatus: 204,
      summary: "Delete the draft of a plan",
      // With compact input, the guard would be read from a body, and one in the query would be ignored silently.
      inputStructure: "detailed",
      tags,
    })
    .input(
      z.object({
        params: z.strictObject({ planId }),
        query: z.strictObject({ expectedRevision }),
      }),
    ),
  publishPlanDraft: operation({ scope: "catalog:write" })
    .route({
      method: "POST",
      path: `${draftPath}/publish`,
      summary: "Publish the draft of a plan as its next version",
      description:
        "Subscribers keep the version they have. A draft that equals the newest version publishes nothing. The draft is deleted.",
      tags,
    })
    .input(z.strictObject({ planId, expectedRevision }))
    .output(planVersion),
  archivePlan: operation({ scope: "catalog:write", worksWhenFull: true })
    .route({
      method: "POST",
      path: "/plans/{planId}/archive",
      summary: "Archive a plan: it is offered to no one, and its subscribers keep it",
      description: "The default plan cannot be archived.",
      tags,
    })
    .input(z.strictObject({ planId }))
    .output(plan),
  restorePlan: operation({ scope: "catalog:write" })
    .route({
      method: "POST",
      path: "/plans/{planId}/restore",
      summary: "Offer an archived plan again",
      tags,
    })
    .input(z.strictObject({ planId }))
    .output(plan),
};
