import type { Tx } from "@turnpike/db/client";
import type { KeyId, TenantId } from "@turnpike/domain/ids/ids";
import { KEY_COLUMNS, type KeyRow } from "./keys.store.ts";

/**
 * Those of the keys that are the tenant's, locked until the end of the transaction, and in one order, so that two changes of
 * the same keys take turns.
 */
export async function lockKeyRows(
  tx: Tx,
  tenantId: TenantId,
  keyIds: readonly KeyId[],
): Promise<KeyRow[]> {
  return await tx<KeyRow[]>`
    select ${tx(KEY_COLUMNS)} from api_keys
    where tenant_id = ${tenantId} and key_id = any(${[...keyIds]})
    order by key_id
    for update`;
}

/** Gives all of the keys the same state; what is left out stays as it is. */
export async function updateKeyRows(
  tx: Tx,
  tenantId: TenantId,
  input: {
    keyIds: readonly KeyId[];
    set: Partial<Pick<KeyRow, "disabled_at" | "revoked_at" | "expires_at">>;
    now: Date;
  },
): Promise<KeyRow[]> {
  return await tx<KeyRow[]>`
    update api_keys set ${tx({ ...input.set, updated_at: input.now })}
    where tenant_id = ${tenantId} and key_id = any(${[...input.keyIds]})
    returning ${tx(KEY_COLUMNS)}`;
}

/** Tells every process that the keys changed. */
export async function announceKeys(
  tx: Tx,
  tenantId: TenantId,
  keyIds: readonly KeyId[],
): Promise<void> {
  await tx`select record_change('key', ${tenantId}, key_id) from unnest(${[...keyIds]}::text[]) as key_id`;
}
