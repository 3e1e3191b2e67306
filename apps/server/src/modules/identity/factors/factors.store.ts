import type { Tx } from "@turnpike/db/client";

/** All functions here need the operator role. No other role can see the tables. */
export type TotpRow = { secret_jwe: string; created_at: Date; last_used_at: Date | null };

export type PasskeyRow = {
  passkey_id: string;
  account_id: string;
  /** base64url. */
  credential_id: string;
  /** COSE. */
  public_key: Uint8Array<ArrayBuffer>;
  counter: number;
  transports: string[];
  name: string;
  created_at: Date;
  last_used_at: Date | null;
};

type StoredPasskey = Omit<PasskeyRow, "public_key" | "counter"> & {
  public_key: Uint8Array;
  counter: bigint | number | string;
};

const PASSKEY_COLUMNS = [
  "passkey_id",
  "account_id",
  "credential_id",
  "public_key",
  "counter",
  "transports",
  "name",
  "created_at",
  "last_used_at",
] as const;

/** An authenticator counts in 32 bits. */
function toPasskey(row: StoredPasskey): PasskeyRow {
  return { ...row, public_key: new Uint8Array(row.public_key), counter: Number(row.counter) };
}

/** Locks the account, so that of two changes of its factors one follows the other. */
export async function lockAccount(tx: Tx, accountId: string): Promise<void> {
  await tx`select from accounts where account_id = ${accountId} for update`;
}

/** @param input.since - Null when the password is enough again. */
export async function setSecondFactorSince(
  tx: Tx,
  input: { accountId: string; since: Date | null; now: Date },
): Promise<void> {
  await tx`
    update accounts set second_factor_since = ${input.since}, updated_at = ${input.now}
    where account_id = ${input.accountId}`;
}

/**
 * Of these accounts, those that have a second factor, or no password that would need one: then the provider of their organization
 * signs them in, and asks for what it wants.
 */
export async function listAccountsWithFactors(
  tx: Tx,
  accountIds: readonly string[],
): Promise<Set<string>> {
  const rows = await tx<{ account_id: string }[]>`
    select account_id from accounts
    where account_id = any(${[...accountIds]}) and (second_factor_since is not null or password_hash is null)`;
  return new Set(rows.map((row) => row.account_id));
}

export async function findTotp(tx: Tx, accountId: string): Promise<TotpRow | undefined> {
  const [row] = await tx<TotpRow[]>`
    select secret_jwe, created_at, last_used_at from account_totps where account_id = ${accountId}`;
  return row;
}

/** Replaces an earlier app. */
export async function putTotp(
  tx: Tx,
  row: { accountId: string; secretJwe: string; lastStep: number; now: Date },
): Promise<void> {
  await tx`
    insert into account_totps (account_id, secret_jwe, last_step, created_at)
    values (${row.accountId}, ${row.secretJwe}, ${row.lastStep}, ${row.now})
    on conflict (account_id) do update
      set secret_jwe = excluded.secret_jwe, last_step = excluded.last_step, created_at = excluded.created_at,
        last_used_at = null`;
}

/**
 * Marks the code of a step as used. A single statement, so that of any number of uses one succeeds.
 *
 * @returns False if this or a later code was used already.
 */
export async function takeStep(
  tx: Tx,
  input: { accountId: string; step: number; now: Date },
): Promise<boolean> {
  const rows = await tx`
    update account_totps set last_step = ${input.step}, last_used_at = ${input.now}
    where account_id = ${input.accountId} and last_step < ${input.step}
    returning 1`;
  return rows.length === 1;
}

/** @returns False if there was none. */
export async function deleteTotp(tx: Tx, accountId: string): Promise<boolean> {
  const rows = await tx`delete from account_totps where account_id = ${accountId} returning 1`;
  return rows.length === 1;
}

/** Oldest first. */
export async function listPasskeys(tx: Tx, accountId: string): Promise<PasskeyRow[]> {
  const rows = await tx<StoredPasskey[]>`
    select ${tx(PASSKEY_COLUMNS)} from account_passkeys
    where account_id = ${accountId} order by passkey_id`;
  return rows.map(toPasskey);
}

