import type { MovedTenant } from "@turnpike/contract/auth";
import type { Tx } from "@turnpike/db/client";
import type { CallContext } from "@turnpike/domain/access/actor";
import type { KeyId, TenantId, UserId } from "@turnpike/domain/ids/ids";
import type { AppServices } from "#platform/app-services.ts";

/** The plan that a tenant is on, and the start of one of its billing periods. */
export type TenantPlan = { planId: string; planVersion: number; periodAnchor: Date };

/** What tenants need of entitlements, a module above: plans of tenants are kept there. */
export interface TenantPlans {
  /**
   * Puts a new tenant on the newest version of a plan, or of the default plan. Needs the operator role.
   *
   * @throws {AppError} `INVALID_REQUEST` when there is no such plan.
   */
  start(
    tx: Tx,
    input: { tenantId: TenantId; planId: string | undefined; now: Date },
  ): Promise<TenantPlan>;
  /** What a version of a plan is called; its id when there is no such version. */
  nameOf(tx: Tx, plan: Pick<TenantPlan, "planId" | "planVersion">): Promise<string>;
  /** The plans of the tenants that exist. */
  list(tx: Tx, tenantIds: readonly TenantId[]): Promise<ReadonlyMap<TenantId, TenantPlan>>;
  /**
   * Moves a tenant to the newest version of a plan, in a transaction of the operator role.
   *
   * @throws {AppError} `RESOURCE_NOT_FOUND` (tenant), `INVALID_REQUEST` (plan), `INSUFFICIENT_SCOPE`.
   */
  change(
    deps: AppServices,
    tx: Tx,
    context: CallContext,
    input: { tenantId: TenantId; planId: string },
  ): Promise<void>;
}

/** What tenants need of keys, a module above: a key outlives the membership of the person who created it. */
export interface MemberKeys {
  /**
   * Keys of a tenant that one actor created and that are not revoked, newest first. Needs the tenant's role or the operator's.
   *
   * @param createdBy - Type and id of the actor, such as `user:usr_…`.
   */
  listLiveKeysOf(
    tx: Tx,
    input: { tenantId: TenantId; createdBy: string; limit: number },
  ): Promise<{ keyId: KeyId; name: string; start: string }[]>;
}

/** What tenants need of single sign-on, a module above: people whom a tenant's directory announced become members by signing in. */
export interface DirectoryArrivals {
  /** Makes a person a member of the tenants whose directories announced their address; most people wait nowhere. */
  join(person: { userId: UserId; email: string }): Promise<void>;
}

/** What tenants need of cells, a module above: where tenants are that left with a person among their members, the latest first. */
export type ListMovedTenants = (userId: UserId) => Promise<MovedTenant[]>;

/** What another module stores for a tenant, and what happens to it when the tenant is deleted. Needs the operator role. */
export interface TenantResource {
  /** Ends what runs, in the transaction that deletes the tenant. Left out: nothing runs. */
  close?(tx: Tx, input: { tenantId: TenantId; now: Date }): Promise<void>;
  /** Removes data, about `limit` rows at once. @returns How many; 0 when nothing is left. */
  forget(tx: Tx, input: { tenantId: TenantId; limit: number }): Promise<number>;
}
