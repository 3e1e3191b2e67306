import type { Tx } from "@turnpike/db/client";
import type { UserId } from "@turnpike/domain/ids/ids";
import type { Language } from "@turnpike/domain/text/languages";

export type UserRow = {
  user_id: UserId;
  issuer: string;
  subject: string;
  email: string | null;
  email_verified: boolean;
  name: string | null;
  is_operator: boolean;
  tokens_valid_from: Date | null;
  /** Likewise, for ID tokens of the first identity alone. */
  sessions_valid_from: Date | null;
  claims_issued_at: Date | null;
  created_at: Date;
  /** Null until the person chose one, or signed in where a browser names it. */
  language: Language | null;
};

export const USER_COLUMNS = [
  "user_id",
  "issuer",
  "subject",
  "email",
  "email_verified",
  "name",
  "is_operator",
  "tokens_valid_from",
  "sessions_valid_from",
  "claims_issued_at",
  "created_at",
  "language",
] as const;

/** @returns The row; `undefined` if the issuer and subject already have a user, as their first identity or connected. */
export async function insertUser(
  tx: Tx,
  row: Pick<UserRow, "user_id" | "issuer" | "subject" | "email" | "name"> & { now: Date },
): Promise<UserRow | undefined> {
  const [user] = await tx<UserRow[]>`
    insert into users (user_id, issuer, subject, email, name, created_at, updated_at)
    select ${row.user_id}, ${row.issuer}, ${row.subject}, ${row.email}, ${row.name}, ${row.now}, ${row.now}
    where not exists (
      select from linked_identities where issuer = ${row.issuer} and subject = ${row.subject})
    on conflict (issuer, subject) do nothing
    returning ${tx(USER_COLUMNS)}`;
  return user;
}

/** Finds the user of an identity, the first or a connected one, and locks it until the end of the transaction. */
export async function lockUserRowBySubject(
  tx: Tx,
  identity: Pick<UserRow, "issuer" | "subject">,
): Promise<UserRow | undefined> {
  const [user] = await tx<UserRow[]>`
    select ${tx(USER_COLUMNS)} from users
    where (issuer = ${identity.issuer} and subject = ${identity.subject})
      or user_id = (
        select user_id from linked_identities
        where issuer = ${identity.issuer} and subject = ${identity.subject})
    for no key update`;
  return user;
}

/** Updates e-mail and name; null keeps the present value. */
export async function updateUserProfile(
  tx: Tx,
  row: Pick<UserRow, "user_id" | "email" | "name"> & { now: Date },
): Promise<UserRow | undefined> {
  const [user] = await tx<UserRow[]>`
    update users
    set email = coalesce(${row.email}, email),
        -- A new address is not verified.
        email_verified = email_verified and (${row.email}::text is null or ${row.email} = email),
        name = coalesce(${row.name}, name),
        updated_at = ${row.now}
    where user_id = ${row.user_id}
    returning ${tx(USER_COLUMNS)}`;
  return user;
}

/**
 * Stores what the built-in provider knows newly about a person, without waiting for their next token. Older tokens do not bring the
 * former values back.
 *
 * @returns The user; `undefined` if there is none yet.
 */
export async function updateUserFacts(
  tx: Tx,
  row: Pick<UserRow, "issuer" | "subject" | "email" | "email_verified" | "name"> & { now: Date },
): Promise<UserId | undefined> {
  const [user] = await tx<{ user_id: UserId }[]>`
    update users
    set email = ${row.email}, email_verified = ${row.email_verified}, name = ${row.name},
      claims_issued_at = greatest(claims_issued_at, ${row.now}), updated_at = ${row.now}
    where issuer = ${row.issuer} and subject = ${row.subject}
    returning user_id`;
  return user?.user_id;
}

/**
 * Takes name, address and rights from a user whose account is deleted.
 *
 * @param input.tokensValidFrom - Tokens from before are refused.
 */
