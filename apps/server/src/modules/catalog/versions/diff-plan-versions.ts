import type { Tx } from "@turnpike/db/client";
import { assertMay, type CallContext } from "@turnpike/domain/access/actor";
import { diffPlans } from "@turnpike/domain/catalog/diff/diff-plans";
import type { CatalogChange } from "@turnpike/domain/catalog/diff/fact";
import type { PlanTerms } from "@turnpike/domain/catalog/plan";
import { resourceNotFound } from "@turnpike/domain/errors/app-error";
import type { AppServices } from "#platform/app-services.ts";
import { findPlanVersionRow } from "../catalog.store.ts";
import { findPlanDraftRow } from "./plan-drafts.store.ts";

/** A published version by its number, or the draft. */
export type PlanSide = number | "draft";

/** @throws {AppError} `RESOURCE_NOT_FOUND` when it is not there. */
export async function getTermsOf(tx: Tx, planId: string, side: PlanSide): Promise<PlanTerms> {
  const row =
    side === "draft"
      ? await findPlanDraftRow(tx, planId)
      : await findPlanVersionRow(tx, { planId, version: side });
  if (row === undefined) {
    throw resourceNotFound(side === "draft" ? "draft" : "version");
  }
  return row.terms;
}

/**
 * Lists what differs between two versions of a plan, or a version and the draft.
 *
 * @returns In the order of the plan; empty when both promise the same.
 * @throws {AppError} `RESOURCE_NOT_FOUND`, `INSUFFICIENT_SCOPE`.
 */
export async function diffPlanVersions(
  deps: Pick<AppServices, "transact">,
  context: CallContext,
  { planId, from, to }: { planId: string; from: PlanSide; to: PlanSide },
): Promise<{ items: CatalogChange[] }> {
  assertMay(context.actor, "catalog:read");
  const { before, after } = await deps.transact.asOperator(async (tx) => ({
    before: await getTermsOf(tx, planId, from),
    after: await getTermsOf(tx, planId, to),
  }));
  return { items: diffPlans(before, after) };
}
