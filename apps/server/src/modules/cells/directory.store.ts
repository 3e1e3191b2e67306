import type { Tx } from "@turnpike/db/client";
import type { TenantId } from "@turnpike/domain/ids/ids";

/** Everything here is of the database of the directory, which all cells share; none of it is of a cell's own. */

/** Starts of many nodes take turns. No other lock uses the number. */
const DIRECTORY_LOCK = 7_163_060;
/** Says in its channel which tenant moved; without a tenant, that there are new keys. */
export const DIRECTORY_CHANNEL = "turnpike_directory";

/** A cell as the others reach it. */
export type CellRow = {
  name: string;
  /** Origin of its gateway for the nodes of other cells. */
  address: string;
  /** Origins for people and for their programs. */
  consoleUrl: string;
  gatewayUrl: string;
  /** Of the name and the addresses. */
  signature: Uint8Array;
  /** When one of its nodes last gave a sign of life, by the clock of the directory. */
  seenAt: Date;
};

/** Where a tenant lives. While it is `moving`, `cell` is the one that it leaves. */
export type TenantPlace = {
  tenantId: TenantId;
  cell: string;
  state: "here" | "moving";
  /** Counts up with each change. */
  version: number;
};

/** Makes what is missing of the schema. Safe at any number of starts at once. */
export async function ensureDirectorySchema(tx: Tx): Promise<void> {
  const [known] = await tx`select 1 where to_regclass('turnpike_directory.keys') is not null`;
  if (known !== undefined) {
    return;
  }
  // "if not exists" alone fails when two transactions make the same thing.
  await tx`select pg_advisory_xact_lock(${DIRECTORY_LOCK})`;
  await tx`create schema if not exists turnpike_directory`;
  await tx`
    create table if not exists turnpike_directory.secrets (
      -- There is one row.
      id boolean primary key default true check (id),
      -- A keyed hash of a fixed text: cells with another secret would find none of the keys.
      proof bytea not null
    )`;
  await tx`
    create table if not exists turnpike_directory.cells (
      name text primary key,
      -- A keyed hash that only nodes of the cell can make.
      owner bytea not null,
      address text not null,
      console_url text not null,
      gateway_url text not null,
      -- A keyed hash of the name and the addresses: keys are sent to no address that a cell did not enter itself.
      signature bytea not null,
      seen_at timestamptz not null,
      -- How far the comparison of the cell with the directory is: null at its beginning.
      compared_to text,
      compared_at timestamptz
    )`;
  await tx`
    create table if not exists turnpike_directory.tenants (
      tenant_id text primary key,
      cell text not null,
      state text not null default 'here' check (state in ('here', 'moving')),
      version bigint not null default 1,
      created_at timestamptz not null default now(),
      changed_at timestamptz not null default now()
    )`;
  // The comparison pages through the tenants of a cell.
  await tx`create index if not exists tenants_by_cell on turnpike_directory.tenants (cell, tenant_id)`;
  // Nodes ask which tenants moved lately; most never do.
  await tx`
    create index if not exists tenants_by_change on turnpike_directory.tenants (changed_at) where version > 1`;
  await tx`
    create table if not exists turnpike_directory.keys (
      -- A keyed hash of the key's hash: without the secret it says nothing, also of a key that could be guessed.
      lookup bytea primary key,
      tenant_id text not null references turnpike_directory.tenants on delete cascade,
      created_at timestamptz not null default now()
    )`;
  await tx`create index if not exists keys_by_tenant on turnpike_directory.keys (tenant_id, lookup)`;
}

/** Notes the proof of the secret, or compares it. @returns False when the directory was made with another secret. */
export async function proveSecret(tx: Tx, proof: Uint8Array): Promise<boolean> {
  await tx`
    insert into turnpike_directory.secrets (proof) values (${Buffer.from(proof)}) on conflict do nothing`;
  const rows =
    await tx`select 1 from turnpike_directory.secrets where proof = ${Buffer.from(proof)}`;
  return rows.length === 1;
}

/**
 * Adds a cell or notes a sign of life of it.
 *
 * @returns False when the name is another cell's that was there in the last minute.
 */
export async function upsertCell(
  tx: Tx,
  cell: Omit<CellRow, "seenAt"> & { owner: Uint8Array },
): Promise<boolean> {
  const rows = await tx`
    insert into turnpike_directory.cells as c (name, owner, address, console_url, gateway_url, signature, seen_at)
    values (${cell.name}, ${Buffer.from(cell.owner)}, ${cell.address}, ${cell.consoleUrl}, ${cell.gatewayUrl},
      ${Buffer.from(cell.signature)}, now())
    on conflict (name) do update set owner = excluded.owner, address = excluded.address,
      console_url = excluded.console_url, gateway_url = excluded.gateway_url, signature = excluded.signature, seen_at = now()
    where c.owner = excluded.owner or c.seen_at < now() - interval '1 minute'
    returning 1`;
  return rows.length === 1;
}

/** All cells by name; an installation has a handful. */
export async function listCells(tx: Tx): Promise<CellRow[]> {
  return await tx<CellRow[]>`
    select name, address, console_url as "consoleUrl", gateway_url as "gatewayUrl", signature, seen_at as "seenAt"
    from turnpike_directory.cells order by name limit 1000`;
}

