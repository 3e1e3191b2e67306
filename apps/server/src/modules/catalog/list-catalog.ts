import { type CallContext, may } from "@turnpike/domain/access/actor";
import type { MeterDefinition } from "@turnpike/domain/catalog/plan";
import type { AppServices } from "#platform/app-services.ts";
import { listMeterRows, listPlanRows, type PlanRow } from "./catalog.store.ts";

type CatalogDeps = Pick<AppServices, "transact">;

function toPlanReply(row: PlanRow) {
  return {
    planId: row.plan_id,
    version: row.version,
    isDefault: row.is_default,
    ...row.terms,
    rateLimits: [...row.terms.rateLimits],
    quotas: [...row.terms.quotas],
    scopes: [...(row.terms.scopes ?? [])],
  };
}

/**
 * Lists the newest version of every plan. Public plans are everybody's to see; private ones are shown to who may read the
 * whole catalogue.
 *
 * @param context - Undefined: a visitor.
 */
export async function listPlans(deps: CatalogDeps, context: CallContext | undefined) {
  const seesPrivate = context !== undefined && may(context.actor, "catalog:read");
  const rows = await deps.transact.asOperator(listPlanRows);
  return {
    items: rows.filter((row) => seesPrivate || row.terms.visibility === "public").map(toPlanReply),
  };
}

/** Lists what is counted: the quotas of public plans name meters, so these are public too. */
export async function listMeters(deps: CatalogDeps): Promise<{ items: MeterDefinition[] }> {
  return { items: await deps.transact.asOperator(listMeterRows) };
}
