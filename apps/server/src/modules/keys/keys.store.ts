import type { JsonValue, Tx } from "@turnpike/db/client";
import type { KeyId, TenantId } from "@turnpike/domain/ids/ids";
import type { Environment } from "@turnpike/domain/keys/key-format";
import type { KeyQuota } from "@turnpike/domain/limits/key-quota";
import type { RateLimit } from "@turnpike/domain/limits/rate-limit";

export type KeyRow = {
  tenant_id: TenantId;
  key_id: KeyId;
  name: string;
  environment: Environment;
  start: string;
  last_four: string;
  scopes: string[];
  metadata: Record<string, unknown>;
  allowed_networks: string[];
  rate_limits: RateLimit[];
  quotas: KeyQuota[];
  /** Calls at once; null for no limit of its own. */
  concurrency: number | null;
  /** The first key of a line of rolled ones. */
  origin_key_id: KeyId;
  expires_at: Date | null;
  disabled_at: Date | null;
  revoked_at: Date | null;
  rolled_to: KeyId | null;
  created_by: string;
  created_at: Date;
  updated_at: Date;
};

export const KEY_COLUMNS = [
  "tenant_id",
  "key_id",
  "name",
  "environment",
  "start",
  "last_four",
  "scopes",
  "metadata",
  "allowed_networks",
  "rate_limits",
  "quotas",
  "concurrency",
  "origin_key_id",
  "expires_at",
  "disabled_at",
  "revoked_at",
  "rolled_to",
  "created_by",
  "created_at",
  "updated_at",
] as const;

export async function insertKey(
  tx: Tx,
  row: Omit<KeyRow, "metadata" | "disabled_at" | "revoked_at" | "rolled_to" | "updated_at"> & {
    metadata: Record<string, JsonValue>;
    key_hash: Uint8Array;
  },
): Promise<void> {
  await tx`
    insert into api_keys (tenant_id, key_id, name, environment, key_hash, start, last_four, scopes, metadata,
      allowed_networks, rate_limits, quotas, concurrency, origin_key_id, expires_at, created_at, updated_at, created_by)
    values (${row.tenant_id}, ${row.key_id}, ${row.name}, ${row.environment}, ${Buffer.from(row.key_hash)}, ${row.start},
      ${row.last_four}, ${row.scopes}, ${tx.json(row.metadata)}, ${row.allowed_networks}, ${tx.json(row.rate_limits)},
      ${tx.json(row.quotas)}, ${row.concurrency}, ${row.origin_key_id}, ${row.expires_at},
      ${row.created_at},
      ${row.created_at}, ${row.created_by})`;
}

export type KeyFilter = {
  /** Part of the name; or the id, the start or the last four characters, whole. */
  text: string | undefined;
  environment: Environment | undefined;
  state: "active" | "disabled" | "expired" | "revoked" | undefined;
  /** Only keys that expire by then; undefined for all. */
  expiresBefore: Date | undefined;
  now: Date;
};

export type KeySort = "-createdAt" | "createdAt" | "name" | "-name";

/** Where a page begins: after this key, by the name it had then. */
export type KeyPosition = { keyId: KeyId; name: string };

function stateIs(tx: Tx, { state, now }: Pick<KeyFilter, "state" | "now">) {
  switch (state) {
    case undefined:
      return tx`true`;
    case "revoked":
      return tx`revoked_at is not null`;
    case "expired":
      return tx`revoked_at is null and expires_at <= ${now}`;
    case "disabled":
      return tx`revoked_at is null and (expires_at is null or expires_at > ${now}) and disabled_at is not null`;
    case "active":
      return tx`revoked_at is null and (expires_at is null or expires_at > ${now}) and disabled_at is null`;
    default:
      return state satisfies never;
  }
}

/** Rows after the last key of the previous page, in the order of the list. */
function comesAfter(tx: Tx, sort: KeySort, after: KeyPosition | undefined) {
  if (after === undefined) {
    return tx`true`;
  }
  const { keyId, name } = after;
  switch (sort) {
    case "-createdAt":
      return tx`key_id < ${keyId}`;
    case "createdAt":
      return tx`key_id > ${keyId}`;
    case "name":
      return tx`(lower(name), key_id) > (lower(${name}), ${keyId})`;
    case "-name":
      return tx`(lower(name), key_id) < (lower(${name}), ${keyId})`;
    default:
      return sort satisfies never;
  }
}