/** Enters a new tenant. An entry that is there stays as it is. */
export async function insertTenantPlace(
  tx: Tx,
  { tenantId, cell }: Pick<TenantPlace, "tenantId" | "cell">,
): Promise<void> {
  await tx`
    insert into turnpike_directory.tenants (tenant_id, cell) values (${tenantId}, ${cell})
    on conflict do nothing`;
}

export async function findTenantPlace(
  tx: Tx,
  tenantId: TenantId,
): Promise<TenantPlace | undefined> {
  const [place] = await tx<TenantPlace[]>`
    select tenant_id as "tenantId", cell, state, version::float8 as version
    from turnpike_directory.tenants where tenant_id = ${tenantId}`;
  return place;
}

/** Where tenants live; unknown ones are left out. */
export async function findTenantPlaces(
  tx: Tx,
  tenantIds: readonly TenantId[],
): Promise<TenantPlace[]> {
  return await tx<TenantPlace[]>`
    select tenant_id as "tenantId", cell, state, version::float8 as version
    from turnpike_directory.tenants where tenant_id = any(${[...tenantIds]}::text[])`;
}

/**
 * Changes where a tenant lives, if nothing else changed it since it had `version`, and tells every node.
 *
 * @returns What the directory says now; undefined when the version is another one, or the tenant is not there.
 */
export async function changeTenantPlace(
  tx: Tx,
  { tenantId, version, cell, state }: TenantPlace,
): Promise<TenantPlace | undefined> {
  const [place] = await tx<TenantPlace[]>`
    update turnpike_directory.tenants
    set cell = ${cell}, state = ${state}, version = version + 1, changed_at = now()
    where tenant_id = ${tenantId} and version = ${version}
    returning tenant_id as "tenantId", cell, state, version::float8 as version`;
  if (place !== undefined) {
    await tx`select pg_notify(${DIRECTORY_CHANNEL}, ${tenantId})`;
  }
  return place;
}

/** Where the tenants live that moved in the last so many seconds, or began to; at most `limit`. */
export async function listRecentMoves(
  tx: Tx,
  { seconds, limit }: { seconds: number; limit: number },
): Promise<TenantPlace[]> {
  return await tx<TenantPlace[]>`
    select tenant_id as "tenantId", cell, state, version::float8 as version
    from turnpike_directory.tenants
    where version > 1 and changed_at > now() - make_interval(secs => ${seconds})
    order by changed_at desc limit ${limit}`;
}

/** Removes a tenant and its keys. @returns False when it was not there, or lives in another cell. */
export async function deleteTenantPlace(
  tx: Tx,
  { tenantId, cell }: Pick<TenantPlace, "tenantId" | "cell">,
): Promise<boolean> {
  const rows = await tx`
    delete from turnpike_directory.tenants where tenant_id = ${tenantId} and cell = ${cell} returning 1`;
  if (rows.length > 0) {
    await tx`select pg_notify(${DIRECTORY_CHANNEL}, ${tenantId})`;
  }
  return rows.length > 0;
}

/**
 * Enters keys of a tenant, in the order of their look-ups, so that two writers of the same keys cannot deadlock.
 *
 * @param lookups - Hexadecimal.
 * @returns Those that are another tenant's, and stay that.
 */
export async function insertKeyPlaces(
  tx: Tx,
  { tenantId, lookups }: { tenantId: TenantId; lookups: readonly string[] },
): Promise<string[]> {
  const inserted = await tx`
    insert into turnpike_directory.keys (lookup, tenant_id)
    select decode(lookup, 'hex'), ${tenantId} from unnest(${[...lookups]}::text[]) as lookup
    order by lookup
    on conflict (lookup) do nothing
    returning 1`;
  if (inserted.length > 0) {
    // Nodes may remember that there is no such key.
    await tx`select pg_notify(${DIRECTORY_CHANNEL}, '')`;
  }
  if (inserted.length === new Set(lookups).size) {
    return [];
  }
  const foreign = await tx<{ lookup: string }[]>`
    select encode(lookup, 'hex') as lookup from turnpike_directory.keys
    where lookup = any(array(select decode(l, 'hex') from unnest(${[...lookups]}::text[]) as l))
      and tenant_id <> ${tenantId}`;
  return foreign.map((row) => row.lookup);
}

/** Removes keys of a tenant. @param lookups - Hexadecimal. */
export async function deleteKeyPlaces(
  tx: Tx,
  { tenantId, lookups }: { tenantId: TenantId; lookups: readonly string[] },
): Promise<void> {
  await tx`
    delete from turnpike_directory.keys
    where tenant_id = ${tenantId}
      and lookup = any(array(select decode(l, 'hex') from unnest(${[...lookups]}::text[]) as l))`;
}

/** Finds where the tenants of keys live, by the look-ups of the keys; unknown ones are left out. */
export async function findPlacesOfKeys(
  tx: Tx,
  lookups: readonly string[],
): Promise<Map<string, TenantPlace>> {
  const rows = await tx<(TenantPlace & { lookup: string })[]>`
    select encode(k.lookup, 'hex') as lookup, t.tenant_id as "tenantId", t.cell, t.state, t.version::float8 as version
    from turnpike_directory.keys k join turnpike_directory.tenants t using (tenant_id)
    where k.lookup = any(array(select decode(l, 'hex') from unnest(${[...lookups]}::text[]) as l))`;
  return new Map(rows.map(({ lookup, ...place }) => [lookup, place]));
}
