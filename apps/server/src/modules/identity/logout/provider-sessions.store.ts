import type { Tx } from "@turnpike/db/client";
import type { UserId } from "@turnpike/domain/ids/ids";
import type { Identity } from "../identities/identities.store.ts";

/** All functions here need the operator role. No other role can see the tables. */
export type SessionOfIdentity = Identity & {
  session_id: string;
  is_ended: boolean;
  expires_at: Date;
};

/** A person has a few; beyond that, those seen last. */
const SESSIONS_MAX = 200;

/** Until the end of the transaction no other notes or ends this session. */
async function lockSession(tx: Tx, issuer: string, sessionId: string): Promise<void> {
  await tx`select pg_advisory_xact_lock(hashtextextended(${`session ${issuer} ${sessionId}`}, 0))`;
}

/** Known sessions of these identities, unordered. */
export async function listSessionsOf(
  tx: Tx,
  identities: readonly Identity[],
  now: Date,
): Promise<SessionOfIdentity[]> {
  return await tx<SessionOfIdentity[]>`
    select i.issuer, i.subject, s.session_id, s.is_ended, s.expires_at
    from unnest(
      ${identities.map(({ issuer }) => issuer)}::text[],
      ${identities.map(({ subject }) => subject)}::text[]
    ) as i (issuer, subject)
    cross join lateral (
      select session_id, ended_at is not null as is_ended, expires_at from provider_sessions p
      where p.issuer = i.issuer and p.subject = i.subject and p.expires_at > ${now}
      order by p.seen_at desc limit ${SESSIONS_MAX}
    ) s`;
}

/** Notes that a token of the session came here. One that has ended stays ended, also when it ended before its first token came. */
export async function noteSession(
  tx: Tx,
  row: Identity & { sessionId: string; now: Date; expiresAt: Date },
): Promise<void> {
  const { issuer, subject, sessionId, now, expiresAt } = row;
  await lockSession(tx, issuer, sessionId);
  await tx`
    insert into provider_sessions (issuer, subject, session_id, seen_at, ended_at, expires_at)
    values (${issuer}, ${subject}, ${sessionId}, ${now},
      (select ended_at from provider_sessions
        where issuer = ${issuer} and subject = '' and session_id = ${sessionId}),
      ${expiresAt})
    on conflict (issuer, subject, session_id) do update
      set seen_at = excluded.seen_at, expires_at = excluded.expires_at`;
}

/**
 * Ends a session, of one person or of anyone who had it.
 *
 * @returns The subjects whose tokens had named it.
 */
export async function endSession(
  tx: Tx,
  row: {
    issuer: string;
    subject: string | undefined;
    sessionId: string;
    now: Date;
    expiresAt: Date;
  },
): Promise<string[]> {
  const { issuer, sessionId, now, expiresAt } = row;
  const subject = row.subject ?? "";
  await lockSession(tx, issuer, sessionId);
  const ended = await tx<{ subject: string }[]>`
    update provider_sessions
    set ended_at = coalesce(ended_at, ${now}), expires_at = greatest(expires_at, ${expiresAt})
    where issuer = ${issuer} and session_id = ${sessionId} and (${subject} = '' or subject = ${subject})
    returning subject`;
  await tx`
    insert into provider_sessions (issuer, subject, session_id, seen_at, ended_at, expires_at)
    values (${issuer}, ${subject}, ${sessionId}, ${now}, ${now}, ${expiresAt})
    on conflict (issuer, subject, session_id) do nothing`;
  return ended.map((one) => one.subject).filter((one) => one !== "");
}

export async function hasSessions(
  tx: Tx,
  { issuer, subject, now }: Identity & { now: Date },
): Promise<boolean> {
  const rows = await tx`
    select 1 from provider_sessions
    where issuer = ${issuer} and subject = ${subject} and ended_at is null and expires_at > ${now}
    limit 1`;
  return rows.length > 0;
}

/** Refuses tokens of an identity issued before `from`, and nothing else of its person. */
export async function setSessionsValidFrom(
  tx: Tx,
  { issuer, subject, from }: Identity & { from: Date },
): Promise<void> {
  await tx`
    update users set sessions_valid_from = greatest(sessions_valid_from, ${from})
    where issuer = ${issuer} and subject = ${subject}`;
  await tx`
    update linked_identities set tokens_valid_from = greatest(tokens_valid_from, ${from})
    where issuer = ${issuer} and subject = ${subject}`;
}

/** The people with these subjects at an issuer, by first or connected identity. */
export async function listHoldersOf(
  tx: Tx,
  issuer: string,
  subjects: readonly string[],
): Promise<UserId[]> {
  const rows = await tx<{ user_id: UserId }[]>`
    select user_id from users where issuer = ${issuer} and subject = any(${[...subjects]}::text[])
    union
    select user_id from linked_identities
    where issuer = ${issuer} and subject = any(${[...subjects]}::text[])`;
  return rows.map((row) => row.user_id);
}

/** @returns False when the token was used before. */
export async function takeLogoutToken(
  tx: Tx,
  row: { tokenHash: Uint8Array; expiresAt: Date },
): Promise<boolean> {
  const rows = await tx`
    insert into logout_tokens (token_hash, expires_at)
    values (${Buffer.from(row.tokenHash)}, ${row.expiresAt})
    on conflict (token_hash) do nothing returning 1`;
  return rows.length === 1;
}

/** @returns How many were deleted, at most `limit`. */
export async function deleteExpiredSessions(tx: Tx, before: Date, limit: number): Promise<number> {
  const result = await tx`
    delete from provider_sessions where (issuer, subject, session_id) in (
      select issuer, subject, session_id from provider_sessions where expires_at <= ${before} limit ${limit})`;
  return result.count;
}

/** @returns How many were deleted, at most `limit`. */
export async function deleteExpiredLogoutTokens(
  tx: Tx,
  before: Date,
  limit: number,
): Promise<number> {
  const result = await tx`
    delete from logout_tokens where token_hash in (
      select token_hash from logout_tokens where expires_at <= ${before} limit ${limit})`;
  return result.count;
}