function orderOf(tx: Tx, sort: KeySort) {
  switch (sort) {
    case "-createdAt":
      return tx`key_id desc`;
    case "createdAt":
      return tx`key_id`;
    case "name":
      return tx`lower(name), key_id`;
    case "-name":
      return tx`lower(name) desc, key_id desc`;
    default:
      return sort satisfies never;
  }
}

/** A page of a tenant's keys. Ids sort by creation. */
export async function listKeyRows(
  tx: Tx,
  tenantId: TenantId,
  page: { filter: KeyFilter; sort: KeySort; after: KeyPosition | undefined; limit: number },
): Promise<KeyRow[]> {
  const { filter } = page;
  const text = filter.text ?? null;
  const environment = filter.environment ?? null;
  return await tx<KeyRow[]>`
    select ${tx(KEY_COLUMNS)} from api_keys
    where tenant_id = ${tenantId}
      and (${environment}::text is null or environment = ${environment})
      and (${text}::text is null or strpos(lower(name), lower(${text})) > 0 or key_id = ${text}
        or start = ${text} or last_four = ${text})
      and ${stateIs(tx, filter)}
      and ${filter.expiresBefore === undefined ? tx`true` : tx`expires_at <= ${filter.expiresBefore}`}
      and ${comesAfter(tx, page.sort, page.after)}
    order by ${orderOf(tx, page.sort)}
    limit ${page.limit}`;
}

/** The key, locked until the end of the transaction, so that two changes of it take turns. */
export async function lockKeyRow(
  tx: Tx,
  tenantId: TenantId,
  keyId: KeyId,
): Promise<KeyRow | undefined> {
  const [row] = await tx<KeyRow[]>`
    select ${tx(KEY_COLUMNS)} from api_keys where tenant_id = ${tenantId} and key_id = ${keyId} for update`;
  return row;
}

export async function updateKeyRow(
  tx: Tx,
  row: Pick<
    KeyRow,
    | "tenant_id"
    | "key_id"
    | "name"
    | "scopes"
    | "allowed_networks"
    | "rate_limits"
    | "quotas"
    | "concurrency"
    | "expires_at"
    | "disabled_at"
  > & {
    /** Undefined keeps the present value. */
    metadata: Record<string, JsonValue> | undefined;
    now: Date;
  },
): Promise<KeyRow | undefined> {
  const metadata = row.metadata === undefined ? null : tx.json(row.metadata);
  const [updated] = await tx<KeyRow[]>`
    update api_keys
    set name = ${row.name}, scopes = ${row.scopes}, metadata = coalesce(${metadata}::jsonb, metadata),
        allowed_networks = ${row.allowed_networks}, rate_limits = ${tx.json(row.rate_limits)},
        quotas = ${tx.json(row.quotas)}, concurrency = ${row.concurrency}, expires_at = ${row.expires_at}, disabled_at = ${row.disabled_at}, updated_at = ${row.now}
    where tenant_id = ${row.tenant_id} and key_id = ${row.key_id}
    returning ${tx(KEY_COLUMNS)}`;
  return updated;
}

/** Makes a copy of a key with another text. */
export async function copyKeyRow(
  tx: Tx,
  from: Pick<KeyRow, "tenant_id" | "key_id">,
  copy: Pick<KeyRow, "key_id" | "start" | "last_four" | "created_by"> & {
    key_hash: Uint8Array;
    now: Date;
  },
): Promise<KeyRow | undefined> {
  const [row] = await tx<KeyRow[]>`
    insert into api_keys (tenant_id, key_id, name, environment, key_hash, start, last_four, scopes, metadata,
      allowed_networks, rate_limits, quotas, concurrency, origin_key_id, expires_at, created_at, updated_at, created_by)
    select tenant_id, ${copy.key_id}, name, environment, ${Buffer.from(copy.key_hash)}, ${copy.start},
      ${copy.last_four}, scopes, metadata, allowed_networks, rate_limits, quotas, concurrency,
      origin_key_id, expires_at, ${copy.now}, ${copy.now}, ${copy.created_by}
    from api_keys where tenant_id = ${from.tenant_id} and key_id = ${from.key_id}
    returning ${tx(KEY_COLUMNS)}`;
  return row;
}

