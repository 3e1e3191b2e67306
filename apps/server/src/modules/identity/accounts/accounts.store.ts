import type { Tx } from "@turnpike/db/client";

/** All functions here need the operator role. No other role can see the tables. */
export type AccountRow = {
  account_id: string;
  email: string;
  email_verified: boolean;
  name: string | null;
  /** Null for a person who only ever came by single sign-on. */
  password_hash: string | null;
  password_changed_at: Date;
  created_at: Date;
  /** Since when a sign-in needs a second factor; null while the password is enough. */
  second_factor_since: Date | null;
};

export type LinkPurpose = "confirm" | "reset" | "change_email" | "undo_email";

const COLUMNS = [
  "account_id",
  "email",
  "email_verified",
  "name",
  "password_hash",
  "password_changed_at",
  "created_at",
  "second_factor_since",
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
  row: Pick<AccountRow, "account_id" | "email" | "name"> & { password_hash: string; now: Date },
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

/** Makes an account without a password, for an address that was proven elsewhere. */
export async function insertProvenAccount(
  tx: Tx,
  row: Pick<AccountRow, "account_id" | "email" | "name"> & { now: Date },
): Promise<void> {
  await tx`
    insert into accounts (
      account_id, email, email_verified, name, password_changed_at, mail_window_started_at, created_at, updated_at)
    values (${row.account_id}, ${row.email}, true, ${row.name}, ${row.now}, ${row.now}, ${row.now}, ${row.now})`;
}

/** Sets the address of an account as proven elsewhere, and takes its password away where a stranger may have chosen it. */
export async function adoptEmail(
  tx: Tx,
  input: { accountId: string; email: string; dropPassword: boolean; now: Date },
): Promise<void> {
  await tx`
    update accounts
    set email = ${input.email}, email_verified = true, updated_at = ${input.now},
      password_hash = case when ${input.dropPassword} then null else password_hash end,
      password_changed_at = case when ${input.dropPassword} then ${input.now} else password_changed_at end
    where account_id = ${input.accountId}
      and (email <> ${input.email} or not email_verified)`;
}

/** Registers an unconfirmed address again. @returns False if it is already confirmed. */
export async function replaceUnconfirmed(
  tx: Tx,
  row: Pick<AccountRow, "account_id" | "name"> & { password_hash: string; now: Date },
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

/** Sets a new password in place of the one that was proven. @returns False if it has changed meanwhile. */
export async function replacePassword(
  tx: Tx,
  input: { accountId: string; before: string; after: string; now: Date },
): Promise<boolean> {
  const rows = await tx`
    update accounts
    set password_hash = ${input.after}, password_changed_at = ${input.now}, updated_at = ${input.now}
    where account_id = ${input.accountId} and password_hash = ${input.before}
    returning 1`;
  return rows.length === 1;
}

export async function setAccountName(
  tx: Tx,
  input: { accountId: string; name: string; now: Date },
): Promise<AccountRow | undefined> {
  const [row] = await tx<AccountRow[]>`
    update accounts set name = ${input.name}, updated_at = ${input.now}
    where account_id = ${input.accountId}
    returning ${tx(COLUMNS)}`;
  return row;
}

/** Sets an address that a link has proven. @returns The row as it was before, locked. */
export async function setProvenEmail(
  tx: Tx,
  input: { accountId: string; email: string; now: Date },
): Promise<{ before: AccountRow; after: AccountRow } | undefined> {
  const [before] = await tx<AccountRow[]>`
    select ${tx(COLUMNS)} from accounts where account_id = ${input.accountId} for no key update`;
  const [after] = await tx<AccountRow[]>`
    update accounts set email = ${input.email}, email_verified = true, updated_at = ${input.now}
    where account_id = ${input.accountId}
    returning ${tx(COLUMNS)}`;
  return before === undefined || after === undefined ? undefined : { before, after };
}

/** Deletes an account with its links and sign-ins. */
export async function deleteAccount(tx: Tx, accountId: string): Promise<void> {
  await tx`delete from accounts where account_id = ${accountId}`;
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

/** Adds a link. Of one purpose only the newest works, but for those that undo a change of address. */
export async function insertLink(
  tx: Tx,
  row: {
    tokenHash: Uint8Array;
    accountId: string;
    purpose: LinkPurpose;
    /** The address that it sets; null for a link that sets none. */
    email: string | null;
    now: Date;
    expiresAt: Date;
  },
): Promise<void> {
  if (row.purpose !== "undo_email") {
    await tx`delete from account_links where account_id = ${row.accountId} and purpose = ${row.purpose}`;
  }
  await tx`
    insert into account_links (token_hash, account_id, purpose, email, created_at, expires_at)
    values (${Buffer.from(row.tokenHash)}, ${row.accountId}, ${row.purpose}, ${row.email}, ${row.now}, ${row.expiresAt})`;
}

/** The address that a change waits for, if there is one. */
export async function findPendingEmail(
  tx: Tx,
  input: { accountId: string; now: Date },
): Promise<string | undefined> {
  const [row] = await tx<{ email: string }[]>`
    select email from account_links
    where account_id = ${input.accountId} and purpose = 'change_email' and expires_at > ${input.now}`;
  return row?.email;
}

/** Uses up a link that sets an address. A single statement, so that of any number of attempts one succeeds. */
export async function consumeEmailLink(
  tx: Tx,
  link: LinkKey,
): Promise<{ account_id: string; email: string; created_at: Date } | undefined> {
  const [row] = await tx<{ account_id: string; email: string; created_at: Date }[]>`
    delete from account_links
    where token_hash = ${Buffer.from(link.tokenHash)} and purpose = ${link.purpose} and expires_at > ${link.now}
    returning account_id, email, created_at`;
  return row;
}

/** Ends the links that undo a change made after `since`: the person who made it may have them. */
export async function deleteUndoLinksAfter(
  tx: Tx,
  input: { accountId: string; since: Date },
): Promise<void> {
  await tx`
    delete from account_links
    where account_id = ${input.accountId} and purpose = 'undo_email' and created_at > ${input.since}`;
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

/** But for those that undo a change of address: they outlive a password that someone else chose. */
export async function deleteLinksOf(tx: Tx, accountId: string): Promise<void> {
  await tx`delete from account_links where account_id = ${accountId} and purpose <> 'undo_email'`;
}

/** @returns How many were deleted, at most `limit`. */
export async function deleteExpiredLinks(tx: Tx, before: Date, limit: number): Promise<number> {
  const result = await tx`
    delete from account_links where token_hash in (
      select token_hash from account_links where expires_at <= ${before} limit ${limit})`;
  return result.count;
}
