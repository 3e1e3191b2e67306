import type { Tx } from "@turnpike/db/client";
import { isUniqueViolation } from "@turnpike/db/database-errors";
import { nameOfRole, type RoleName, titleOfRole } from "@turnpike/domain/access/scopes";
import { writeAudit } from "#modules/audit/index.ts";
import { directoryContext, listHeldRoles } from "#modules/tenants/index.ts";
import { lockTenant } from "#platform/assert-tenant-exists.store.ts";
import { GROUP_CHANGES_MAX, type GroupAttributes } from "./protocol/patch-group.ts";
import { invalidValue, noSuchResource, ScimError } from "./protocol/scim-error.ts";
import type { Directory, ScimDeps } from "./scim-deps.ts";
import {
  addGroupMembers,
  deleteScimGroup,
  findScimGroup,
  insertScimGroup,
  listGroupMembers,
  removeGroupMembers,
  type ScimGroupRow,
  updateScimGroup,
} from "./scim-groups.store.ts";
import { findScimUser } from "./scim-users.store.ts";
import { settleAccess } from "./settle-access.ts";

/** The role that a group gives: the one of its name. @throws {ScimError} `invalidValue`, also for owners. */
async function roleOfName(tx: Tx, { tenantId }: Directory, name: string): Promise<RoleName> {
  const roles = (await listHeldRoles(tx, tenantId)).filter((role) => role !== "owner");
  const wanted = name.trim().toLowerCase();
  const role = roles.find((one) => titleOfRole(one).toLowerCase() === wanted);
  if (role === undefined) {
    throw invalidValue(
      wanted === "owner"
        ? "Owners are made by owners, not by a group."
        : `A group gives the role of its name, and there is no role of this name. The roles are ${roles.map(titleOfRole).join(", ")}.`,
    );
  }
  return nameOfRole(role);
}

async function unlessTaken(work: Promise<void>): Promise<void> {
  try {
    await work;
  } catch (error) {
    if (isUniqueViolation(error)) {
      throw new ScimError(409, "A group for this role exists already.", { scimType: "uniqueness" });
    }
    throw error;
  }
}

async function settleAll(
  deps: ScimDeps,
  tx: Tx,
  { directory, userIds }: { directory: Directory; userIds: Iterable<string> },
): Promise<void> {
  for (const id of userIds) {
    const row = await findScimUser(tx, directory.tenantId, id);
    if (row !== undefined) {
      await settleAccess(deps, tx, { directory, row, groupsChanged: true });
    }
  }
}

function assertFew(count: number): void {
  if (count > GROUP_CHANGES_MAX) {
    throw new ScimError(
      400,
      `At most ${String(GROUP_CHANGES_MAX)} members change at once; send fewer.`,
      { scimType: "tooMany" },
    );
  }
}

async function changeMembers(
  deps: ScimDeps,
  tx: Tx,
  input: {
    directory: Directory;
    groupId: string;
    before: ReadonlySet<string>;
    after: ReadonlySet<string>;
    /** True when the role of the group is another one now: it is settled for all. */
    settlesAll: boolean;
  },
): Promise<{ added: number; removed: number }> {
  const { directory, groupId, before, after } = input;
  const { tenantId } = directory;
  const added = [...after].filter((id) => !before.has(id));
  const removed = [...before].filter((id) => !after.has(id));
  const changed = input.settlesAll
    ? new Set([...before, ...after])
    : new Set([...added, ...removed]);
  assertFew(changed.size);
  const joined = await addGroupMembers(tx, { tenantId, groupId, userIds: added });
  if (joined.length < added.length) {
    throw invalidValue("A member is no person of this directory: send the person first.");
  }
  await removeGroupMembers(tx, { tenantId, groupId, userIds: removed });
  await settleAll(deps, tx, { directory, userIds: changed });
  return { added: added.length, removed: removed.length };
}

