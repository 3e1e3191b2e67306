import type { Tx } from "@turnpike/db/client";
import type { KeyId, ServiceKeyId, TenantId } from "@turnpike/domain/ids/ids";

/** The owner of service keys, which belong to the installation rather than a tenant. */
export const INSTALLATION = "operator";

export type LeakedKeyRow = {
  hash: string;
  tenant_id: TenantId | typeof INSTALLATION;
  key_id: KeyId | ServiceKeyId;
  name: string;
  start: string;
  /** True when the key is already revoked or expired. */
  is_dead: boolean;
};

/** Keys and service keys by the hashes (hexadecimal) of their texts, in the order in which they are locked. */
export async function listKeysByHash(
  tx: Tx,
  hashes: readonly string[],
  now: Date,
): Promise<LeakedKeyRow[]> {
  return await tx<LeakedKeyRow[]>`
    with asked as (select decode(hash, 'hex') as key_hash from unnest(${[...hashes]}::text[]) as hash)
    select encode(k.key_hash, 'hex') as hash, k.tenant_id, k.key_id, k.name, k.start,
      k.revoked_at is not null or coalesce(k.expires_at <= ${now}, false) as is_dead
    from asked join api_keys k using (key_hash)
    union all
    select encode(s.key_hash, 'hex'), ${INSTALLATION}, s.service_key_id, s.name, s.start,
      s.revoked_at is not null
    from asked join service_keys s using (key_hash)
    order by tenant_id, key_id`;
}

/** Revokes the keys that are not yet revoked, and publishes it. @returns Their ids. */
export async function revokeLeakedKeys(
  tx: Tx,
  keys: readonly Pick<LeakedKeyRow, "tenant_id" | "key_id">[],
  now: Date,
): Promise<Set<string>> {
  const own = keys.filter((key) => key.tenant_id !== INSTALLATION);
  const service = keys.filter((key) => key.tenant_id === INSTALLATION);
  const ofTenants = await tx<{ key_id: string }[]>`
    with leaked as (
      select k.tenant_id, k.key_id from api_keys k
      join unnest(${own.map((key) => key.tenant_id)}::text[], ${own.map((key) => key.key_id)}::text[])
        as asked (tenant_id, key_id) on asked.tenant_id = k.tenant_id and asked.key_id = k.key_id
      where k.revoked_at is null
      order by k.tenant_id, k.key_id
      for update of k
    ), revoked as (
      update api_keys k set revoked_at = ${now}, updated_at = ${now}
      from leaked where k.tenant_id = leaked.tenant_id and k.key_id = leaked.key_id and k.revoked_at is null
      returning k.tenant_id, k.key_id
    )
    select key_id, record_change('key', tenant_id, key_id) as change from revoked`;
  const ofInstallation = await tx<{ key_id: string }[]>`
    with revoked as (
      update service_keys set revoked_at = ${now}
      where service_key_id = any(${service.map((key) => key.key_id)}) and revoked_at is null
      returning service_key_id
    )
    select service_key_id as key_id, record_change('service_key', null, service_key_id) as change from revoked`;
  return new Set([...ofTenants, ...ofInstallation].map((row) => row.key_id));
}

export type LeakRow = {
  tenant_id: string;
  key_id: string;
  /** SHA-256, hexadecimal. */
  place_hash: string;
  source: string;
  url: string;
  revoked: boolean;
  /** False when no notification is needed. */
  is_news: boolean;
};

/**
 * Records where keys were found. A known location stays as it is, unless the key is revoked only now.
 *
 * @returns The locations that are new, or whose key is revoked only now.
 */
export async function insertLeaks(
  tx: Tx,
  leaks: readonly LeakRow[],
  now: Date,
): Promise<{ tenant_id: string; key_id: string; source: string; url: string; revoked: boolean }[]> {
  return await tx`
    insert into key_leaks (tenant_id, key_id, place_hash, source, url, found_at, revoked, told_at)
    select l.tenant_id, l.key_id, decode(l.place_hash, 'hex'), l.source, l.url, ${now}, l.revoked,
      case when l.is_news then null else ${now}::timestamptz end
    from jsonb_to_recordset(${tx.json([...leaks])})
      as l (tenant_id text, key_id text, place_hash text, source text, url text, revoked boolean, is_news boolean)
    order by l.tenant_id, l.key_id, l.place_hash
    on conflict (tenant_id, key_id, place_hash) do update set revoked = true, told_at = null
      where excluded.revoked and not key_leaks.revoked
    returning tenant_id, key_id, source, url, revoked`;
}

/** Owners with leaks that they were not yet notified of. */
export async function listOwnersToNotify(tx: Tx, limit: number): Promise<string[]> {
  const rows = await tx<{ tenant_id: string }[]>`
    select distinct tenant_id from key_leaks where told_at is null limit ${limit}`;
  return rows.map((row) => row.tenant_id);
}

export type ClaimedLeakRow = {
  key_id: string;
  name: string;
  start: string;
  last_four: string;
  source: string;
  url: string;
  revoked: boolean;
};

/** Claims the pending leaks of one owner, so that no other process notifies of them. Needs the operator role. */
export async function claimLeaks(
  tx: Tx,
  owner: string,
  input: { now: Date; limit: number },
): Promise<ClaimedLeakRow[]> {
  return await tx<ClaimedLeakRow[]>`
    with pending as (
      select tenant_id, key_id, place_hash from key_leaks
      where tenant_id = ${owner} and told_at is null
      order by key_id, place_hash
      limit ${input.limit}
      for update skip locked
    ), claimed as (
      update key_leaks l set told_at = ${input.now} from pending u
      where l.tenant_id = u.tenant_id and l.key_id = u.key_id and l.place_hash = u.place_hash
      returning l.tenant_id, l.key_id, l.source, l.url, l.revoked
    )
    select claimed.key_id, coalesce(k.name, s.name, '') as name, coalesce(k.start, s.start, '') as start,
      coalesce(k.last_four, '') as last_four, claimed.source, claimed.url, claimed.revoked
    from claimed
    left join api_keys k on k.tenant_id = claimed.tenant_id and k.key_id = claimed.key_id
    left join service_keys s on s.service_key_id = claimed.key_id
    order by claimed.key_id, claimed.url`;
}

export type PublicKey = { keyId: string; places: number; foundAt: Date };

/** Keys of a tenant that were found in public and still work, with how many places they were found in and when first. */
export async function listPublicKeys(tx: Tx, tenantId: TenantId, now: Date): Promise<PublicKey[]> {
  return await tx<PublicKey[]>`
    select l.key_id as "keyId", count(*)::int as places, min(l.found_at) as "foundAt"
    from key_leaks l join api_keys k on k.tenant_id = l.tenant_id and k.key_id = l.key_id
    where l.tenant_id = ${tenantId} and k.revoked_at is null and (k.expires_at is null or k.expires_at > ${now})
    group by l.key_id
    order by l.key_id
    limit 100`;
}
