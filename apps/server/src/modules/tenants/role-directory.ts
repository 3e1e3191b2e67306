import type { HeldRole } from "@turnpike/domain/access/scopes";
import type { TenantId, UserId } from "@turnpike/domain/ids/ids";
import type { RoleDirectory } from "#modules/identity/index.ts";
import { listOpenActing } from "./acting/acting.store.ts";
import { toHeldRole } from "./held-role.ts";
import { listRoleRows } from "./members.store.ts";

/** The roles of people in tenants, for the module that identifies them. */
export const roleDirectory: RoleDirectory = {
  async listRoles(tx, userIds) {
    const roles = new Map<UserId, Map<TenantId, HeldRole>>();
    for (const row of await listRoleRows(tx, userIds)) {
      const ofPerson = roles.get(row.user_id) ?? new Map<TenantId, HeldRole>();
      roles.set(row.user_id, ofPerson.set(row.tenant_id, toHeldRole(row)));
    }
    return roles;
  },
  async listActing(tx, userIds) {
    const rows = await listOpenActing(tx, userIds);
    return new Map(
      rows.map(({ user_id, acting_id, tenant_id, reason, expires_at }) => [
        user_id,
        { actingId: acting_id, tenantId: tenant_id, reason, expiresAt: expires_at },
      ]),
    );
  },
};
