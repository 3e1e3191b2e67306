import type { Tx } from "@turnpike/db/client";
import type { TenantId, UserId } from "@turnpike/domain/ids/ids";

/** Everything here is of a cell's own database and needs the operator role. */

/** Notes the members of a tenant that is about to leave, before their rows go. */
export async function keepMovedMembers(tx: Tx, tenantId: TenantId): Promise<void> {
  await forgetMovedMembers(tx, tenantId);
  await tx`
    insert into moved_members (tenant_id, user_id)
    select tenant_id, user_id from members where tenant_id = ${tenantId}`;
}

/** Forgets who was a member when a tenant left: it is here again. */
export async function forgetMovedMembers(tx: Tx, tenantId: TenantId): Promise<void> {
  await tx`delete from moved_members where tenant_id = ${tenantId}`;
}

/** A tenant that left this cell, as it was called then. */
export type LeftTenant = {
  tenantId: TenantId;
  name: string;
  slug: string;
  /** Where it went from here. */
  otherCell: string;
  /** False while its rows are on their way. */
  isThere: boolean;
};

/** The tenants that left while a person was their member, or only the given one; the latest first, at most 100. */
export async function listLeftTenants(
  tx: Tx,
  { userId, tenantId }: { userId: UserId; tenantId?: TenantId },
): Promise<LeftTenant[]> {
  return await tx<LeftTenant[]>`
    select tenant_id as "tenantId", m.name, m.slug, m.other_cell as "otherCell", m.state = 'done' as "isThere"
    from moved_members p join tenant_moves m using (tenant_id)
    where p.user_id = ${userId} and (${tenantId ?? null}::text is null or tenant_id = ${tenantId ?? null})
      and m.direction = 'out' and m.state in ('parked', 'done')
    order by m.changed_at desc limit 100`;
}

/** The tenants that left while a person was their member: in the export of the account, and forgotten with it. */
export const movesOfPerson = {
  kind: "movedTenants",
  async list(
    tx: Tx,
    { userId, limit }: { userId: UserId; limit: number },
  ): Promise<Record<string, unknown>[]> {
    return await tx`
      select tenant_id as "tenantId", m.name, m.other_cell as cell, m.changed_at as "movedAt"
      from moved_members p join tenant_moves m using (tenant_id)
      where p.user_id = ${userId}
      order by m.changed_at desc limit ${limit}`;
  },
  async forget(tx: Tx, { userId }: { userId: UserId }): Promise<void> {
    await tx`delete from moved_members where user_id = ${userId}`;
  },
};
