import type { Tx } from "@turnpike/db/client";
import type { TenantId, UserId } from "@turnpike/domain/ids/ids";

/** The notices for one person alone. Needs the operator role. */
export const noticesOfPerson = {
  kind: "notices",
  async list(
    tx: Tx,
    { userId, tenantIds, limit }: { userId: UserId; tenantIds: readonly TenantId[]; limit: number },
  ): Promise<Record<string, unknown>[]> {
    return await tx`
      select tenant_id as "tenantId", kind, title, body, link, created_at as "createdAt"
      from notifications
      where tenant_id = any(${[...tenantIds]}::text[]) and user_id = ${userId}
      order by notification_id desc
      limit ${limit}`;
  },
  async forget(
    tx: Tx,
    { userId, tenantIds }: { userId: UserId; tenantIds: readonly TenantId[] },
  ): Promise<void> {
    await tx`
      delete from notifications
      where tenant_id = any(${[...tenantIds]}::text[]) and user_id = ${userId}`;
  },
};
