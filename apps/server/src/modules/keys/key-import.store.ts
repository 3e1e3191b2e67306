import type { JsonValue, Tx } from "@turnpike/db/client";
import type { KeyId, TenantId } from "@turnpike/domain/ids/ids";
import type { KeyRow } from "./keys.store.ts";

export type ImportedKeyRow = {
  key_id: KeyId;
  /** SHA-256 of the key's text, lower-case hexadecimal. */
  hash: string;
  name: string;
  environment: string;
  start: string;
  last_four: string;
  scopes: readonly string[];
  metadata: Record<string, JsonValue>;
  expires_at: string | null;
};

/**
 * Inserts keys whose hashes no tenant has, in the order of the hashes, so that two imports of the same file wait for each
 * other and cannot deadlock.
 *
 * @returns The ids of those inserted.
 */
export async function insertImportedKeys(
  tx: Tx,
  tenantId: TenantId,
  input: { rows: readonly ImportedKeyRow[]; createdBy: string; now: Date },
): Promise<Set<KeyId>> {
  const inserted = await tx<{ key_id: KeyId }[]>`
    insert into api_keys (tenant_id, key_id, origin_key_id, name, environment, key_hash, start, last_four, scopes,
      metadata, expires_at, created_by, created_at, updated_at)
    select ${tenantId}, r.key_id, r.key_id, r.name, r.environment, decode(r.hash, 'hex'), r.start, r.last_four, r.scopes,
      r.metadata, r.expires_at, ${input.createdBy}, ${input.now}, ${input.now}
    from jsonb_to_recordset(${tx.json(input.rows.map((row) => ({ ...row, scopes: [...row.scopes] })))})
      as r (key_id text, hash text, name text, environment text, start text, last_four text, scopes text[],
        metadata jsonb, expires_at timestamptz)
    order by r.hash
    on conflict (key_hash) do nothing
    returning key_id`;
  return new Set(inserted.map((row) => row.key_id));
}

/** The tenant's own keys among these hashes (hexadecimal). */
export async function findOwnKeysByHash(
  tx: Tx,
  tenantId: TenantId,
  hashes: readonly string[],
): Promise<Map<string, KeyId>> {
  const rows = await tx<{ hash: string; key_id: KeyId }[]>`
    select encode(key_hash, 'hex') as hash, key_id from api_keys
    where tenant_id = ${tenantId}
      and key_hash in (select decode(hash, 'hex') from unnest(${[...hashes]}::text[]) as hash)`;
  return new Map(rows.map((row) => [row.hash, row.key_id]));
}

/** Inserts a revoked key. @returns False when the id exists. */
export async function insertRevokedKey(
  tx: Tx,
  row: Pick<
    KeyRow,
    | "tenant_id"
    | "key_id"
    | "name"
    | "environment"
    | "start"
    | "last_four"
    | "created_by"
    | "created_at"
  > & { key_hash: Uint8Array },
): Promise<boolean> {
  const rows = await tx`
    insert into api_keys (tenant_id, key_id, origin_key_id, name, environment, key_hash, start, last_four, scopes, metadata,
      revoked_at, created_by, created_at, updated_at)
    values (${row.tenant_id}, ${row.key_id}, ${row.key_id}, ${row.name}, ${row.environment}, ${Buffer.from(row.key_hash)},
      ${row.start}, ${row.last_four}, '{}', '{}', ${row.created_at}, ${row.created_by}, ${row.created_at}, ${row.created_at})
    on conflict (tenant_id, key_id) do nothing
    returning 1`;
  return rows.length === 1;
}
