import type { Fragment, Tx } from "@turnpike/db/client";
import type { TenantId, UserId } from "@turnpike/domain/ids/ids";
import { type FilterColumn, type FilterColumns, toCondition } from "./filter-condition.store.ts";
import type { Filter } from "./protocol/parse-filter.ts";

export type ScimUserRow = {
  tenant_id: TenantId;
  scim_user_id: string;
  user_name: string;
  email: string;
  external_id: string | null;
  display_name: string | null;
  formatted_name: string | null;
  given_name: string | null;
  family_name: string | null;
  active: boolean;
  /** Null: waits for the person's first sign-in. */
  user_id: UserId | null;
  created_at: Date;
  updated_at: Date;
};

/** A group of a person, as their resource shows it. */
export type GroupOfUser = { scim_user_id: string; scim_group_id: string; display_name: string };

const COLUMNS = [
  "tenant_id",
  "scim_user_id",
  "user_name",
  "email",
  "external_id",
  "display_name",
  "formatted_name",
  "given_name",
  "family_name",
  "active",
  "user_id",
  "created_at",
  "updated_at",
] as const;

/** Everything here needs the operator role. @throws The database's error of a unique index. */
export async function insertScimUser(tx: Tx, row: ScimUserRow): Promise<void> {
  await tx`insert into scim_users ${tx(row, ...COLUMNS)}`;
}

/** @throws The database's error of a unique index. */
export async function updateScimUser(tx: Tx, row: ScimUserRow): Promise<void> {
  await tx`
    update scim_users set ${tx(row, "user_name", "email", "external_id", "display_name", "formatted_name", "given_name", "family_name", "active", "updated_at")}
    where tenant_id = ${row.tenant_id} and scim_user_id = ${row.scim_user_id}`;
}

export async function findScimUser(
  tx: Tx,
  tenantId: TenantId,
  scimUserId: string,
): Promise<ScimUserRow | undefined> {
  const [row] = await tx<ScimUserRow[]>`
    select ${tx(COLUMNS)} from scim_users
    where tenant_id = ${tenantId} and scim_user_id = ${scimUserId}`;
  return row;
}

export async function deleteScimUser(
  tx: Tx,
  tenantId: TenantId,
  scimUserId: string,
): Promise<void> {
  await tx`delete from scim_users where tenant_id = ${tenantId} and scim_user_id = ${scimUserId}`;
}

export async function countScimUsers(tx: Tx, tenantId: TenantId): Promise<number> {
  const [row] = await tx<{ count: number }[]>`
    select count(*)::int as count from scim_users where tenant_id = ${tenantId}`;
  return row?.count ?? 0;
}

/** How many are members, wait for a first sign-in, or lost their access. */
export async function countByState(
  tx: Tx,
  tenantId: TenantId,
): Promise<{ members: number; waiting: number; inactive: number }> {
  const [row] = await tx<{ members: number; waiting: number; inactive: number }[]>`
    select
      count(*) filter (where s.active and m.user_id is not null)::int as members,
      count(*) filter (where s.active and m.user_id is null)::int as waiting,
      count(*) filter (where not s.active)::int as inactive
    from scim_users s left join members m on m.tenant_id = s.tenant_id and m.user_id = s.user_id
    where s.tenant_id = ${tenantId}`;
  return row ?? { members: 0, waiting: 0, inactive: 0 };
}

function filterColumns(tx: Tx): FilterColumns {
  const text = (sql: Fragment): FilterColumn => ({ sql, type: "text" });
  const email = text(tx`email`);
  const attributes = new Map<string, FilterColumn>([
    ["id", { sql: tx`scim_user_id`, type: "exact" }],
    ["externalid", { sql: tx`external_id`, type: "exact" }],
    ["username", text(tx`user_name`)],
    ["displayname", text(tx`display_name`)],
    ["name.formatted", text(tx`formatted_name`)],
    ["name.givenname", text(tx`given_name`)],
    ["name.familyname", text(tx`family_name`)],
    ["emails", email],
    ["emails.value", email],
    ["active", { sql: tx`active`, type: "boolean" }],
    ["meta.created", { sql: tx`created_at`, type: "instant" }],
    ["meta.lastmodified", { sql: tx`updated_at`, type: "instant" }],
  ]);
  // The one address of a person is of work, and the primary one.
  const ofEmail = new Map<string, FilterColumn>([
    ["value", email],
    ["type", text(tx`'work'::text`)],
    ["primary", { sql: tx`true`, type: "boolean" }],
  ]);
  return {
    attributes,
    within: (attribute, condition) =>
      attribute === "emails" ? toCondition(tx, condition, { attributes: ofEmail }) : undefined,
  };
}

