import type { Tx } from "@turnpike/db/client";
import type { KeyId, TenantId } from "@turnpike/domain/ids/ids";

/** What tenants need of the catalogue, which stands above them. */
export interface PlanDirectory {
  /** The newest version of `planId`, or of the default plan; `undefined` when there is none. */
  findPlan(
    tx: Tx,
    planId: string | undefined,
  ): Promise<{ planId: string; version: number } | undefined>;
}

/** What tenants need of the keys, which stand above them: a key outlives the membership of whoever made it. */
export interface MemberKeys {
  /**
   * Keys of a tenant that somebody made and that are not revoked, newest first. Needs the tenant's role or the operator's.
   *
   * @param createdBy - Type and id of the maker, such as `user:usr_…`.
   */
  listLiveKeysOf(
    tx: Tx,
    input: { tenantId: TenantId; createdBy: string; limit: number },
  ): Promise<{ keyId: KeyId; name: string; start: string }[]>;
}

/** What modules above or beside have of a tenant, for whoever deletes one. Both are called in the operator's role. */
export interface TenantPart {
  /** Ends what runs, in the transaction that deletes the tenant. Left out: nothing runs. */
  close?(tx: Tx, input: { tenantId: TenantId; now: Date }): Promise<void>;
  /** Removes data, about `limit` rows at once. @returns How many; 0 when nothing is left. */
  forget(tx: Tx, input: { tenantId: TenantId; limit: number }): Promise<number>;
}
