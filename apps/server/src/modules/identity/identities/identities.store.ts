import type { Tx } from "@turnpike/db/client";
import type { UserId } from "@turnpike/domain/ids/ids";
import { USER_COLUMNS, type UserRow } from "../users/users.store.ts";

/** A person's name at a provider. */
export type Identity = { issuer: string; subject: string };

export type LinkedIdentityRow = Identity & {
  user_id: UserId;
  email: string | null;
  email_verified: boolean;
  name: string | null;
  claims_issued_at: Date;
  connected_at: Date;
  tokens_valid_from: Date | null;
};

const COLUMNS = [
  "issuer",
  "subject",
  "user_id",
  "email",
  "email_verified",
  "name",
  "claims_issued_at",
  "connected_at",
  "tokens_valid_from",
] as const;

/**
 * Until the end of the transaction no other makes a person of this identity, or connects it: it is the name of one person, in one
 * of two tables.
 */
export async function lockIdentity(tx: Tx, { issuer, subject }: Identity): Promise<void> {
  await tx`select pg_advisory_xact_lock(hashtextextended(${`identity ${issuer} ${subject}`}, 0))`;
}

export async function findLinkedIdentity(
  tx: Tx,
  { issuer, subject }: Identity,
): Promise<LinkedIdentityRow | undefined> {
  const [row] = await tx<LinkedIdentityRow[]>`
    select ${tx(COLUMNS)} from linked_identities where issuer = ${issuer} and subject = ${subject}`;
  return row;
}

/** Those of the given identities that were connected to a person, unordered. */
export async function listLinkedIdentities(
  tx: Tx,
  identities: readonly Identity[],
): Promise<LinkedIdentityRow[]> {
  return await tx<LinkedIdentityRow[]>`
    select ${tx(COLUMNS)} from linked_identities
    where (issuer, subject) in (
      select * from unnest(
        ${identities.map(({ issuer }) => issuer)}::text[],
        ${identities.map(({ subject }) => subject)}::text[]
      )
    )`;
}

/** A person's connected identities, the oldest first: at most one of each provider. */
export async function listIdentitiesOfUser(tx: Tx, userId: UserId): Promise<LinkedIdentityRow[]> {
  return await tx<LinkedIdentityRow[]>`
    select ${tx(COLUMNS)} from linked_identities where user_id = ${userId}
    order by connected_at, issuer`;
}

export async function insertLinkedIdentity(tx: Tx, row: LinkedIdentityRow): Promise<void> {
  await tx`insert into linked_identities ${tx(row, ...COLUMNS)}`;
}

export async function deleteLinkedIdentity(tx: Tx, { issuer, subject }: Identity): Promise<void> {
  await tx`delete from linked_identities where issuer = ${issuer} and subject = ${subject}`;
}

/**
 * Stores what a token of a connected identity says. One issued before the last used one changes nothing.
 *
 * @returns False when nothing was stored.
 */
export async function updateLinkedIdentity(
  tx: Tx,
  row: Omit<LinkedIdentityRow, "user_id" | "connected_at" | "tokens_valid_from">,
): Promise<boolean> {
  const rows = await tx<{ user_id: UserId }[]>`
    update linked_identities
    set email = ${row.email}, email_verified = ${row.email_verified}, name = ${row.name},
      claims_issued_at = ${row.claims_issued_at}
    where issuer = ${row.issuer} and subject = ${row.subject}
      and claims_issued_at <= ${row.claims_issued_at}
    returning user_id`;
  const [stored] = rows;
  if (stored === undefined) {
    return false;
  }
  // Any of the providers vouches for the person.
  await tx`
    update users set claims_issued_at = greatest(claims_issued_at, ${row.claims_issued_at})
    where user_id = ${stored.user_id} and issuer <> 'builtin'`;
  return true;
}

/** The people of these ids, unordered. */
export async function listUserRowsById(tx: Tx, userIds: readonly UserId[]): Promise<UserRow[]> {
  return await tx<UserRow[]>`
    select ${tx(USER_COLUMNS)} from users where user_id = any(${[...userIds]})`;
}

