import type { JsonValue, Tx } from "@turnpike/db/client";
import type { PlanTerms } from "@turnpike/domain/catalog/plan";
import type { KeyId, TenantId } from "@turnpike/domain/ids/ids";
import type { Environment } from "@turnpike/domain/keys/key-format";

export type KeyRow = {
  tenant_id: TenantId;
  key_id: KeyId;
  name: string;
  environment: Environment;
  start: string;
  last_four: string;
  scopes: string[];
  metadata: Record<string, unknown>;
  expires_at: Date | null;
  disabled_at: Date | null;
  revoked_at: Date | null;
  created_at: Date;
};

const COLUMNS = [
  "tenant_id",
  "key_id",
  "name",
  "environment",
  "start",
  "last_four",
  "scopes",
  "metadata",
  "expires_at",
  "disabled_at",
  "revoked_at",
  "created_at",
] as const;

export async function tenantExists(tx: Tx, tenantId: TenantId): Promise<boolean> {
  const rows = await tx`select 1 from tenants where tenant_id = ${tenantId}`;
  return rows.length === 1;
}

export async function insertKey(
  tx: Tx,
  row: Omit<KeyRow, "metadata" | "disabled_at" | "revoked_at"> & {
    metadata: Record<string, JsonValue>;
    key_hash: Uint8Array;
    created_by: string;
  },
): Promise<void> {
  await tx`
    insert into api_keys (tenant_id, key_id, name, environment, key_hash, start, last_four, scopes, metadata,
      expires_at, created_at, created_by)
    values (${row.tenant_id}, ${row.key_id}, ${row.name}, ${row.environment}, ${Buffer.from(row.key_hash)}, ${row.start},
      ${row.last_four}, ${row.scopes}, ${tx.json(row.metadata)}, ${row.expires_at}, ${row.created_at},
      ${row.created_by})`;
}

/** Newest first. */
export async function listKeyRows(
  tx: Tx,
  tenantId: TenantId,
  page: { beforeId: string | undefined; limit: number },
): Promise<KeyRow[]> {
  const before = page.beforeId ?? null;
  return await tx<KeyRow[]>`
    select ${tx(COLUMNS)} from api_keys
    where tenant_id = ${tenantId} and (${before}::text is null or key_id < ${before})
    order by key_id desc
    limit ${page.limit}`;
}

export async function findKeyRow(
  tx: Tx,
  tenantId: TenantId,
  keyId: KeyId,
): Promise<KeyRow | undefined> {
  const [row] = await tx<KeyRow[]>`
    select ${tx(COLUMNS)} from api_keys where tenant_id = ${tenantId} and key_id = ${keyId}`;
  return row;
}

/** Revokes the key unless it is revoked already; `undefined` when nothing changed. */
export async function markKeyRevoked(
  tx: Tx,
  input: { tenantId: TenantId; keyId: KeyId; now: Date },
): Promise<KeyRow | undefined> {
  const [row] = await tx<KeyRow[]>`
    update api_keys set revoked_at = ${input.now}
    where tenant_id = ${input.tenantId} and key_id = ${input.keyId} and revoked_at is null
    returning ${tx(COLUMNS)}`;
  return row;
}

/** Tells every process that the key is new or changed. */
export async function announceKey(tx: Tx, tenantId: TenantId, keyId: KeyId): Promise<void> {
  await tx`select record_change('key', ${tenantId}, ${keyId})`;
}

export type TenantTermsRow = {
  tenant_id: TenantId;
  suspended_at: Date | null;
  period_anchor: Date;
  plan_id: string;
  plan_version: number;
  terms: PlanTerms;
};

/** Finds a key of any tenant by the hash of its text, for the hot path. Needs the operator role. */
export async function findKeyByHash(tx: Tx, hashHex: string): Promise<KeyRow | undefined> {
  const [row] = await tx<KeyRow[]>`
    select ${tx(COLUMNS)} from api_keys where key_hash = decode(${hashHex}, 'hex')`;
  return row;
}

export async function findTenantTerms(
  tx: Tx,
  tenantId: TenantId,
): Promise<TenantTermsRow | undefined> {
  const [row] = await tx<TenantTermsRow[]>`
    select t.tenant_id, t.suspended_at, t.period_anchor, t.plan_id, t.plan_version, v.terms
    from tenants t join plan_versions v on v.plan_id = t.plan_id and v.version = t.plan_version
    where t.tenant_id = ${tenantId}`;
  return row;
}
