import type { Tx } from "@turnpike/db/client";
import type { RoleName } from "@turnpike/domain/access/scopes";
import type { TenantId } from "@turnpike/domain/ids/ids";
import { admitByDirectory, listHeldRoles, removeByDirectory } from "#modules/tenants/index.ts";
import { findConnection } from "../sso-connections.store.ts";
import type { Directory, ScimDeps } from "./scim-deps.ts";
import { listRolesOfUser } from "./scim-groups.store.ts";
import { findUserOfAddress, linkScimUser, type ScimUserRow } from "./scim-users.store.ts";
import { strongestRole } from "./strongest-role.ts";

/** Of a person without a group, where single sign-on names no role. */
const DEFAULT_ROLE: RoleName = "viewer";

async function defaultRole(tx: Tx, tenantId: TenantId): Promise<RoleName> {
  return (await findConnection(tx, tenantId))?.default_role ?? DEFAULT_ROLE;
}

/** The user of a person; found by their address once there is one. */
async function findUser(tx: Tx, row: ScimUserRow): Promise<ScimUserRow["user_id"]> {
  if (row.user_id !== null) {
    return row.user_id;
  }
  const { tenant_id: tenantId, scim_user_id: scimUserId } = row;
  const userId = await findUserOfAddress(tx, tenantId, row.email);
  const isLinked =
    userId !== undefined && (await linkScimUser(tx, { tenantId, scimUserId, userId }));
  return isLinked ? userId : null;
}

/**
 * Makes the membership of a person what their directory says now. One who has no account here yet waits for the first sign-in. The caller
 * holds the tenant's lock, in a transaction of the operator role.
 *
 * @param input.groupsChanged - True when the person left or joined a group: a member without any then has the default role again.
 * @throws {AppError} `LAST_OWNER`.
 */
export async function settleAccess(
  deps: ScimDeps,
  tx: Tx,
  input: { directory: Directory; row: ScimUserRow; groupsChanged: boolean },
): Promise<void> {
  const { tenantId, requestId } = input.directory;
  const { row } = input;
  const userId = await findUser(tx, row);
  if (userId === null) {
    return;
  }
  if (!row.active) {
    await removeByDirectory(deps, tx, { tenantId, userId, requestId });
    return;
  }
  const names = await listRolesOfUser(tx, tenantId, row.scim_user_id);
  const ofGroups = strongestRole(names, await listHeldRoles(tx, tenantId));
  await admitByDirectory(deps, tx, {
    ...{ tenantId, userId, requestId },
    role: ofGroups ?? (await defaultRole(tx, tenantId)),
    keepsRole: ofGroups === undefined && !input.groupsChanged,
  });
}
