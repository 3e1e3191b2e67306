import type { Tx } from "@turnpike/db/client";
import type { Role, RoleName } from "@turnpike/domain/access/scopes";
import type { TenantId, UserId } from "@turnpike/domain/ids/ids";
import type { RoleColumns } from "./held-role.ts";

export type MemberRow = RoleColumns & {
  user_id: UserId;
  email: string | null;
  email_verified: boolean;
  name: string | null;
  created_at: Date;
};

/** Needs the operator role: names and e-mail addresses live in a table that tenants cannot read. */
export async function listMemberRows(
  tx: Tx,
  tenantId: TenantId,
  page: { afterId: string | undefined; limit: number },
): Promise<MemberRow[]> {
  const after = page.afterId ?? null;
  return await tx<MemberRow[]>`
    select m.user_id, m.role, r.name as role_title, r.scopes as role_scopes, u.email, u.email_verified, u.name, m.created_at
    from members m join users u using (user_id)
    left join custom_roles r on r.tenant_id = m.tenant_id and r.role_id = m.custom_role_id
    where m.tenant_id = ${tenantId} and (${after}::text is null or m.user_id > ${after})
    order by m.user_id
    limit ${page.limit}`;
}

export async function findMemberRow(
  tx: Tx,
  tenantId: TenantId,
  userId: UserId,
): Promise<MemberRow | undefined> {
  const [row] = await tx<MemberRow[]>`
    select m.user_id, m.role, r.name as role_title, r.scopes as role_scopes, u.email, u.email_verified, u.name, m.created_at
    from members m join users u using (user_id)
    left join custom_roles r on r.tenant_id = m.tenant_id and r.role_id = m.custom_role_id
    where m.tenant_id = ${tenantId} and m.user_id = ${userId}`;
  return row;
}

/**
 * Adds a member or changes the role. An account that is being deleted at this moment is waited for.
 *
 * @returns False when there is no such user, or their account is deleted.
 */
export async function upsertMember(
  tx: Tx,
  row: { tenantId: TenantId; userId: UserId; role: RoleName; now: Date },
): Promise<boolean> {
  const rows = await tx`
    insert into members (tenant_id, user_id, role, created_at)
    select ${row.tenantId}, user_id, ${row.role}, ${row.now} from users
    where user_id = ${row.userId} and deleted_at is null
    for share
    on conflict (tenant_id, user_id) do update set role = excluded.role
    returning 1`;
  return rows.length === 1;
}

export async function deleteMember(tx: Tx, tenantId: TenantId, userId: UserId): Promise<boolean> {
  const rows = await tx`
    delete from members where tenant_id = ${tenantId} and user_id = ${userId} returning 1`;
  return rows.length === 1;
}

/** The members with one role. Needs the operator role. */
export async function listMemberRowsOfRole(
  tx: Tx,
  tenantId: TenantId,
  role: RoleName,
): Promise<MemberRow[]> {
  return await tx<MemberRow[]>`
    select m.user_id, m.role, r.name as role_title, r.scopes as role_scopes, u.email, u.email_verified, u.name, m.created_at
    from members m join users u using (user_id)
    left join custom_roles r on r.tenant_id = m.tenant_id and r.role_id = m.custom_role_id
    where m.tenant_id = ${tenantId} and m.role = ${role}
    order by m.user_id`;
}

export async function countOtherOwners(
  tx: Tx,
  tenantId: TenantId,
  userId: UserId,
): Promise<number> {
  const [row] = await tx<{ count: number }[]>`
    select count(*)::int as count from members
    where tenant_id = ${tenantId} and role = 'owner' and user_id <> ${userId}`;
  return row?.count ?? 0;
}

export type RoleRow = RoleColumns & { user_id: UserId; tenant_id: TenantId };

/** The roles of people in tenants that are not deleted, in no order. Needs the operator role. */
export async function listRoleRows(tx: Tx, userIds: readonly UserId[]): Promise<RoleRow[]> {
  return await tx<RoleRow[]>`
    select m.user_id, m.tenant_id, m.role, r.name as role_title, r.scopes as role_scopes
    from members m join tenants using (tenant_id)
    left join custom_roles r on r.tenant_id = m.tenant_id and r.role_id = m.custom_role_id
    where m.user_id = any(${[...userIds]}::text[])`;
}

export type OwnTenantRow = RoleColumns & {
  tenant_id: TenantId;
  name: string;
  slug: string;
  suspended_at: Date | null;
  suspension_reason: string | null;
  created_at: Date;
  logo_id: string | null;
};

