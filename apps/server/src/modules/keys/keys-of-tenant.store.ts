import type { Tx } from "@turnpike/db/client";
import type { TenantId } from "@turnpike/domain/ids/ids";

/** What happens to the keys of a deleted tenant. Needs the operator role. */
export const keysOfTenant = {
  /** Revokes all keys for good: restoring the tenant does not restore them. */
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
   * Keeps only the id and the line of a key, which the ledger and its balances refer to. Name, metadata, hash, the shown
   * characters of the text, and leak reports are removed.
   */
  async forget(tx: Tx, input: { tenantId: TenantId; limit: number }): Promise<number> {
    const { tenantId, limit } = input;
    await tx`delete from key_expiry_warnings where tenant_id = ${tenantId}`;
    const leaks = await tx`
      delete from key_leaks where ctid = any(array(
        select ctid from key_leaks where tenant_id = ${tenantId} limit ${limit}))
      returning 1`;
    // A hash has 32 bytes. The replacement is longer, so it can be the hash of nothing.
    const keys = await tx`
      update api_keys
      set name = '', start = '', last_four = '', scopes = '{}', metadata = '{}', allowed_networks = '{}',
        rate_limits = '[]', quotas = '[]', concurrency = null, created_by = '', key_hash = convert_to('removed ' || key_id, 'UTF8')
      where ctid = any(array(
        select ctid from api_keys where tenant_id = ${tenantId} and octet_length(key_hash) = 32 limit ${limit}))
      returning 1`;
    return leaks.length + keys.length;
  },
};
