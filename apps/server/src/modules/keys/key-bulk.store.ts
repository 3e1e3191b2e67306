import type { Tx } from "@turnpike/db/client";
import type { KeyId, TenantId } from "@turnpike/domain/ids/ids";
import { KEY_COLUMNS, type KeyRow } from "./keys.store.ts";

/**
 * The given keys that belong to the tenant, locked until the end of the transaction, always in the same order, so that two
 * changes of the same keys take turns.
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

/** Gives all keys the same state; fields left out stay as they are. */
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

/** Publishes that the keys changed. */
export async function publishKeys(
  tx: Tx,
  tenantId: TenantId,
  keyIds: readonly KeyId[],
): Promise<void> {
  await tx`select record_change('key', ${tenantId}, key_id) from unnest(${[...keyIds]}::text[]) as key_id`;
}