/** Ends a rolled key: now, or at `expires_at`. */
export async function markKeyRolled(
  tx: Tx,
  row: Pick<KeyRow, "tenant_id" | "key_id" | "rolled_to" | "expires_at" | "revoked_at"> & {
    now: Date;
  },
): Promise<void> {
  await tx`
    update api_keys
    set rolled_to = ${row.rolled_to}, expires_at = ${row.expires_at}, revoked_at = ${row.revoked_at},
        updated_at = ${row.now}
    where tenant_id = ${row.tenant_id} and key_id = ${row.key_id}`;
}

export async function findKeyRow(
  tx: Tx,
  tenantId: TenantId,
  keyId: KeyId,
): Promise<KeyRow | undefined> {
  const [row] = await tx<KeyRow[]>`
    select ${tx(KEY_COLUMNS)} from api_keys where tenant_id = ${tenantId} and key_id = ${keyId}`;
  return row;
}

/** True for a key that works now: neither revoked nor expired nor disabled. */
export async function isKeyActive(
  tx: Tx,
  tenantId: TenantId,
  { keyId, now }: { keyId: string; now: Date },
): Promise<boolean> {
  const rows = await tx`
    select 1 from api_keys
    where tenant_id = ${tenantId} and key_id = ${keyId} and ${stateIs(tx, { state: "active", now })}`;
  return rows.length > 0;
}

/** Revokes the key unless it is revoked already; `undefined` when nothing changed. */
export async function markKeyRevoked(
  tx: Tx,
  input: { tenantId: TenantId; keyId: KeyId; now: Date },
): Promise<KeyRow | undefined> {
  const [row] = await tx<KeyRow[]>`
    update api_keys set revoked_at = ${input.now}, updated_at = ${input.now}
    where tenant_id = ${input.tenantId} and key_id = ${input.keyId} and revoked_at is null
    returning ${tx(KEY_COLUMNS)}`;
  return row;
}

/** Keys that one actor created and that are not revoked, newest first. */
export async function listLiveKeyRowsOf(
  tx: Tx,
  tenantId: TenantId,
  input: { createdBy: string; limit: number },
): Promise<KeyRow[]> {
  return await tx<KeyRow[]>`
    select ${tx(KEY_COLUMNS)} from api_keys
    where tenant_id = ${tenantId} and created_by = ${input.createdBy} and revoked_at is null
      and (expires_at is null or expires_at > now())
    order by key_id desc
    limit ${input.limit}`;
}

/** Publishes that the key is new or changed. */
export async function publishKey(tx: Tx, tenantId: TenantId, keyId: KeyId): Promise<void> {
  await tx`select record_change('key', ${tenantId}, ${keyId})`;
}

/**
 * Finds keys of any tenant by the hashes of their texts (hexadecimal), for the hot path. Needs the operator role.
 *
 * @returns The rows by hash; unknown hashes are left out.
 */
export async function findKeysByHash(
  tx: Tx,
  hashesHex: readonly string[],
): Promise<Map<string, KeyRow>> {
  // With an array of constants the planner uses the index, also when it is wrong about the size of the table.
  const rows = await tx<(KeyRow & { hash: string })[]>`
    select encode(key_hash, 'hex') as hash, ${tx(KEY_COLUMNS)} from api_keys
    where key_hash = any(array(select decode(hash, 'hex') from unnest(${[...hashesHex]}::text[]) as hash))`;
  return new Map(rows.map((row) => [row.hash, row]));
}

/** Finds keys by their whole names, in lower case; at most 100. */
export async function listKeysNamed(
  tx: Tx,
  tenantId: TenantId,
  names: readonly string[],
): Promise<{ key_id: KeyId; name: string }[]> {
  return await tx<{ key_id: KeyId; name: string }[]>`
    select key_id, name from api_keys
    where tenant_id = ${tenantId} and lower(name) = any(${[...names]}::text[])
    order by key_id desc
    limit 100`;
}

/** Names of a tenant's keys by id, in any state; unknown ids are left out. */
export async function listKeyNames(
  tx: Tx,
  tenantId: TenantId,
  keyIds: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const rows = await tx<{ key_id: string; name: string }[]>`
    select key_id, name from api_keys where tenant_id = ${tenantId} and key_id in ${tx(keyIds)}`;
  return new Map(rows.map((row) => [row.key_id, row.name]));
}
