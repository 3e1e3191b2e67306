import type { Tx } from "@turnpike/db/client";

/** What is begun and not finished: set-ups, challenges, sign-ins that wait. All functions here need the operator role. */
export type EnrolmentRow = {
  account_id: string;
  kind: "totp" | "passkey";
  secret_jwe: string | null;
  challenge: string | null;
  /** In hex; empty when the account has codes already. */
  recovery_hashes: string[];
};

/** Replaces a set-up of the account that was begun before. */
export async function putEnrolment(tx: Tx, row: EnrolmentRow & { expiresAt: Date }): Promise<void> {
  await tx`
    insert into factor_enrolments (account_id, kind, secret_jwe, challenge, recovery_hashes, expires_at)
    values (
      ${row.account_id}, ${row.kind}, ${row.secret_jwe}, ${row.challenge}, ${row.recovery_hashes}, ${row.expiresAt})
    on conflict (account_id) do update
      set kind = excluded.kind, secret_jwe = excluded.secret_jwe, challenge = excluded.challenge,
        recovery_hashes = excluded.recovery_hashes, expires_at = excluded.expires_at`;
}

type EnrolmentKey = { accountId: string; kind: EnrolmentRow["kind"]; now: Date };

export async function findEnrolment(tx: Tx, key: EnrolmentKey): Promise<EnrolmentRow | undefined> {
  const [row] = await tx<EnrolmentRow[]>`
    select account_id, kind, secret_jwe, challenge, recovery_hashes from factor_enrolments
    where account_id = ${key.accountId} and kind = ${key.kind} and expires_at > ${key.now}`;
  return row;
}

/** Uses a set-up up: of two confirmations, one finds it. */
export async function takeEnrolment(tx: Tx, key: EnrolmentKey): Promise<EnrolmentRow | undefined> {
  const [row] = await tx<EnrolmentRow[]>`
    delete from factor_enrolments
    where account_id = ${key.accountId} and kind = ${key.kind} and expires_at > ${key.now}
    returning account_id, kind, secret_jwe, challenge, recovery_hashes`;
  return row;
}

/** Makes it the only challenge of its owner. */
export async function putChallenge(
  tx: Tx,
  row: { ownerHash: Uint8Array; challenge: string; expiresAt: Date },
): Promise<void> {
  await tx`
    insert into passkey_challenges (owner_hash, challenge, expires_at)
    values (${Buffer.from(row.ownerHash)}, ${row.challenge}, ${row.expiresAt})
    on conflict (owner_hash) do update set challenge = excluded.challenge, expires_at = excluded.expires_at`;
}

/** Uses a challenge up, whether the answer to it is right or wrong. */
export async function takeChallenge(
  tx: Tx,
  input: { ownerHash: Uint8Array; now: Date },
): Promise<string | undefined> {
  const [row] = await tx<{ challenge: string; expires_at: Date }[]>`
    delete from passkey_challenges where owner_hash = ${Buffer.from(input.ownerHash)}
    returning challenge, expires_at`;
  return row !== undefined && row.expires_at > input.now ? row.challenge : undefined;
}

export type PendingSignIn = { account_id: string; started_at: Date };

export async function putPendingSignIn(
  tx: Tx,
  row: { interactionHash: Uint8Array; accountId: string; startedAt: Date; expiresAt: Date },
): Promise<void> {
  await tx`
    insert into pending_sign_ins (interaction_hash, account_id, started_at, expires_at)
    values (${Buffer.from(row.interactionHash)}, ${row.accountId}, ${row.startedAt}, ${row.expiresAt})
    on conflict (interaction_hash) do update
      set account_id = excluded.account_id, started_at = excluded.started_at, expires_at = excluded.expires_at`;
}

type PendingKey = { interactionHash: Uint8Array; now: Date };

/** One whose password was changed since is none. */
export async function findPendingSignIn(
  tx: Tx,
  key: PendingKey,
): Promise<PendingSignIn | undefined> {
  const [row] = await tx<PendingSignIn[]>`
    select account_id, p.started_at from pending_sign_ins p join accounts a using (account_id)
    where interaction_hash = ${Buffer.from(key.interactionHash)} and expires_at > ${key.now}
      and p.started_at >= a.password_changed_at`;
  return row;
}

/** @returns False if it is gone: another request has finished the sign-in. */
export async function deletePendingSignIn(tx: Tx, interactionHash: Uint8Array): Promise<boolean> {
  const rows = await tx`
    delete from pending_sign_ins where interaction_hash = ${Buffer.from(interactionHash)} returning 1`;
  return rows.length === 1;
}

/** @returns How many were deleted, at most `limit` of each kind. */
export async function deleteExpiredFactorSteps(
  tx: Tx,
  before: Date,
  limit: number,
): Promise<number> {
  const enrolments = await tx`
    delete from factor_enrolments where account_id in (
      select account_id from factor_enrolments where expires_at <= ${before} limit ${limit})`;
  const challenges = await tx`
    delete from passkey_challenges where owner_hash in (
      select owner_hash from passkey_challenges where expires_at <= ${before} limit ${limit})`;
  const pending = await tx`
    delete from pending_sign_ins where interaction_hash in (
      select interaction_hash from pending_sign_ins where expires_at <= ${before} limit ${limit})`;
  return Math.max(enrolments.count, challenges.count, pending.count);
}
