import type { Plan } from "@turnpike/contract/catalog";
import { type CallContext, may } from "@turnpike/domain/access/actor";
import type { AppServices } from "#platform/app-services.ts";
import { shareOf, VISITORS } from "#platform/transact.ts";
import { listPlanRows, type PlanRow } from "./catalog.store.ts";
import { toTermsReply } from "./versions/to-version-reply.ts";

type CatalogDeps = Pick<AppServices, "transact">;

export function toPlanReply(row: PlanRow): Plan {
  return {
    planId: row.plan_id,
    version: row.version,
    isDefault: row.is_default,
    archivedAt: row.archived_at?.toISOString() ?? null,
    ...toTermsReply(row.terms),
  };
}

function isOffered({ terms, archived_at }: PlanRow): boolean {
  return terms.visibility === "public" && archived_at === null;
}

/**
 * Lists the newest version of every plan. Anyone sees public plans; private and archived ones need the right to read the whole catalogue.
 *
 * @param context - Undefined for a visitor.
 */
export async function listPlans(
  deps: CatalogDeps,
  context: CallContext | undefined,
): Promise<{ items: Plan[] }> {
  const seesAll = context !== undefined && may(context.actor, "catalog:read");
  const rows = await deps.transact.asOperator(
    listPlanRows,
    context === undefined ? VISITORS : shareOf(context.actor),
  );
  return {
    items: rows.filter((row) => seesAll || isOffered(row)).map(toPlanReply),
  };
}
