import type { RoleDirectory } from "#modules/identity/index.ts";
import { listRoleRows } from "./members.store.ts";

/** Where people belong, for whoever finds out who they are. */
export const roleDirectory: RoleDirectory = {
  async listRoles(tx, userId) {
    const rows = await listRoleRows(tx, userId);
    return new Map(rows.map((row) => [row.tenant_id, row.role]));
  },
};
