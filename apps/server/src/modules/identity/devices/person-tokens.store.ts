import type { Tx } from "@turnpike/db/client";
import type { UserId } from "@turnpike/domain/ids/ids";

export type PersonTokenRow = {
  person_token_id: string;
  user_id: UserId;
  name: string;
  start: string;
  created_at: Date;
  expires_at: Date;
};

const COLUMNS = [
  "person_token_id",
  "user_id",
  "name",
  "start",
  "created_at",
  "expires_at",
] as const;

export async function insertPersonToken(
  tx: Tx,
  row: PersonTokenRow & { token_hash: Uint8Array },
): Promise<void> {
  await tx`
    insert into person_tokens ${tx(
      { ...row, token_hash: Buffer.from(row.token_hash) },
      "token_hash",
      ...COLUMNS,
    )}`;
}

/** Newest first. */
export async function listPersonTokenRows(
  tx: Tx,
  userId: UserId,
  now: Date,
): Promise<PersonTokenRow[]> {
  return await tx<PersonTokenRow[]>`
    select ${tx(COLUMNS)} from person_tokens
    where user_id = ${userId} and expires_at > ${now}
    order by created_at desc, person_token_id desc`;
}

/** Deletes all but the newest of a person. @returns How many. */
export async function deleteOldestPersonTokens(
  tx: Tx,
  userId: UserId,
  kept: number,
): Promise<number> {
  const rows = await tx`
    delete from person_tokens where person_token_id in (
      select person_token_id from person_tokens where user_id = ${userId}
      order by created_at desc, person_token_id desc offset ${kept})
    returning 1`;
  return rows.length;
}

export async function deletePersonTokensOf(tx: Tx, userId: UserId): Promise<void> {
  await tx`delete from person_tokens where user_id = ${userId}`;
}

export async function deletePersonToken(
  tx: Tx,
  userId: UserId,
  personTokenId: string,
): Promise<PersonTokenRow | undefined> {
  const [row] = await tx<PersonTokenRow[]>`
    delete from person_tokens where user_id = ${userId} and person_token_id = ${personTokenId}
    returning ${tx(COLUMNS)}`;
  return row;
}

export async function deletePersonTokenByHash(
  tx: Tx,
  tokenHash: Uint8Array,
): Promise<PersonTokenRow | undefined> {
  const [row] = await tx<PersonTokenRow[]>`
    delete from person_tokens where token_hash = ${Buffer.from(tokenHash)}
    returning ${tx(COLUMNS)}`;
  return row;
}

/** A token with the identity of its person. */
export type IdentifiedToken = PersonTokenRow & {
  issuer: string;
  subject: string;
  tokens_valid_from: Date | null;
  claims_issued_at: Date | null;
};

/** By their hashes in hex; unknown hashes are left out. */
export async function findPersonTokensByHash(
  tx: Tx,
  hashesHex: readonly string[],
): Promise<ReadonlyMap<string, IdentifiedToken>> {
  const rows = await tx<(IdentifiedToken & { hash: string })[]>`
    select t.person_token_id, t.user_id, t.name, t.start, t.created_at, t.expires_at,
      u.issuer, u.subject, u.tokens_valid_from, u.claims_issued_at, encode(t.token_hash, 'hex') as hash
    from person_tokens t join users u using (user_id)
    where t.token_hash in (select decode(hash, 'hex') from unnest(${[...hashesHex]}::text[]) as input (hash))`;
  return new Map(rows.map((row) => [row.hash, row]));
}

/** Deletes what expired before. @returns How many. */
export async function deleteExpiredPersonTokens(
  tx: Tx,
  before: Date,
  limit: number,
): Promise<number> {
  const rows = await tx`
    delete from person_tokens where person_token_id in (
      select person_token_id from person_tokens where expires_at < ${before} limit ${limit})
    returning 1`;
  return rows.length;
}