export async function findPasskey(tx: Tx, credentialId: string): Promise<PasskeyRow | undefined> {
  const [row] = await tx<StoredPasskey[]>`
    select ${tx(PASSKEY_COLUMNS)} from account_passkeys where credential_id = ${credentialId}`;
  return row && toPasskey(row);
}

/** @returns False if the authenticator's credential is here already. */
export async function insertPasskey(
  tx: Tx,
  row: Omit<PasskeyRow, "created_at" | "last_used_at"> & { now: Date },
): Promise<boolean> {
  const rows = await tx`
    insert into account_passkeys (
      passkey_id, account_id, credential_id, public_key, counter, transports, name, created_at)
    values (
      ${row.passkey_id}, ${row.account_id}, ${row.credential_id}, ${Buffer.from(row.public_key)}, ${row.counter},
      ${row.transports}, ${row.name}, ${row.now})
    on conflict (credential_id) do nothing
    returning 1`;
  return rows.length === 1;
}

/**
 * Marks a passkey as used. A single statement, so that of two uses with the same count one succeeds.
 *
 * @param input.counter - As the authenticator counts its signatures; 0 where it does not count.
 * @returns False if the count did not grow: then the passkey may have been copied.
 */
export async function takeCount(
  tx: Tx,
  input: { passkeyId: string; counter: number; now: Date },
): Promise<boolean> {
  const rows = await tx`
    update account_passkeys set counter = ${input.counter}, last_used_at = ${input.now}
    where passkey_id = ${input.passkeyId}
      and (counter < ${input.counter} or (counter = 0 and ${input.counter} = 0))
    returning 1`;
  return rows.length === 1;
}

/** @returns Its name; `undefined` if the account has no such passkey. */
export async function deletePasskey(
  tx: Tx,
  input: { accountId: string; passkeyId: string },
): Promise<string | undefined> {
  const [row] = await tx<{ name: string }[]>`
    delete from account_passkeys
    where account_id = ${input.accountId} and passkey_id = ${input.passkeyId}
    returning name`;
  return row?.name;
}

/** @param input.hashes - In hex. The codes before them no longer work. */
export async function replaceRecoveryCodes(
  tx: Tx,
  input: { accountId: string; hashes: readonly string[]; now: Date },
): Promise<void> {
  await tx`delete from account_recovery_codes where account_id = ${input.accountId}`;
  await tx`
    insert into account_recovery_codes (account_id, code_hash, created_at)
    select ${input.accountId}, decode(hash, 'hex'), ${input.now} from unnest(${[...input.hashes]}::text[]) as input (hash)`;
}

/** Uses a code up. A single statement, so that of any number of uses one succeeds. */
export async function takeRecoveryCode(
  tx: Tx,
  input: { accountId: string; hash: string },
): Promise<boolean> {
  const rows = await tx`
    delete from account_recovery_codes
    where account_id = ${input.accountId} and code_hash = decode(${input.hash}, 'hex')
    returning 1`;
  return rows.length === 1;
}

export async function countRecoveryCodes(tx: Tx, accountId: string): Promise<number> {
  const [row] = await tx<{ count: number }[]>`
    select count(*)::int as count from account_recovery_codes where account_id = ${accountId}`;
  return row?.count ?? 0;
}

/** Takes every second factor away; the password is enough again. @returns False if there was none. */
export async function clearFactors(
  tx: Tx,
  input: { accountId: string; now: Date },
): Promise<boolean> {
  const hadSome = await deleteFactors(tx, input.accountId);
  if (hadSome) {
    await setSecondFactorSince(tx, { ...input, since: null });
  }
  return hadSome;
}

/** @returns False if there was nothing. */
async function deleteFactors(tx: Tx, accountId: string): Promise<boolean> {
  const totps = await tx`delete from account_totps where account_id = ${accountId}`;
  const passkeys = await tx`delete from account_passkeys where account_id = ${accountId}`;
  const codes = await tx`delete from account_recovery_codes where account_id = ${accountId}`;
  await tx`delete from factor_enrolments where account_id = ${accountId}`;
  await tx`delete from pending_sign_ins where account_id = ${accountId}`;
  return totps.count + passkeys.count + codes.count > 0;
}
