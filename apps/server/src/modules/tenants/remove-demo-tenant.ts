import type { Tx } from "@turnpike/db/client";
import { assertMay, type CallContext } from "@turnpike/domain/access/actor";
import { resourceNotFound } from "@turnpike/domain/errors/app-error";
import type { TenantId } from "@turnpike/domain/ids/ids";
import { writeAudit } from "#modules/audit/index.ts";
import { type DeleteTenantDeps, deleteTenant, type PurgeDeps } from "./delete-tenant.ts";
import {
  type DemoTenantRow,
  deletePeopleOfTenant,
  deleteTenantRow,
  listDemoTenantRows,
  lockDeletedTenantRow,
} from "./deleted-tenants.store.ts";

/** External ids of demo tenants begin so. The database removes the usage of no others. */
export const DEMO_EXTERNAL_ID_PREFIX = "turnpike-demo:";

const ROWS_MAX = 1_000;
/** Years of a large demo tenant are removed in one transaction. */
const REMOVAL_TIMEOUT_MS = 30 * 60 * 1_000;

export type DemoRemovalDeps = DeleteTenantDeps & {
  /** Removes the usage of the tenant, in the operator's role. */
  removeUsage(tx: Tx, input: { tenantId: TenantId }): Promise<{ entries: number; calls: number }>;
};

/** Lists demo tenants, also those whose removal was interrupted. */
export async function listDemoTenants(
  deps: Pick<PurgeDeps, "transact">,
  context: CallContext,
): Promise<DemoTenantRow[]> {
  assertMay(context.actor, "tenants:delete");
  return await deps.transact.asOperatorWithDeleted((tx) =>
    listDemoTenantRows(tx, DEMO_EXTERNAL_ID_PREFIX),
  );
}

/**
 * Removes a demo tenant with everything in it, usage included, which no other tenant's removal does. Interrupted, it goes on
 * when called again. The audit trail stays.
 *
 * @returns What the ledger had of the tenant.
 * @throws {AppError} `RESOURCE_NOT_FOUND` for any other tenant; `INSUFFICIENT_SCOPE`.
 */
export async function removeDemoTenant(
  deps: DemoRemovalDeps,
  context: CallContext,
  { tenantId }: { tenantId: TenantId },
): Promise<{ entries: number; calls: number }> {
  const tenant = (await listDemoTenants(deps, context)).find((row) => row.tenantId === tenantId);
  if (tenant === undefined) {
    throw resourceNotFound("tenant");
  }
  if (!tenant.isDeleted) {
    await deleteTenant(deps, context, { tenantId, name: tenant.name });
  }
  while ((await removeSome(deps, tenantId)) > 0) {
    // Each transaction is short, so that none holds its locks for long.
  }
  return await deps.transact.asOperatorWithDeleted(
    async (tx) => {
      if ((await lockDeletedTenantRow(tx, tenantId)) === undefined) {
        throw resourceNotFound("tenant");
      }
      const removed = await deps.removeUsage(tx, { tenantId });
      await deleteTenantRow(tx, tenantId);
      await writeAudit(deps, tx, context, {
        tenantId,
        action: "tenant.purged",
        entityType: "tenant",
        entityId: tenantId,
      });
      return removed;
    },
    { timeoutMs: REMOVAL_TIMEOUT_MS },
  );
}

async function removeSome(deps: PurgeDeps, tenantId: TenantId): Promise<number> {
  return await deps.transact.asOperatorWithDeleted(async (tx) => {
    let removed = await deletePeopleOfTenant(tx, { tenantId, limit: ROWS_MAX });
    for (const resource of deps.resources) {
      removed += await resource.forget(tx, { tenantId, limit: ROWS_MAX });
    }
    return removed;
  });
}
