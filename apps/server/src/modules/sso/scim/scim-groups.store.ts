import type { Tx } from "@turnpike/db/client";
import type { RoleName } from "@turnpike/domain/access/scopes";
import type { TenantId } from "@turnpike/domain/ids/ids";
import { type FilterColumn, type FilterColumns, toCondition } from "./filter-condition.store.ts";
import { type Filter, toAttributeName } from "./protocol/parse-filter.ts";

export type ScimGroupRow = {
  tenant_id: TenantId;
  scim_group_id: string;
  display_name: string;
  role: RoleName;
  external_id: string | null;
  created_at: Date;
  updated_at: Date;
};

export type GroupMemberRow = {
  scim_group_id: string;
  scim_user_id: string;
  user_name: string;
};

const COLUMNS = [
  "tenant_id",
  "scim_group_id",
  "display_name",
  "role",
  "external_id",
  "created_at",
  "updated_at",
] as const;

/** Everything here needs the operator role. @throws The database's error of a unique index. */
export async function insertScimGroup(tx: Tx, row: ScimGroupRow): Promise<void> {
  await tx`insert into scim_groups ${tx(row, ...COLUMNS)}`;
}

/** @throws The database's error of a unique index. */
export async function updateScimGroup(tx: Tx, row: ScimGroupRow): Promise<void> {
  await tx`
    update scim_groups set ${tx(row, "display_name", "role", "external_id", "updated_at")}
    where tenant_id = ${row.tenant_id} and scim_group_id = ${row.scim_group_id}`;
}

export async function deleteScimGroup(tx: Tx, tenantId: TenantId, groupId: string): Promise<void> {
  await tx`delete from scim_groups where tenant_id = ${tenantId} and scim_group_id = ${groupId}`;
}

export async function findScimGroup(
  tx: Tx,
  tenantId: TenantId,
  groupId: string,
): Promise<ScimGroupRow | undefined> {
  const [row] = await tx<ScimGroupRow[]>`
    select ${tx(COLUMNS)} from scim_groups
    where tenant_id = ${tenantId} and scim_group_id = ${groupId}`;
  return row;
}

function filterColumns(tx: Tx, tenantId: TenantId): FilterColumns {
  const withMember = (filter: Filter) =>
    filter.op === "eq" && typeof filter.compValue === "string"
      ? tx`exists (select from scim_group_members gm
          where gm.tenant_id = ${tenantId} and gm.scim_group_id = scim_groups.scim_group_id
            and gm.scim_user_id = ${filter.compValue})`
      : undefined;
  const attributes = new Map<string, FilterColumn>([
    ["id", { sql: tx`scim_group_id`, type: "exact" }],
    ["externalid", { sql: tx`external_id`, type: "exact" }],
    ["displayname", { sql: tx`display_name`, type: "text" }],
    ["meta.created", { sql: tx`created_at`, type: "instant" }],
    ["meta.lastmodified", { sql: tx`updated_at`, type: "instant" }],
  ]);
  return {
    attributes,
    within: (attribute, condition) =>
      attribute === "members" &&
      "attrPath" in condition &&
      toAttributeName(condition.attrPath) === "value"
        ? withMember(condition)
        : undefined,
  };
}

/** All that match, oldest first: a tenant has as many groups as roles. */
export async function listScimGroups(
  tx: Tx,
  tenantId: TenantId,
  filter: Filter | undefined,
): Promise<ScimGroupRow[]> {
  const condition =
    filter === undefined ? tx`true` : toCondition(tx, filter, filterColumns(tx, tenantId));
  return await tx<ScimGroupRow[]>`
    select ${tx(COLUMNS)} from scim_groups where tenant_id = ${tenantId} and ${condition}
    order by scim_group_id`;
}

/** The members of groups, by their user names. */
export async function listGroupMembers(
  tx: Tx,
  tenantId: TenantId,
  groupIds: readonly string[],
): Promise<GroupMemberRow[]> {
  return await tx<GroupMemberRow[]>`
    select gm.scim_group_id, gm.scim_user_id, s.user_name
    from scim_group_members gm join scim_users s using (tenant_id, scim_user_id)
    where gm.tenant_id = ${tenantId} and gm.scim_group_id = any(${[...groupIds]}::text[])
    order by gm.scim_user_id`;
}

export async function countGroupMembers(
  tx: Tx,
  tenantId: TenantId,
): Promise<ReadonlyMap<string, number>> {
  const rows = await tx<{ scim_group_id: string; count: number }[]>`
    select scim_group_id, count(*)::int as count from scim_group_members
    where tenant_id = ${tenantId} group by scim_group_id`;
  return new Map(rows.map((row) => [row.scim_group_id, row.count]));
}

/** @returns Those who were no members yet; ids that name no person of the directory are left out. */
export async function addGroupMembers(
  tx: Tx,
  input: { tenantId: TenantId; groupId: string; userIds: readonly string[] },
): Promise<string[]> {
  const rows = await tx<{ scim_user_id: string }[]>`
    insert into scim_group_members (tenant_id, scim_group_id, scim_user_id)
    select tenant_id, ${input.groupId}, scim_user_id from scim_users
    where tenant_id = ${input.tenantId} and scim_user_id = any(${[...input.userIds]}::text[])
    on conflict do nothing returning scim_user_id`;
  return rows.map((row) => row.scim_user_id);
}

export async function removeGroupMembers(
  tx: Tx,
  input: { tenantId: TenantId; groupId: string; userIds: readonly string[] },
): Promise<void> {
  await tx`
    delete from scim_group_members
    where tenant_id = ${input.tenantId} and scim_group_id = ${input.groupId}
      and scim_user_id = any(${[...input.userIds]}::text[])`;
}

/** The roles that the groups of a person give. */
export async function listRolesOfUser(
  tx: Tx,
  tenantId: TenantId,
  scimUserId: string,
): Promise<RoleName[]> {
  const rows = await tx<{ role: RoleName }[]>`
    select g.role from scim_group_members gm join scim_groups g using (tenant_id, scim_group_id)
    where gm.tenant_id = ${tenantId} and gm.scim_user_id = ${scimUserId}`;
  return rows.map((row) => row.role);
}