export async function forgetUser(
  tx: Tx,
  input: { userId: UserId; now: Date; tokensValidFrom: Date },
): Promise<void> {
  await tx`
    update users
    set email = null, email_verified = false, name = null, language = null, is_operator = false,
      tokens_valid_from = greatest(tokens_valid_from, ${input.tokensValidFrom}),
      claims_issued_at = ${input.now}, deleted_at = ${input.now}, updated_at = ${input.now}
    where user_id = ${input.userId}`;
}

/** Takes the provider's name from people deleted before. From then on a token makes a new user. @returns How many. */
export async function dropDeletedSubjects(tx: Tx, before: Date, limit: number): Promise<number> {
  const result = await tx`
    update users set issuer = 'deleted', subject = user_id
    where user_id in (
      select user_id from users
      where deleted_at <= ${before} and deleted_at is not null and issuer <> 'deleted' limit ${limit})`;
  return result.count;
}

/**
 * Inserts the user of a token, or updates it from the token's claims. A token issued before the last used one changes nothing.
 *
 * @returns The row if anything changed.
 */
export async function upsertUserByClaims(
  tx: Tx,
  row: Pick<UserRow, "user_id" | "issuer" | "subject" | "email" | "email_verified" | "name"> & {
    claims_issued_at: Date;
    /** A token that says nothing new is stored when it is newer by this much. */
    storedEverySeconds: number;
    now: Date;
  },
): Promise<UserRow | undefined> {
  const [user] = await tx<UserRow[]>`
    insert into users (user_id, issuer, subject, email, email_verified, name, claims_issued_at, created_at, updated_at)
    values (${row.user_id}, ${row.issuer}, ${row.subject}, ${row.email}, ${row.email_verified}, ${row.name},
      ${row.claims_issued_at}, ${row.now}, ${row.now})
    on conflict (issuer, subject) do update
      set email = excluded.email, email_verified = excluded.email_verified, name = excluded.name,
          claims_issued_at = excluded.claims_issued_at, updated_at = excluded.updated_at,
          -- A person of another provider may come back.
          deleted_at = null
      where (users.claims_issued_at is null or users.claims_issued_at <= excluded.claims_issued_at)
        and ((users.email, users.email_verified, users.name)
            is distinct from (excluded.email, excluded.email_verified, excluded.name)
          -- How fresh it is says that the person is still their provider's.
          or users.claims_issued_at is null
          or users.claims_issued_at <= excluded.claims_issued_at - make_interval(secs => ${row.storedEverySeconds}))
    returning ${tx(USER_COLUMNS)}`;
  return user;
}

export async function findUserRow(tx: Tx, userId: UserId): Promise<UserRow | undefined> {
  const [user] = await tx<UserRow[]>`
    select ${tx(USER_COLUMNS)} from users where user_id = ${userId}`;
  return user;
}

/** The people whose first identities these are, unordered. */
export async function listUserRowsBySubject(
  tx: Tx,
  identities: readonly { issuer: string; subject: string }[],
): Promise<UserRow[]> {
  return await tx<UserRow[]>`
    select ${tx(USER_COLUMNS)} from users
    where (issuer, subject) in (
      select * from unnest(
        ${identities.map(({ issuer }) => issuer)}::text[],
        ${identities.map(({ subject }) => subject)}::text[]
      )
    )`;
}

/** Everyone with this e-mail address. It identifies no one: several issuers may vouch for it, or none. */
export async function listUserRowsByEmail(
  tx: Tx,
  email: string,
  limit: number,
): Promise<UserRow[]> {
  return await tx<UserRow[]>`
    select ${tx(USER_COLUMNS)} from users where lower(email) = ${email.toLowerCase()}
    order by user_id
    limit ${limit}`;
}

/** The operators in the table, oldest first. */
export async function listOperatorRows(tx: Tx, limit: number): Promise<UserRow[]> {
  return await tx<UserRow[]>`
    select ${tx(USER_COLUMNS)} from users where is_operator order by user_id limit ${limit}`;
}

