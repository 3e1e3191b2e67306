import type { PlanDraft, PlanVersion } from "@turnpike/contract/plan-versions";
import type { Tx } from "@turnpike/db/client";
import { assertMay, type CallContext } from "@turnpike/domain/access/actor";
import type { PlanTerms } from "@turnpike/domain/catalog/plan";
import { AppError, resourceNotFound } from "@turnpike/domain/errors/app-error";
import { writeAudit } from "#modules/audit/index.ts";
import type { AppServices } from "#platform/app-services.ts";
import { findPlanRow, findPlanVersionRow, listMeterRows, lockCatalog } from "../catalog.store.ts";
import { publishPlan } from "../publish-plan.ts";
import { toTerms } from "../to-terms.ts";
import { findDraftFaults } from "./find-draft-faults.ts";
import {
  countPlanDrafts,
  deletePlanDraftRow,
  findPlanDraftRow,
  type PlanDraftRow,
  upsertPlanDraft,
} from "./plan-drafts.store.ts";
import { toDraftReply } from "./read-plan-drafts.ts";
import { toVersionReply } from "./to-version-reply.ts";

/** More are not read any more. */
const DRAFTS_MAX = 1_000;

/** A draft, and a guard against overwriting unseen changes: the revision it is based on, `0` for "none yet". */
type DraftKey = { planId: string; expectedRevision?: string | undefined };

/** Lets writers of the catalogue take turns, then reads the draft. */
async function lockDraft(
  tx: Tx,
  { planId, expectedRevision }: DraftKey,
): Promise<PlanDraftRow | undefined> {
  await lockCatalog(tx);
  const present = await findPlanDraftRow(tx, planId);
  const revision = present?.revision ?? 0n;
  if (expectedRevision !== undefined && BigInt(expectedRevision) !== revision) {
    throw new AppError({
      code: "CONFLICT",
      publicMessage: "The draft has changed since it was read.",
      extensions: { revision: String(revision) },
    });
  }
  return present;
}

async function getLocked(tx: Tx, key: DraftKey): Promise<PlanDraftRow> {
  const present = await lockDraft(tx, key);
  if (present === undefined) {
    throw resourceNotFound("draft");
  }
  return present;
}

async function audit(
  deps: AppServices,
  tx: Tx,
  context: CallContext,
  entry: { action: string; row: PlanDraftRow },
): Promise<void> {
  await writeAudit(deps, tx, context, {
    tenantId: null,
    action: entry.action,
    entityType: "plan",
    entityId: entry.row.planId,
    details: { revision: String(entry.row.revision) },
  });
}

/**
 * Creates or replaces the draft of a plan, which may be a new one. Faults are reported and stored.
 *
 * @throws {AppError} `CONFLICT` when the revision is not the expected one (with the present `revision`), or there are 1,000
 *   drafts; `INSUFFICIENT_SCOPE`.
 */
export async function putPlanDraft(
  deps: AppServices,
  context: CallContext,
  input: DraftKey & { terms: PlanTerms },
): Promise<PlanDraft> {
  assertMay(context.actor, "catalog:write");
  return await deps.transact.asOperator(async (tx) => {
    const present = await lockDraft(tx, input);
    if (present === undefined && (await countPlanDrafts(tx)) >= DRAFTS_MAX) {
      throw new AppError({
        code: "CONFLICT",
        publicMessage: `There can be at most ${DRAFTS_MAX.toLocaleString("en")} drafts: publish or delete one first.`,
      });
    }
    const row = await upsertPlanDraft(tx, {
      planId: input.planId,
      terms: input.terms,
      updatedAt: deps.clock.now(),
      updatedBy: context.actor.id,
    });
    await audit(deps, tx, context, { action: "plan.draft_saved", row });
    return await toDraftReply(tx, row);
  });
}

/** @throws {AppError} `RESOURCE_NOT_FOUND`; `CONFLICT` like {@link putPlanDraft}; `INSUFFICIENT_SCOPE`. */
export async function deletePlanDraft(
  deps: AppServices,
  context: CallContext,
  key: DraftKey,
): Promise<void> {
  assertMay(context.actor, "catalog:write");
  await deps.transact.asOperator(async (tx) => {
    const row = await getLocked(tx, key);
    await deletePlanDraftRow(tx, key.planId);
    await audit(deps, tx, context, { action: "plan.draft_deleted", row });
  });
}

/**
 * Publishes a draft as the next version of its plan and deletes it. A draft that equals the newest version publishes nothing.
 *
 * @returns The newest version of the plan.
 * @throws {AppError} `INVALID_REQUEST` with every fault; `RESOURCE_NOT_FOUND`; `CONFLICT` like {@link putPlanDraft};
 *   `INSUFFICIENT_SCOPE`.
 */
export async function publishPlanDraft(
  deps: AppServices,
  context: CallContext,
  key: DraftKey,
): Promise<PlanVersion> {
  assertMay(context.actor, "catalog:write");
  const { planId } = key;
  return await deps.transact.asOperator(async (tx) => {
    const draft = await getLocked(tx, key);
    const meters = await listMeterRows(tx);
    const before = await findPlanRow(tx, planId);
    const errors = findDraftFaults({ planId, terms: draft.terms, meters, before });
    if (errors[0] !== undefined) {
      throw new AppError({ code: "INVALID_REQUEST", publicMessage: errors[0].message, errors });
    }
    const terms = toTerms({ planId, ...draft.terms }, meters);
    const published = await publishPlan(deps, tx, context, {
      planId,
      terms,
      before,
      now: deps.clock.now(),
    });
    await deletePlanDraftRow(tx, planId);
    const version = published ?? before?.version ?? 1;
    const row = await findPlanVersionRow(tx, { planId, version });
    if (row === undefined) {
      throw new Error("A version was published and is not there.");
    }
    return toVersionReply(row);
  });
}
