import type { Tx } from "@turnpike/db/client";

/** All functions here need the operator role. No other role can see the table. */
export type OidcRecordRow = {
  model: string;
  idHash: Uint8Array;
  /** Without the identifier itself. */
  payload: object;
  accountId: string | null;
  grantId: string | null;
  sessionUid: string | null;
  expiresAt: Date;
};

export type StoredRecord = { payload: Record<string, unknown>; consumed_at: Date | null };

type RecordKey = { model: string; idHash: Uint8Array };

export async function upsertRecord(tx: Tx, row: OidcRecordRow): Promise<void> {
  await tx`
    insert into oidc_records (model, id_hash, payload, account_id, grant_id, session_uid, expires_at)
    values (
      ${row.model}, ${Buffer.from(row.idHash)}, ${tx.json(row.payload as never)}, ${row.accountId}, ${row.grantId},
      ${row.sessionUid}, ${row.expiresAt})
    on conflict (model, id_hash) do update
      set payload = excluded.payload, account_id = excluded.account_id, grant_id = excluded.grant_id,
        session_uid = excluded.session_uid, expires_at = excluded.expires_at`;
}

export async function findRecord(
  tx: Tx,
  key: RecordKey,
  now: Date,
): Promise<StoredRecord | undefined> {
  const [row] = await tx<StoredRecord[]>`
    select payload, consumed_at from oidc_records
    where model = ${key.model} and id_hash = ${Buffer.from(key.idHash)} and expires_at > ${now}`;
  return row;
}

/** A record as other modules see it, by the hash of its identifier. */
export type ProviderRecord = {
  hashHex: string;
  payload: Record<string, unknown>;
  grantId: string | null;
  expiresAt: Date;
};

/** Records of one model, by the hashes of their identifiers in hex; unknown ones are left out. */
export async function findProviderRecords(
  tx: Tx,
  input: { model: string; hashesHex: readonly string[] },
): Promise<ProviderRecord[]> {
  return await tx<ProviderRecord[]>`
    select encode(id_hash, 'hex') as "hashHex", payload, grant_id as "grantId", expires_at as "expiresAt"
    from oidc_records
    where model = ${input.model}
      and id_hash in (select decode(hash, 'hex') from unnest(${[...input.hashesHex]}::text[]) as input (hash))`;
}

export async function findSessionRecord(
  tx: Tx,
  sessionUid: string,
  now: Date,
): Promise<StoredRecord | undefined> {
  const [row] = await tx<StoredRecord[]>`
    select payload, consumed_at from oidc_records
    where model = 'Session' and session_uid = ${sessionUid} and expires_at > ${now}
    limit 1`;
  return row;
}

/** Marks a one-time record as used. A single statement, so that of any number of uses one succeeds. */
export async function consumeRecord(tx: Tx, key: RecordKey, now: Date): Promise<boolean> {
  const rows = await tx`
    update oidc_records set consumed_at = ${now}
    where model = ${key.model} and id_hash = ${Buffer.from(key.idHash)} and consumed_at is null
    returning 1`;
  return rows.length === 1;
}

/**
 * Extends a grant to the lifetime of the newest token given out under it, and locks it until the transaction ends, so that a
 * revocation happens before or after, but not concurrently.
 *
 * @returns False if the grant no longer exists.
 */
export async function extendGrant(
  tx: Tx,
  input: { idHash: Uint8Array; expiresAt: Date; now: Date },
): Promise<boolean> {
  const expiresAtSeconds = Math.floor(input.expiresAt.getTime() / 1_000);
  const rows = await tx`
    update oidc_records
    set expires_at = greatest(expires_at, ${input.expiresAt}),
      payload = jsonb_set(payload, '{exp}', to_jsonb(greatest((payload->>'exp')::bigint, ${expiresAtSeconds}::bigint)))
    where model = 'Grant' and id_hash = ${Buffer.from(input.idHash)} and expires_at > ${input.now}
    returning 1`;
  return rows.length === 1;
}

export async function deleteRecord(tx: Tx, key: RecordKey): Promise<void> {
  await tx`delete from oidc_records where model = ${key.model} and id_hash = ${Buffer.from(key.idHash)}`;
}

/** Deletes what was given out under a grant, of one model or of all, but not the grant itself. */
export async function deleteRecordsOfGrant(
  tx: Tx,
  input: { grantId: string; model?: string },
): Promise<void> {
  const { model = null } = input;
  await tx`
    delete from oidc_records
    where grant_id = ${input.grantId} and (${model}::text is null or model = ${model})`;
}

/**
 * Ends every session of an account and everything given out in them.
 *
 * @param kept - A grant of the console that stays, with its session.
 */
export async function deleteRecordsOfAccount(
  tx: Tx,
  accountId: string,
  kept: { grantId: string; grantHash: Uint8Array } | undefined,
): Promise<void> {
  if (kept === undefined) {
    await tx`delete from oidc_records where account_id = ${accountId}`;
    return;
  }
  await tx`
    delete from oidc_records
    where account_id = ${accountId}
      and grant_id is distinct from ${kept.grantId}
      and not (model = 'Grant' and id_hash = ${Buffer.from(kept.grantHash)})
      and not (model = 'Session' and coalesce(payload #>> '{authorizations,console,grantId}', '') = ${kept.grantId})`;
}

/** Ends the sessions that a grant of the console belongs to: they would get it new tokens. */
export async function deleteSessionsOfGrant(
  tx: Tx,
  { accountId, grantId }: { accountId: string; grantId: string },
): Promise<void> {
  await tx`
    delete from oidc_records
    where account_id = ${accountId} and model = 'Session'
      and payload #>> '{authorizations,console,grantId}' = ${grantId}`;
}

/** @returns How many were deleted, at most `limit`. */
export async function deleteExpiredRecords(tx: Tx, before: Date, limit: number): Promise<number> {
  const result = await tx`
    delete from oidc_records where (model, id_hash) in (
      select model, id_hash from oidc_records where expires_at <= ${before} limit ${limit})`;
  return result.count;
}
