import type { Tx } from "@turnpike/db/client";
import type { RoleName } from "@turnpike/domain/access/scopes";
import type { CustomRoleId, TenantId } from "@turnpike/domain/ids/ids";

export type CustomRoleRow = {
  tenant_id: TenantId;
  role_id: CustomRoleId;
  name: string;
  description: string;
  scopes: string[];
  created_at: Date;
  created_by: string;
  updated_at: Date;
};

/** The roles that a tenant made, oldest first. */
export async function listCustomRoleRows(tx: Tx, tenantId: TenantId): Promise<CustomRoleRow[]> {
  return await tx<CustomRoleRow[]>`
    select tenant_id, role_id, name, description, scopes, created_at, created_by, updated_at
    from custom_roles where tenant_id = ${tenantId} order by role_id`;
}

export async function insertCustomRole(tx: Tx, row: CustomRoleRow): Promise<void> {
  await tx`insert into custom_roles ${tx(row)}`;
}

export async function updateCustomRole(
  tx: Tx,
  row: Pick<
    CustomRoleRow,
    "tenant_id" | "role_id" | "name" | "description" | "scopes" | "updated_at"
  >,
): Promise<void> {
  await tx`
    update custom_roles
    set name = ${row.name}, description = ${row.description}, scopes = ${row.scopes}, updated_at = ${row.updated_at}
    where tenant_id = ${row.tenant_id} and role_id = ${row.role_id}`;
}

export async function deleteCustomRole(tx: Tx, tenantId: TenantId, roleId: string): Promise<void> {
  await tx`delete from custom_roles where tenant_id = ${tenantId} and role_id = ${roleId}`;
}

export type RoleUse = { role: RoleName; members: number; invitations: number };

/** How many members have each role, and how many open invitations offer it; roles without either are left out. */
export async function countRoleUse(tx: Tx, tenantId: TenantId, now: Date): Promise<RoleUse[]> {
  return await tx<RoleUse[]>`
    select role, sum(members)::int as members, sum(invitations)::int as invitations
    from (
      select role, 1 as members, 0 as invitations from members where tenant_id = ${tenantId}
      union all
      select role, 0, 1 from invitations
      where tenant_id = ${tenantId} and accepted_at is null and revoked_at is null and expires_at > ${now}
    ) as uses
    group by role`;
}

/** Gives what has one role another: members, and invitations that were neither accepted nor revoked. */
export async function replaceRole(
  tx: Tx,
  tenantId: TenantId,
  { from, to }: { from: CustomRoleId; to: RoleName },
): Promise<void> {
  await tx`update members set role = ${to} where tenant_id = ${tenantId} and role = ${from}`;
  await tx`
    update invitations set role = ${to}
    where tenant_id = ${tenantId} and role = ${from} and accepted_at is null and revoked_at is null`;
}

/** The people who sent open invitations to a role, each once, as `user:usr_…`. */
export async function listSendersToRole(
  tx: Tx,
  tenantId: TenantId,
  role: RoleName,
): Promise<string[]> {
  const rows = await tx<{ created_by: string }[]>`
    select distinct created_by from invitations
    where tenant_id = ${tenantId} and role = ${role} and accepted_at is null and revoked_at is null
      and created_by like 'user:%'`;
  return rows.map((row) => row.created_by);
}
