import type { Tx } from "@turnpike/db/client";
import type { TenantId } from "@turnpike/domain/ids/ids";

/** What becomes of the keys of a tenant that is deleted. Needs the operator role. */
export const keysOfTenant = {
  /** Revokes all that are not, for good: restoring the tenant does not bring them back. */
  async close(tx: Tx, input: { tenantId: TenantId; now: Date }): Promise<void> {
    await tx`
      with revoked as (
        update api_keys set revoked_at = ${input.now}, updated_at = ${input.now}
        where tenant_id = ${input.tenantId} and revoked_at is null
        returning key_id
      )
      select record_change('key', ${input.tenantId}, key_id) from revoked`;
  },
  /**
   * Leaves of a key its id and its line, which the ledger and its balances speak of: no name, no metadata, no hash, and
   * nothing of its text. Where it was found in public is forgotten too.
   */
  async forget(tx: Tx, input: { tenantId: TenantId; limit: number }): Promise<number> {
    const { tenantId, limit } = input;
    await tx`delete from key_expiry_warnings where tenant_id = ${tenantId}`;
    const leaks = await tx`
      delete from key_leaks where ctid = any(array(
        select ctid from key_leaks where tenant_id = ${tenantId} limit ${limit}))
      returning 1`;
    // A hash has 32 bytes: what stands in its place has more, and is no hash of anything.
    const keys = await tx`
      update api_keys
      set name = '', start = '', last_four = '', scopes = '{}', metadata = '{}', allowed_networks = '{}',
        rate_limits = '[]', quotas = '[]', created_by = '', key_hash = convert_to('removed ' || key_id, 'UTF8')
      where ctid = any(array(
        select ctid from api_keys where tenant_id = ${tenantId} and octet_length(key_hash) = 32 limit ${limit}))
      returning 1`;
    return leaks.length + keys.length;
  },
};
