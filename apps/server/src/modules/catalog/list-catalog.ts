import type { CallContext } from "@turnpike/domain/access/actor";
import { assertMay, assertMayInTenant } from "@turnpike/domain/access/actor";
import type { AppServices } from "#platform/app-services.ts";
import { listMeterRows, listPlanRows } from "./catalog.store.ts";

function assertMayRead(context: CallContext): void {
  if (context.actor.type === "key") {
    assertMayInTenant(context.actor, "catalog:read", context.actor.tenantId);
    return;
  }
  assertMay(context.actor, "catalog:read");
}

/** Lists the newest version of every plan; a tenant's key sees the public ones. */
export async function listPlans(deps: AppServices, context: CallContext) {
  assertMayRead(context);
  const rows = await deps.transact.asOperator(listPlanRows);
  const items = rows
    .filter((row) => context.actor.type !== "key" || row.terms.visibility === "public")
    .map((row) => ({
      planId: row.plan_id,
      version: row.version,
      isDefault: row.is_default,
      ...row.terms,
      rateLimits: [...row.terms.rateLimits],
      quotas: [...row.terms.quotas],
    }));
  return { items };
}

export async function listMeters(deps: AppServices, context: CallContext) {
  assertMayRead(context);
  return { items: await deps.transact.asOperator(listMeterRows) };
}
