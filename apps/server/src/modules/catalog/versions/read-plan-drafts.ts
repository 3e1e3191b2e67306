import type { PlanDraft } from "@turnpike/contract/plan-versions";
import type { Tx } from "@turnpike/db/client";
import { assertMay, type CallContext } from "@turnpike/domain/access/actor";
import { resourceNotFound } from "@turnpike/domain/errors/app-error";
import type { AppServices } from "#platform/app-services.ts";
import { findPlanRow, listMeterRows, listPlanRows } from "../catalog.store.ts";
import { findDraftFaults } from "./find-draft-faults.ts";
import { findPlanDraftRow, listPlanDraftRows, type PlanDraftRow } from "./plan-drafts.store.ts";
import { toDraftTermsReply } from "./to-version-reply.ts";

/** A draft as a reply, with what publishing it would refuse. */
export async function toDraftReply(tx: Tx, row: PlanDraftRow): Promise<PlanDraft> {
  const { planId, terms, revision, updatedAt, updatedBy } = row;
  const meters = await listMeterRows(tx);
  const before = await findPlanRow(tx, planId);
  return {
    planId,
    revision: String(revision),
    terms: toDraftTermsReply(terms),
    faults: findDraftFaults({ planId, terms, meters, before }),
    updatedAt: updatedAt.toISOString(),
    updatedBy,
  };
}

/** @throws {AppError} `RESOURCE_NOT_FOUND` when the plan has no draft; `INSUFFICIENT_SCOPE`. */
export async function getPlanDraft(
  deps: Pick<AppServices, "transact">,
  context: CallContext,
  { planId }: { planId: string },
): Promise<PlanDraft> {
  assertMay(context.actor, "catalog:read");
  return await deps.transact.asOperator(async (tx) => {
    const row = await findPlanDraftRow(tx, planId);
    if (row === undefined) {
      throw resourceNotFound("draft");
    }
    return await toDraftReply(tx, row);
  });
}

/** Lists the drafts, the newest first. @throws {AppError} `INSUFFICIENT_SCOPE`. */
export async function listPlanDrafts(deps: Pick<AppServices, "transact">, context: CallContext) {
  assertMay(context.actor, "catalog:read");
  const { drafts, plans } = await deps.transact.asOperator(async (tx) => ({
    drafts: await listPlanDraftRows(tx),
    plans: await listPlanRows(tx),
  }));
  const published = new Set(plans.map(({ plan_id }) => plan_id));
  return {
    items: drafts.map(({ planId, terms, revision, updatedAt, updatedBy }) => ({
      planId,
      name: terms.name,
      isNew: !published.has(planId),
      revision: String(revision),
      updatedAt: updatedAt.toISOString(),
      updatedBy,
    })),
  };
}
