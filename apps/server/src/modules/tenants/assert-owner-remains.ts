import type { Tx } from "@turnpike/db/client";
import { AppError } from "@turnpike/domain/errors/app-error";
import type { TenantId } from "@turnpike/domain/ids/ids";
import { countOtherOwners, type MemberRow } from "./members.store.ts";

/** Refuses to take the last owner from a tenant. The caller holds the tenant's lock. */
export async function assertOwnerRemains(
  tx: Tx,
  tenantId: TenantId,
  leaving: MemberRow | undefined,
): Promise<void> {
  if (leaving?.role === "owner" && (await countOtherOwners(tx, tenantId, leaving.user_id)) === 0) {
    throw new AppError({
      code: "LAST_OWNER",
      publicMessage: "A tenant needs at least one owner. Make another member an owner first.",
    });
  }
}
