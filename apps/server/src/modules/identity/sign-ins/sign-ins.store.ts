import type { Tx } from "@turnpike/db/client";

/** All functions here need the operator role. No other role can see the table. */
export type SignInRow = {
  sign_in_id: string;
  account_id: string;
  grant_id: string;
  browser: string | null;
  system: string | null;
  proven_at: Date;
  created_at: Date;
  last_used_at: Date;
  expires_at: Date;
};

const COLUMNS = [
  "sign_in_id",
  "account_id",
  "grant_id",
  "browser",
  "system",
  "proven_at",
  "created_at",
  "last_used_at",
  "expires_at",
] as const;

/** Adds a sign-in, or notes that its person typed the password anew in the same browser. */
export async function upsertSignIn(
  tx: Tx,
  row: Omit<SignInRow, "created_at" | "last_used_at"> & { now: Date },
): Promise<void> {
  await tx`
    insert into sign_ins (sign_in_id, account_id, grant_id, browser, system, proven_at, created_at, last_used_at, expires_at)
    values (${row.sign_in_id}, ${row.account_id}, ${row.grant_id}, ${row.browser}, ${row.system}, ${row.proven_at},
      ${row.now}, ${row.now}, ${row.expires_at})
    on conflict (grant_id) do update
      set browser = excluded.browser, system = excluded.system,
        proven_at = greatest(sign_ins.proven_at, excluded.proven_at)`;
}

export async function findSignInByGrant(tx: Tx, grantId: string): Promise<SignInRow | undefined> {
  const [row] = await tx<
    SignInRow[]
  >`select ${tx(COLUMNS)} from sign_ins where grant_id = ${grantId}`;
  return row;
}

/** A sign-in that has not ended, of one account. */
export async function findSignIn(
  tx: Tx,
  input: { accountId: string; signInId: string; now: Date },
): Promise<SignInRow | undefined> {
  const [row] = await tx<SignInRow[]>`
    select ${tx(COLUMNS)} from sign_ins
    where sign_in_id = ${input.signInId} and account_id = ${input.accountId} and expires_at > ${input.now}`;
  return row;
}

/** Those used last first. */
export async function listSignInRows(
  tx: Tx,
  input: { accountId: string; now: Date; limit: number },
): Promise<SignInRow[]> {
  return await tx<SignInRow[]>`
    select ${tx(COLUMNS)} from sign_ins
    where account_id = ${input.accountId} and expires_at > ${input.now}
    order by last_used_at desc, sign_in_id desc
    limit ${input.limit}`;
}

/** Notes that a sign-in got a token, which lives until `expiresAt`. */
export async function touchSignIn(
  tx: Tx,
  input: { grantId: string; now: Date; expiresAt: Date },
): Promise<void> {
  await tx`
    update sign_ins
    set last_used_at = ${input.now}, expires_at = greatest(expires_at, ${input.expiresAt})
    where grant_id = ${input.grantId}`;
}

/** Notes that the person chose a new password in this sign-in, which outlives the change. */
export async function renewProof(tx: Tx, input: { signInId: string; now: Date }): Promise<void> {
  await tx`update sign_ins set proven_at = ${input.now} where sign_in_id = ${input.signInId}`;
}

export async function deleteSignInOfGrant(tx: Tx, grantId: string): Promise<void> {
  await tx`delete from sign_ins where grant_id = ${grantId}`;
}

/** Deletes all of an account but one. */
export async function deleteSignInsOf(
  tx: Tx,
  input: { accountId: string; except: string | null },
): Promise<void> {
  await tx`
    delete from sign_ins
    where account_id = ${input.accountId} and sign_in_id is distinct from ${input.except}`;
}

/** @returns How many were deleted, at most `limit`. */
export async function deleteExpiredSignIns(tx: Tx, before: Date, limit: number): Promise<number> {
  const result = await tx`
    delete from sign_ins where sign_in_id in (
      select sign_in_id from sign_ins where expires_at <= ${before} limit ${limit})`;
  return result.count;
}
