import { RESTORE_DAYS } from "@turnpike/contract/tenants";
import type { TenantId } from "@turnpike/domain/ids/ids";
import { writeAudit } from "#modules/audit/index.ts";
import type { PurgeDeps } from "./delete-tenant.ts";
import {
  deletePeopleOfTenant,
  listTenantIdsToPurge,
  lockDeletedTenantRow,
  markTenantPurged,
} from "./deleted-tenants.store.ts";
import { restorableUntil } from "./restorable-until.ts";

const DAY_MS = 24 * 60 * 60 * 1_000;
/** Rows in one transaction, so that none holds its locks for long. */
const ROWS_MAX = 1_000;
/** Tenants in one run; the next run takes the rest. */
const TENANTS_MAX = 100;
/** The name of the row that stays for the ledger. */
const PURGED_NAME = "Deleted tenant";
const PURGED_SLUG = "deleted";

/**
 * Removes the data of tenants that can no longer be restored: people, keys, files, documents, notifications, webhooks, alerts,
 * exports, recent calls, and every name. The ledger and the audit trail stay. It may be stopped anywhere and resumes in the next run.
 *
 * @returns How many tenants were finished.
 */
export async function purgeTenants(
  deps: PurgeDeps,
  { signal }: { signal: AbortSignal },
): Promise<number> {
  const deletedUntil = new Date(deps.clock.now().getTime() - RESTORE_DAYS * DAY_MS);
  const tenantIds = await deps.transact.asOperatorWithDeleted((tx) =>
    listTenantIdsToPurge(tx, { deletedUntil, limit: TENANTS_MAX }),
  );
  let finished = 0;
  for (const tenantId of tenantIds) {
    let isDone = false;
    while (!isDone && !signal.aborted) {
      isDone = await purgeSome(deps, tenantId);
    }
    finished += isDone ? 1 : 0;
  }
  return finished;
}

/** One transaction of it. @returns True when nothing of the tenant is left, or it is no longer due. */
async function purgeSome(deps: PurgeDeps, tenantId: TenantId): Promise<boolean> {
  const now = deps.clock.now();
  return await deps.transact.asOperatorWithDeleted(async (tx) => {
    const row = await lockDeletedTenantRow(tx, tenantId);
    if (row === undefined || row.purged_at !== null || now < restorableUntil(row.deleted_at)) {
      return true;
    }
    let removed = await deletePeopleOfTenant(tx, { tenantId, limit: ROWS_MAX });
    for (const resource of deps.resources) {
      removed += await resource.forget(tx, { tenantId, limit: ROWS_MAX });
    }
    if (removed > 0) {
      return false;
    }
    await markTenantPurged(tx, tenantId, { name: PURGED_NAME, slug: PURGED_SLUG, now });
    const context = { actor: { type: "system", id: "tenants.purge" }, requestId: "" } as const;
    await writeAudit(deps, tx, context, {
      tenantId,
      action: "tenant.purged",
      entityType: "tenant",
      entityId: tenantId,
    });
    return true;
  });
}