/** The verified addresses of the operators in the table, oldest first. */
export async function listOperatorEmails(tx: Tx, limit: number): Promise<string[]> {
  const rows = await tx<{ email: string }[]>`
    select email from users
    where is_operator and email_verified and email is not null
    order by user_id limit ${limit}`;
  return rows.map((row) => row.email);
}

/** People whose provider has verified one of these lower-case addresses, oldest first. */
export async function listVerifiedUserRows(
  tx: Tx,
  emails: readonly string[],
  limit: number,
): Promise<UserRow[]> {
  return await tx<UserRow[]>`
    select ${tx(USER_COLUMNS)} from users
    where email_verified and lower(email) = any(${[...emails]}::text[])
    order by user_id
    limit ${limit}`;
}

/** @returns The row, changed or not; `undefined` if there is no such user. */
export async function setOperator(
  tx: Tx,
  input: { userId: UserId; isOperator: boolean; now: Date },
): Promise<UserRow | undefined> {
  const [user] = await tx<UserRow[]>`
    update users set is_operator = ${input.isOperator}, updated_at = ${input.now}
    where user_id = ${input.userId}
    returning ${tx(USER_COLUMNS)}`;
  return user;
}

/** Refuses tokens issued before `from`; a later time that is already set stays. Creates the user if missing. */
export async function setTokensValidFrom(
  tx: Tx,
  input: { user_id: UserId; issuer: string; subject: string; from: Date },
): Promise<UserId> {
  const [user] = await tx<{ user_id: UserId }[]>`
    insert into users (user_id, issuer, subject, tokens_valid_from, created_at, updated_at)
    values (${input.user_id}, ${input.issuer}, ${input.subject}, ${input.from}, ${input.from}, ${input.from})
    on conflict (issuer, subject) do update
      set tokens_valid_from = greatest(users.tokens_valid_from, excluded.tokens_valid_from),
          updated_at = excluded.updated_at
    returning user_id`;
  if (user === undefined) {
    throw new Error("The upsert of a user returned no row.");
  }
  return user.user_id;
}

/** Null for a person without an address; `undefined` if there is no such user. */
export async function findUserEmail(tx: Tx, userId: UserId): Promise<string | null | undefined> {
  const [user] = await tx<{ email: string | null }[]>`
    select email from users where user_id = ${userId}`;
  return user?.email;
}

/** The language that a person chose; undefined for none, and when there is no such user. Needs the operator role. */
export async function findUserLanguage(
  tx: Tx,
  who: { userId: UserId } | { issuer: string; subject: string },
): Promise<Language | undefined> {
  const [user] = await tx<{ language: Language | null }[]>`
    select language from users
    where ${"userId" in who ? tx`user_id = ${who.userId}` : tx`issuer = ${who.issuer} and subject = ${who.subject}`}`;
  return user?.language ?? undefined;
}

/** @param input.isChosen - False for a first guess, which changes no choice. @returns True if it changed. */
export async function setUserLanguage(
  tx: Tx,
  input: { userId: UserId; language: Language; isChosen: boolean; now: Date },
): Promise<boolean> {
  const { userId, language, isChosen, now } = input;
  const rows = await tx`
    update users set language = ${language}, updated_at = ${now}
    where user_id = ${userId} and language is distinct from ${language} and (${isChosen} or language is null)
    returning 1`;
  return rows.length > 0;
}

/** Users of an issuer whose subject begins with `prefix`, but for operators. */
export async function listUserIdsOfIssuer(
  tx: Tx,
  { issuer, prefix }: { issuer: string; prefix: string },
): Promise<UserId[]> {
  const rows = await tx<{ user_id: UserId }[]>`
    select user_id from users
    where issuer = ${issuer} and starts_with(subject, ${prefix}) and not is_operator`;
  return rows.map((row) => row.user_id);
}

/** @throws The database's error of a foreign key while the user is a member of a tenant. */
export async function deleteUserRow(tx: Tx, userId: UserId): Promise<void> {
  await tx`delete from users where user_id = ${userId}`;
}
