import type { Tx } from "@turnpike/db/client";
import type { TenantId } from "@turnpike/domain/ids/ids";
import { deleteDemoUsage } from "./demo-usage.store.ts";
import { holdRollUps } from "./recent-usage.store.ts";

/**
 * Removes the usage of a deleted demo tenant from the ledger and from everything that is derived from it, in the transaction
 * of the caller. Roll-ups wait until its end.
 */
export async function removeDemoUsage(
  tx: Tx,
  { tenantId }: { tenantId: TenantId },
): Promise<{ entries: number; calls: number }> {
  await holdRollUps(tx);
  return await deleteDemoUsage(tx, tenantId);
}
