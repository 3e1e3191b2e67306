import type { Tx } from "@turnpike/db/client";

/** All functions here need the operator role. No other role can see the tables. */
export type AccountRow = {
  account_id: string;
  email: string;
  email_verified: boolean;
  name: string | null;
  password_hash: string;
  password_changed_at: Date;
};

export type LinkPurpose = "confirm" | "reset";

const COLUMNS = [
  "account_id",
  "email",
  "email_verified",
  "name",
  "password_hash",
  "password_changed_at",
] as const;

export async function findAccountByEmail(tx: Tx, email: string): Promise<AccountRow | undefined> {
  const [row] = await tx<AccountRow[]>`select ${tx(COLUMNS)} from accounts where email = ${email}`;
  return row;
}

export async function findAccountById(tx: Tx, accountId: string): Promise<AccountRow | undefined> {
  const [row] = await tx<
    AccountRow[]
  >`select ${tx(COLUMNS)} from accounts where account_id = ${accountId}`;
  return row;
}

/** @returns False if the address is taken. */
export async function insertAccount(
  tx: Tx,
  row: Pick<AccountRow, "account_id" | "email" | "name" | "password_hash"> & { now: Date },
): Promise<boolean> {
  const rows = await tx`
    insert into accounts (
      account_id, email, name, password_hash, password_changed_at, mail_window_started_at, created_at, updated_at)
    values (
      ${row.account_id}, ${row.email}, ${row.name}, ${row.password_hash}, ${row.now}, ${row.now}, ${row.now}, ${row.now})
    on conflict (email) do nothing
    returning 1`;
  return rows.length === 1;
}

/** Registers an unconfirmed address again. @returns False if it is already confirmed. */
export async function replaceUnconfirmed(
  tx: Tx,
  row: Pick<AccountRow, "account_id" | "name" | "password_hash"> & { now: Date },
): Promise<boolean> {
  const rows = await tx`
    update accounts
    set name = ${row.name}, password_hash = ${row.password_hash}, password_changed_at = ${row.now}, updated_at = ${row.now}
    where account_id = ${row.account_id} and not email_verified
    returning 1`;
  return rows.length === 1;
}

/** Sets a new password, chosen through a link that proves the address. */
export async function setPassword(
  tx: Tx,
  input: { accountId: string; passwordHash: string; now: Date },
): Promise<AccountRow | undefined> {
  const [row] = await tx<AccountRow[]>`
    update accounts
    set password_hash = ${input.passwordHash}, password_changed_at = ${input.now}, email_verified = true,
      updated_at = ${input.now}
    where account_id = ${input.accountId}
    returning ${tx(COLUMNS)}`;
  return row;
}

/** Stores a new hash of the same password at the current cost, unless the password has changed meanwhile. */
export async function replaceHash(
  tx: Tx,
  input: { accountId: string; before: string; after: string },
): Promise<void> {
  await tx`
    update accounts set password_hash = ${input.after}
    where account_id = ${input.accountId} and password_hash = ${input.before}`;
}

export async function markEmailVerified(
  tx: Tx,
  input: { accountId: string; now: Date },
): Promise<void> {
  await tx`
    update accounts set email_verified = true, updated_at = ${input.now} where account_id = ${input.accountId}`;
}

/**
 * Counts a mail to the account's address.
 *
 * @returns False if `countMax` mails were already sent within the window. Then no more may be sent.
 */
export async function takeMail(
  tx: Tx,
  input: { accountId: string; countMax: number; windowStartedAfter: Date; now: Date },
): Promise<boolean> {
  const rows = await tx`
    update accounts
    set mail_count = case when mail_window_started_at <= ${input.windowStartedAfter} then 1 else mail_count + 1 end,
      mail_window_started_at = case
        when mail_window_started_at <= ${input.windowStartedAfter} then ${input.now} else mail_window_started_at end
    where account_id = ${input.accountId}
      and (mail_window_started_at <= ${input.windowStartedAfter} or mail_count < ${input.countMax})
    returning 1`;
  return rows.length === 1;
}

/** Makes `tokenHash` the only valid link of its purpose. */
export async function replaceLink(
  tx: Tx,
  row: {
    tokenHash: Uint8Array;
    accountId: string;
    purpose: LinkPurpose;
    now: Date;
    expiresAt: Date;
  },
): Promise<void> {
  await tx`delete from account_links where account_id = ${row.accountId} and purpose = ${row.purpose}`;
  await tx`
    insert into account_links (token_hash, account_id, purpose, created_at, expires_at)
    values (${Buffer.from(row.tokenHash)}, ${row.accountId}, ${row.purpose}, ${row.now}, ${row.expiresAt})`;
}

type LinkKey = { tokenHash: Uint8Array; purpose: LinkPurpose; now: Date };

/** Finds the account of a link, without using it up. */
export async function findLinkAccount(tx: Tx, link: LinkKey): Promise<AccountRow | undefined> {
  const [row] = await tx<AccountRow[]>`
    select ${tx(COLUMNS)} from accounts
    where account_id = (
      select account_id from account_links
      where token_hash = ${Buffer.from(link.tokenHash)} and purpose = ${link.purpose} and expires_at > ${link.now})`;
  return row;
}

/** Uses a link up. A single statement, so that of any number of attempts one succeeds. */
export async function consumeLink(tx: Tx, link: LinkKey): Promise<string | undefined> {
  const [row] = await tx<{ account_id: string }[]>`
    delete from account_links
    where token_hash = ${Buffer.from(link.tokenHash)} and purpose = ${link.purpose} and expires_at > ${link.now}
    returning account_id`;
  return row?.account_id;
}

export async function deleteLinksOf(tx: Tx, accountId: string): Promise<void> {
  await tx`delete from account_links where account_id = ${accountId}`;
}

/** @returns How many were deleted, at most `limit`. */
export async function deleteExpiredLinks(tx: Tx, before: Date, limit: number): Promise<number> {
  const result = await tx`
    delete from account_links where token_hash in (
      select token_hash from account_links where expires_at <= ${before} limit ${limit})`;
  return result.count;
}