async function audit(
  deps: ScimDeps,
  tx: Tx,
  input: {
    directory: Directory;
    row: ScimGroupRow;
    action: string;
    counts: { added: number; removed: number };
  },
): Promise<void> {
  const { row, action, counts } = input;
  await writeAudit(deps, tx, directoryContext(input.directory.requestId), {
    tenantId: row.tenant_id,
    action,
    entityType: "scim_group",
    entityId: row.scim_group_id,
    details: { name: row.display_name, role: row.role, ...counts },
  });
}

async function getGroup(tx: Tx, { tenantId }: Directory, id: string): Promise<ScimGroupRow> {
  const row = await findScimGroup(tx, tenantId, id);
  if (row === undefined) {
    throw noSuchResource(id);
  }
  return row;
}

async function membersOf(tx: Tx, row: ScimGroupRow): Promise<Set<string>> {
  const rows = await listGroupMembers(tx, row.tenant_id, [row.scim_group_id]);
  return new Set(rows.map((one) => one.scim_user_id));
}

/** Lets a group of the directory give the role of its name. @throws {ScimError} `uniqueness`, `invalidValue`, `tooMany`. */
export async function createGroup(
  deps: ScimDeps,
  directory: Directory,
  group: GroupAttributes,
): Promise<ScimGroupRow> {
  const { tenantId } = directory;
  const now = deps.clock.now();
  return await deps.transact.asOperator(
    async (tx) => {
      await lockTenant(tx, tenantId);
      const row: ScimGroupRow = {
        tenant_id: tenantId,
        scim_group_id: deps.newId("scimGroup"),
        display_name: group.displayName,
        role: await roleOfName(tx, directory, group.displayName),
        external_id: group.externalId,
        created_at: now,
        updated_at: now,
      };
      await unlessTaken(insertScimGroup(tx, row));
      const counts = await changeMembers(deps, tx, {
        ...{ directory, groupId: row.scim_group_id, settlesAll: false },
        before: new Set(),
        after: group.members,
      });
      await audit(deps, tx, { directory, row, action: "scim_group.created", counts });
      return row;
    },
    { holder: tenantId },
  );
}

/** @param input.change - From what is kept to what shall be. @throws {ScimError} 404, and as {@link createGroup}. */
export async function updateGroup(
  deps: ScimDeps,
  directory: Directory,
  input: { id: string; change: (present: GroupAttributes) => GroupAttributes },
): Promise<ScimGroupRow> {
  const { tenantId } = directory;
  return await deps.transact.asOperator(
    async (tx) => {
      await lockTenant(tx, tenantId);
      const before = await getGroup(tx, directory, input.id);
      const members = await membersOf(tx, before);
      const after = input.change({
        displayName: before.display_name,
        externalId: before.external_id,
        members,
      });
      const isRenamed = after.displayName !== before.display_name;
      const row = {
        ...before,
        display_name: after.displayName,
        role: isRenamed ? await roleOfName(tx, directory, after.displayName) : before.role,
        external_id: after.externalId,
        updated_at: deps.clock.now(),
      };
      await unlessTaken(updateScimGroup(tx, row));
      const counts = await changeMembers(deps, tx, {
        ...{ directory, groupId: row.scim_group_id },
        settlesAll: row.role !== before.role,
        before: members,
        after: after.members,
      });
      await audit(deps, tx, { directory, row, action: "scim_group.changed", counts });
      return row;
    },
    { holder: tenantId },
  );
}

/** Ends a group: its members have the roles of their other groups, or the default one. @throws {ScimError} 404, `tooMany`. */
export async function deleteGroup(
  deps: ScimDeps,
  directory: Directory,
  id: string,
): Promise<ScimGroupRow> {
  const { tenantId } = directory;
  return await deps.transact.asOperator(
    async (tx) => {
      await lockTenant(tx, tenantId);
      const row = await getGroup(tx, directory, id);
      const counts = await changeMembers(deps, tx, {
        ...{ directory, groupId: id, settlesAll: false },
        before: await membersOf(tx, row),
        after: new Set(),
      });
      await deleteScimGroup(tx, tenantId, id);
      await audit(deps, tx, { directory, row, action: "scim_group.deleted", counts });
      return row;
    },
    { holder: tenantId },
  );
}
