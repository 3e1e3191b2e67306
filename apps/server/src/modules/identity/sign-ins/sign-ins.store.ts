import type { Tx } from "@turnpike/db/client";
import type { TenantId } from "@turnpike/domain/ids/ids";

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
  row: Omit<SignInRow, "created_at" | "last_used_at"> & {
    now: Date;
    /** Left out: what is known of it stays. */
    via?: { tenantId: TenantId | null; sessionId: string | null };
  },
): Promise<void> {
  const isNew = row.via !== undefined;
  const { tenantId = null, sessionId = null } = row.via ?? {};
  await tx`
    insert into sign_ins (sign_in_id, account_id, grant_id, browser, system, proven_at, created_at, last_used_at, expires_at,
      sso_tenant_id, sso_session_id)
    values (${row.sign_in_id}, ${row.account_id}, ${row.grant_id}, ${row.browser}, ${row.system}, ${row.proven_at},
      ${row.now}, ${row.now}, ${row.expires_at}, ${tenantId}, ${sessionId})
    on conflict (grant_id) do update
      set browser = excluded.browser, system = excluded.system,
        sso_tenant_id = case when ${isNew} then excluded.sso_tenant_id else sign_ins.sso_tenant_id end,
        sso_session_id = case when ${isNew} then excluded.sso_session_id else sign_ins.sso_session_id end,
        proven_at = greatest(sign_ins.proven_at, excluded.proven_at)`;
}

/**
 * Sign-ins by a tenant's single sign-on, of one session there or of one person; of a person also those whose session has no name.
 *
 * @param input.accountId - Null: of anyone who has the session.
 */
export async function listSignInsOfSso(
  tx: Tx,
  input: { tenantId: TenantId; accountId: string | null; sessionId: string | null },
): Promise<SignInRow[]> {
  const { tenantId, accountId, sessionId } = input;
  return await tx<SignInRow[]>`
    select ${tx(COLUMNS)} from sign_ins
    where sso_tenant_id = ${tenantId}
      and (${accountId}::text is null or account_id = ${accountId})
      and (${sessionId}::text is null or sso_session_id = ${sessionId}
        or (${accountId}::text is not null and sso_session_id is null))
      and (${accountId}::text is not null or ${sessionId}::text is not null)
    for update`;
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