/** Locks a person who is not deleted, until the end of the transaction. */
export async function lockUserRow(tx: Tx, userId: UserId): Promise<UserRow | undefined> {
  const [row] = await tx<UserRow[]>`
    select ${tx(USER_COLUMNS)} from users where user_id = ${userId} and deleted_at is null
    for no key update`;
  return row;
}

/** Makes a connected identity the first one of its person, with the name and address that its provider knows. */
export async function promoteIdentity(
  tx: Tx,
  { identity, now }: { identity: LinkedIdentityRow; now: Date },
): Promise<void> {
  await deleteLinkedIdentity(tx, identity);
  await tx`
    update users
    set issuer = ${identity.issuer}, subject = ${identity.subject}, email = ${identity.email},
      email_verified = ${identity.email_verified}, name = ${identity.name},
      claims_issued_at = ${identity.claims_issued_at}, sessions_valid_from = ${identity.tokens_valid_from},
      updated_at = ${now}
    where user_id = ${identity.user_id}`;
}

/**
 * Leaves a row of an identity that belongs to no one any more, as that of a deleted account: its earlier tokens are refused, and a
 * later one is a new person's. None of the earlier ones changes the row.
 */
export async function insertReleasedIdentity(
  tx: Tx,
  row: Identity & { user_id: UserId; now: Date; tokensValidFrom: Date },
): Promise<void> {
  await tx`
    insert into users (user_id, issuer, subject, tokens_valid_from, claims_issued_at, deleted_at, created_at, updated_at)
    values (${row.user_id}, ${row.issuer}, ${row.subject}, ${row.tokensValidFrom}, ${row.tokensValidFrom},
      ${row.now}, ${row.now}, ${row.now})
    on conflict (issuer, subject) do nothing`;
}

/** Takes the provider's name from a deleted person, so that it can be connected. @returns False when a person has it. */
export async function takeReleasedIdentity(
  tx: Tx,
  { issuer, subject }: Identity,
): Promise<boolean> {
  await tx`
    update users set issuer = 'deleted', subject = user_id
    where issuer = ${issuer} and subject = ${subject} and deleted_at is not null`;
  const rows = await tx`select 1 from users where issuer = ${issuer} and subject = ${subject}`;
  return rows.length === 0;
}

export type IdentityAttemptRow = {
  user_id: UserId;
  nonce_hash: Uint8Array;
  issuer: string;
  sign_in_id: string | null;
  expires_at: Date;
};

/** A newer one takes the place of the person's last. */
export async function putIdentityAttempt(tx: Tx, row: IdentityAttemptRow): Promise<void> {
  await tx`
    insert into identity_attempts (user_id, nonce_hash, issuer, sign_in_id, expires_at)
    values (${row.user_id}, ${row.nonce_hash}, ${row.issuer}, ${row.sign_in_id}, ${row.expires_at})
    on conflict (user_id) do update
      set nonce_hash = excluded.nonce_hash, issuer = excluded.issuer, sign_in_id = excluded.sign_in_id,
        expires_at = excluded.expires_at`;
}

/** Ends the person's attempt. @returns It; `undefined` when there is none, or it has expired. */
export async function takeIdentityAttempt(
  tx: Tx,
  { userId, now }: { userId: UserId; now: Date },
): Promise<IdentityAttemptRow | undefined> {
  const [row] = await tx<IdentityAttemptRow[]>`
    delete from identity_attempts where user_id = ${userId}
    returning user_id, nonce_hash, issuer, sign_in_id, expires_at`;
  return row !== undefined && row.expires_at > now ? row : undefined;
}

export async function deleteExpiredIdentityAttempts(
  tx: Tx,
  before: Date,
  limit: number,
): Promise<number> {
  const result = await tx`
    delete from identity_attempts where user_id in (
      select user_id from identity_attempts where expires_at <= ${before} limit ${limit})`;
  return result.count;
}