/** The tenants of a person, oldest first, or only the given one. Needs the operator role. */
export async function listOwnTenantRows(
  tx: Tx,
  userId: UserId,
  page: { tenantId?: TenantId; limit: number },
): Promise<OwnTenantRow[]> {
  const tenantId = page.tenantId ?? null;
  return await tx<OwnTenantRow[]>`
    select t.tenant_id, t.name, t.slug, m.role, r.name as role_title, r.scopes as role_scopes, t.suspended_at, t.suspension_reason,
      t.created_at, t.logo_id
    from members m join tenants t using (tenant_id)
    left join custom_roles r on r.tenant_id = m.tenant_id and r.role_id = m.custom_role_id
    where m.user_id = ${userId} and (${tenantId}::text is null or t.tenant_id = ${tenantId})
    order by t.tenant_id
    limit ${page.limit}`;
}

/** Every membership of a person in tenants that are not deleted, in the order of their ids. Needs the operator role. */
export async function listMembershipRows(
  tx: Tx,
  userId: UserId,
): Promise<
  {
    tenant_id: TenantId;
    name: string;
    slug: string;
    role: Role;
    created_at: Date;
    is_sole_owner: boolean;
  }[]
> {
  return await tx`
    select t.tenant_id, t.name, t.slug, m.role, m.created_at,
      m.role = 'owner' and not exists (
        select from members o
        where o.tenant_id = m.tenant_id and o.role = 'owner' and o.user_id <> m.user_id) as is_sole_owner
    from members m join tenants t using (tenant_id)
    where m.user_id = ${userId}
    order by t.tenant_id`;
}

/** True when a person belongs to another tenant than this one. Needs the operator role. */
export async function isMemberElsewhere(
  tx: Tx,
  { userId, tenantId }: { userId: UserId; tenantId: TenantId },
): Promise<boolean> {
  const rows = await tx`
    select 1 from members where user_id = ${userId} and tenant_id <> ${tenantId} limit 1`;
  return rows.length === 1;
}

/** Locks a person until the end of the transaction, so that simultaneous requests are counted one by one. */
export async function lockUser(tx: Tx, userId: UserId): Promise<boolean> {
  const rows = await tx`select 1 from users where user_id = ${userId} for no key update`;
  return rows.length === 1;
}

/**
 * Counts the tenants that a person owns, and those founded since an instant, including deleted ones. Needs the operator role
 * that sees deleted tenants.
 */
export async function countTenantsOf(
  tx: Tx,
  userId: UserId,
  since: Date,
): Promise<{ owned: number; founded: number }> {
  const [row] = await tx<{ owned: number; founded: number }[]>`
    select
      (select count(*)::int from members join tenants using (tenant_id)
        where user_id = ${userId} and role = 'owner' and deleted_at is null) as owned,
      (select count(*)::int from tenants
        where created_by = ${`user:${userId}`} and created_at > ${since}) as founded`;
  return row ?? { owned: 0, founded: 0 };
}

/** True when a member of the tenant has this e-mail address. Needs the operator role. */
export async function hasMemberWithEmail(
  tx: Tx,
  tenantId: TenantId,
  email: string,
): Promise<boolean> {
  const rows = await tx`
    select 1 from members m join users u using (user_id)
    where m.tenant_id = ${tenantId} and lower(u.email) = ${email}
    limit 1`;
  return rows.length > 0;
}

/** Verified addresses of the members with one of the roles, owners first. Needs the operator role. */
export async function listRoleUserIds(
  tx: Tx,
  tenantId: TenantId,
  roles: readonly Role[],
  limit: number,
): Promise<UserId[]> {
  const rows = await tx<{ user_id: UserId }[]>`
    select user_id from members
    where tenant_id = ${tenantId} and role = any(${[...roles]})
    order by role = 'owner' desc, user_id
    limit ${limit}`;
  return rows.map((row) => row.user_id);
}

export async function listRoleEmails(
  tx: Tx,
  tenantId: TenantId,
  roles: readonly Role[],
  limit: number,
): Promise<string[]> {
  const rows = await tx<{ email: string }[]>`
    select u.email from members m join users u using (user_id)
    where m.tenant_id = ${tenantId} and m.role = any(${[...roles]}) and u.email is not null and u.email_verified
    order by m.role = 'owner' desc, m.user_id
    limit ${limit}`;
  return [...new Set(rows.map((row) => row.email))];
}
