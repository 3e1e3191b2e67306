import { type CallContext, may } from "@turnpike/domain/access/actor";
import type { AppServices } from "#platform/app-services.ts";
import { shareOf, VISITORS } from "#platform/transact.ts";
import { listPlanRows, type PlanRow } from "./catalog.store.ts";

type CatalogDeps = Pick<AppServices, "transact">;

function toPlanReply(row: PlanRow) {
  return {
    planId: row.plan_id,
    version: row.version,
    isDefault: row.is_default,
    ...row.terms,
    rateLimits: [...row.terms.rateLimits],
    quotas: [...row.terms.quotas],
    concurrency: row.terms.concurrency ?? null,
    scopes: [...(row.terms.scopes ?? [])],
  };
}

/**
 * Lists the newest version of every plan. Anyone sees public plans; private ones need the right to read the whole catalogue.
 *
 * @param context - Undefined for a visitor.
 */
export async function listPlans(deps: CatalogDeps, context: CallContext | undefined) {
  const seesPrivate = context !== undefined && may(context.actor, "catalog:read");
  const rows = await deps.transact.asOperator(
    listPlanRows,
    context === undefined ? VISITORS : shareOf(context.actor),
  );
  return {
    items: rows.filter((row) => seesPrivate || row.terms.visibility === "public").map(toPlanReply),
  };
}
