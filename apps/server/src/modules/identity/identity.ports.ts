import type { Tx } from "@turnpike/db/client";
import type { Role } from "@turnpike/domain/access/scopes";
import type { TenantId, UserId } from "@turnpike/domain/ids/ids";

/** What identity needs of the tenants, which stand above it. */
export interface RoleDirectory {
  /** The roles of people, by person and tenant. Needs a transaction of the operator role. Nobody's members are left out. */
  listRoles(
    tx: Tx,
    userIds: readonly UserId[],
  ): Promise<ReadonlyMap<UserId, ReadonlyMap<TenantId, Role>>>;
}
