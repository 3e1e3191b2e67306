import type { Tx } from "@turnpike/db/client";
import type { Role } from "@turnpike/domain/access/scopes";
import type { TenantId, UserId } from "@turnpike/domain/ids/ids";

/** What identity needs of the tenants, which stand above it. */
export interface RoleDirectory {
  /** The roles of a person, by tenant. Needs a transaction of the operator role. Empty for nobody's member. */
  listRoles(tx: Tx, userId: UserId): Promise<ReadonlyMap<TenantId, Role>>;
}
