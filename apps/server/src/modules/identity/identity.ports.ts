import type { Tx } from "@turnpike/db/client";
import type { ActingIn } from "@turnpike/domain/access/actor";
import type { Role } from "@turnpike/domain/access/scopes";
import type { TenantId, UserId } from "@turnpike/domain/ids/ids";

/** What identity needs from the tenants module, which is above it. */
export interface RoleDirectory {
  /** The roles of people, by person and tenant. Needs the operator role. People without a tenant are left out. */
  listRoles(
    tx: Tx,
    userIds: readonly UserId[],
  ): Promise<ReadonlyMap<UserId, ReadonlyMap<TenantId, Role>>>;
  /** Where operators act, by person; sessions that have expired are included. Needs the operator role. */
  listActing(
    tx: Tx,
    userIds: readonly UserId[],
  ): Promise<ReadonlyMap<UserId, ActingIn & { expiresAt: Date }>>;
}
