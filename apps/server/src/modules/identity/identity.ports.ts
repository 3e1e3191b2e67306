import type { Tx } from "@turnpike/db/client";
import type { ActingIn, CallContext } from "@turnpike/domain/access/actor";
import type { HeldRole, Role } from "@turnpike/domain/access/scopes";
import type { TenantId, UserId } from "@turnpike/domain/ids/ids";

/** What identity needs from the tenants module, which is above it. */
export interface RoleDirectory {
  /** The roles of people, by person and tenant. Needs the operator role. People without a tenant are left out. */
  listRoles(
    tx: Tx,
    userIds: readonly UserId[],
  ): Promise<ReadonlyMap<UserId, ReadonlyMap<TenantId, HeldRole>>>;
  /** Where operators act, by person; sessions that have expired are included. Needs the operator role. */
  listActing(
    tx: Tx,
    userIds: readonly UserId[],
  ): Promise<ReadonlyMap<UserId, ActingIn & { expiresAt: Date }>>;
}

export type OwnMembership = {
  tenantId: TenantId;
  name: string;
  slug: string;
  role: Role;
  createdAt: Date;
  /** True where the tenant has no other owner. */
  isSoleOwner: boolean;
};

/** What identity needs from the tenants module when a person asks for their data, or goes. Needs the operator role. */
export interface PersonTenants {
  /** In tenants that are not deleted, in the order of their ids. */
  listMemberships(tx: Tx, userId: UserId): Promise<OwnMembership[]>;
  /** Ends a membership with what depends on it. @throws {AppError} `LAST_OWNER`. */
  leave(tx: Tx, context: CallContext, input: { tenantId: TenantId; userId: UserId }): Promise<void>;
}

type PersonPlace = { userId: UserId; tenantIds: readonly TenantId[] };

/** What another module keeps about a person. Needs the operator role. */
export interface PersonResource {
  /** Its name in an export. */
  kind: string;
  /** The newest first. */
  list(tx: Tx, input: PersonPlace & { limit: number }): Promise<Record<string, unknown>[]>;
  /** Deletes it with the account. Left out: it belongs to the tenant, and stays. */
  forget?(tx: Tx, input: PersonPlace): Promise<void>;
}
