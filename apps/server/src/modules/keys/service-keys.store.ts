import type { Tx } from "@turnpike/db/client";
import type { Scope } from "@turnpike/domain/access/scopes";
import type { ServiceKeyId } from "@turnpike/domain/ids/ids";

export type ServiceKeyRow = {
  service_key_id: ServiceKeyId;
  name: string;
  start: string;
  scopes: Scope[];
  created_at: Date;
  revoked_at: Date | null;
};

const COLUMNS = ["service_key_id", "name", "start", "scopes", "created_at", "revoked_at"] as const;

export async function insertServiceKey(
  tx: Tx,
  row: Omit<ServiceKeyRow, "revoked_at"> & { key_hash: Uint8Array; created_by: string },
): Promise<void> {
  await tx`
    insert into service_keys (service_key_id, name, key_hash, start, scopes, created_at, created_by)
    values (${row.service_key_id}, ${row.name}, ${Buffer.from(row.key_hash)}, ${row.start}, ${row.scopes},
      ${row.created_at}, ${row.created_by})`;
}

/** Newest first. */
export async function listServiceKeyRows(
  tx: Tx,
  page: { beforeId: string | undefined; limit: number },
): Promise<ServiceKeyRow[]> {
  const before = page.beforeId ?? null;
  return await tx<ServiceKeyRow[]>`
    select ${tx(COLUMNS)} from service_keys
    where ${before}::text is null or service_key_id < ${before}
    order by service_key_id desc
    limit ${page.limit}`;
}

export async function findServiceKeyRow(
  tx: Tx,
  serviceKeyId: ServiceKeyId,
): Promise<ServiceKeyRow | undefined> {
  const [row] = await tx<ServiceKeyRow[]>`
    select ${tx(COLUMNS)} from service_keys where service_key_id = ${serviceKeyId}`;
  return row;
}

/** Service keys by their hashes in hex, including revoked ones; unknown hashes are left out. */
export async function findServiceKeysByHash(
  tx: Tx,
  hashesHex: readonly string[],
): Promise<ReadonlyMap<string, ServiceKeyRow>> {
  const rows = await tx<(ServiceKeyRow & { hash: string })[]>`
    select ${tx(COLUMNS)}, encode(key_hash, 'hex') as hash from service_keys
    where key_hash in (select decode(hash, 'hex') from unnest(${[...hashesHex]}::text[]) as input (hash))`;
  return new Map(rows.map((row) => [row.hash, row]));
}

/** Revokes a service key and publishes it. @returns False when it was already revoked or does not exist. */
export async function markServiceKeyRevoked(
  tx: Tx,
  serviceKeyId: ServiceKeyId,
  now: Date,
): Promise<boolean> {
  const rows = await tx`
    update service_keys set revoked_at = ${now}
    where service_key_id = ${serviceKeyId} and revoked_at is null returning 1`;
  if (rows.length === 1) {
    await tx`select record_change('service_key', null, ${serviceKeyId})`;
  }
  return rows.length === 1;
}
