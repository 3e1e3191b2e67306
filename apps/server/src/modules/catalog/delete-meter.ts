import type { Tx } from "@turnpike/db/client";
import { assertMay, type CallContext } from "@turnpike/domain/access/actor";
import { writeAudit } from "#modules/audit/index.ts";
import type { AppServices } from "#platform/app-services.ts";
import { deleteMeterRow, isInPlans, listMeterRows, lockCatalog } from "./catalog.store.ts";

export type DeletedMeter = "deleted" | "not there" | "in a plan" | "in use";

/**
 * Deletes a meter that has counted nothing and is in no plan. A meter that has counted something stays: the ledger speaks of it.
 *
 * @param deps.isMeterUsed - Whether anything was counted by it, in the operator's role that sees deleted tenants.
 * @throws {AppError} `INSUFFICIENT_SCOPE`.
 */
export async function deleteMeter(
  deps: AppServices & { isMeterUsed(tx: Tx, meterId: string): Promise<boolean> },
  context: CallContext,
  { meterId }: { meterId: string },
): Promise<DeletedMeter> {
  assertMay(context.actor, "catalog:write");
  return await deps.transact.asOperatorWithDeleted(async (tx) => {
    await lockCatalog(tx);
    if (!(await listMeterRows(tx)).some((meter) => meter.meterId === meterId)) {
      return "not there";
    }
    if (await isInPlans(tx, meterId)) {
      return "in a plan";
    }
    if (await deps.isMeterUsed(tx, meterId)) {
      return "in use";
    }
    await deleteMeterRow(tx, meterId);
    await writeAudit(deps, tx, context, {
      tenantId: null,
      action: "meter.deleted",
      entityType: "meter",
      entityId: meterId,
    });
    return "deleted";
  });
}