/** @param page.offset - How many to leave out, in the order of their ids. */
export async function listScimUsers(
  tx: Tx,
  tenantId: TenantId,
  page: { filter: Filter | undefined; offset: number; limit: number },
): Promise<{ total: number; rows: ScimUserRow[] }> {
  const condition =
    page.filter === undefined ? tx`true` : toCondition(tx, page.filter, filterColumns(tx));
  const [count] = await tx<{ total: number }[]>`
    select count(*)::int as total from scim_users where tenant_id = ${tenantId} and ${condition}`;
  const rows = await tx<ScimUserRow[]>`
    select ${tx(COLUMNS)} from scim_users where tenant_id = ${tenantId} and ${condition}
    order by scim_user_id offset ${page.offset} limit ${page.limit}`;
  return { total: count?.total ?? 0, rows };
}

export async function listGroupsOfUsers(
  tx: Tx,
  tenantId: TenantId,
  scimUserIds: readonly string[],
): Promise<GroupOfUser[]> {
  return await tx<GroupOfUser[]>`
    select gm.scim_user_id, g.scim_group_id, g.display_name
    from scim_group_members gm join scim_groups g using (tenant_id, scim_group_id)
    where gm.tenant_id = ${tenantId} and gm.scim_user_id = any(${[...scimUserIds]}::text[])
    order by g.scim_group_id`;
}

/**
 * The user of a proven address of the tenant's domains, a present member first. Operators of the installation are none: a customer's
 * directory neither adds nor removes them.
 */
export async function findUserOfAddress(
  tx: Tx,
  tenantId: TenantId,
  email: string,
): Promise<UserId | undefined> {
  const [row] = await tx<{ user_id: UserId }[]>`
    select u.user_id from users u
    join sso_domains d on d.domain = split_part(u.email, '@', -1) and d.tenant_id = ${tenantId}
    left join members m on m.tenant_id = ${tenantId} and m.user_id = u.user_id
    where lower(u.email) = ${email} and u.email_verified and u.deleted_at is null and not u.is_operator
      and d.verified_at is not null
      and not exists (select from scim_users s where s.tenant_id = ${tenantId} and s.user_id = u.user_id)
    order by m.user_id is null, u.issuer <> 'builtin', u.user_id
    limit 1`;
  return row?.user_id;
}

/** Says which user a person is, once; false when they are another one already, or the user is another person. */
export async function linkScimUser(
  tx: Tx,
  input: { tenantId: TenantId; scimUserId: string; userId: UserId },
): Promise<boolean> {
  const rows = await tx`
    update scim_users s set user_id = ${input.userId}
    where tenant_id = ${input.tenantId} and scim_user_id = ${input.scimUserId} and user_id is null
      and not exists (
        select from scim_users o where o.tenant_id = s.tenant_id and o.user_id = ${input.userId})
    returning 1`;
  return rows.length === 1;
}

/** People who wait for a user with this address, in tenants that still have its domain. */
export async function listWaiting(tx: Tx, email: string): Promise<ScimUserRow[]> {
  return await tx<ScimUserRow[]>`
    select ${tx(COLUMNS)} from scim_users s
    where email = ${email} and user_id is null and active
      and exists (
        select from sso_domains d join tenants using (tenant_id)
        where d.tenant_id = s.tenant_id and d.domain = split_part(s.email, '@', -1)
          and d.verified_at is not null)`;
}

/** The person of a tenant's directory with this account, else with this address. */
export async function findScimUserOfAccount(
  tx: Tx,
  tenantId: TenantId,
  input: { accountId: string | undefined; email: string },
): Promise<ScimUserRow | undefined> {
  const rows = await tx<ScimUserRow[]>`
    select ${tx(COLUMNS)} from scim_users s
    where tenant_id = ${tenantId} and (
      email = ${input.email} and user_id is null
      or user_id in (
        select u.user_id from users u left join accounts a on a.account_id = u.subject
        where u.issuer = 'builtin' and (u.subject = ${input.accountId ?? null} or a.email = ${input.email})))
    order by user_id is null
    limit 1`;
  return rows[0];
}
