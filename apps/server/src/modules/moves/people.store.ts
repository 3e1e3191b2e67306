import type { Tx } from "@turnpike/db/client";
import type { TenantId } from "@turnpike/domain/ids/ids";
import type { TableShape } from "./schema.store.ts";

/** Everything here needs the operator role. */

/** A person as sign-ins know them. `userId` is the cell's own name. */
export type Person = {
  userId: string;
  issuer: string;
  subject: string;
  email: string | null;
  isDeleted: boolean;
};

/** An account of the built-in sign-in. */
export type Account = { accountId: string; email: string; isConfirmed: boolean };

/** People whom rows of a tenant name by a reference; `areParked` says where its rows are. */
export async function listPeople(
  tx: Tx,
  tenantId: TenantId,
  { areParked }: { areParked: boolean },
): Promise<Person[]> {
  const named = areParked
    ? tx`
      select (content::members).user_id from parked_rows where tenant_id = ${tenantId} and table_name = 'members'
      union select (content::invitations).accepted_by from parked_rows
        where tenant_id = ${tenantId} and table_name = 'invitations'
      union select (content::scim_users).user_id from parked_rows
        where tenant_id = ${tenantId} and table_name = 'scim_users'`
    : tx`
      select user_id from members where tenant_id = ${tenantId}
      union select accepted_by from invitations where tenant_id = ${tenantId}
      union select user_id from scim_users where tenant_id = ${tenantId}`;
  return await tx<Person[]>`
    select user_id as "userId", issuer, subject, email, deleted_at is not null as "isDeleted"
    from users where user_id in (${named}) order by user_id`;
}

/** Accounts that a tenant's single sign-on names. */
export async function listSsoAccounts(
  tx: Tx,
  tenantId: TenantId,
  { areParked }: { areParked: boolean },
): Promise<string[]> {
  const rows = areParked
    ? await tx<{ account_id: string }[]>`
        select (content::sso_identities).account_id from parked_rows
        where tenant_id = ${tenantId} and table_name = 'sso_identities'`
    : await tx<{ account_id: string }[]>`
        select account_id from sso_identities where tenant_id = ${tenantId}`;
  return rows.map((row) => row.account_id);
}

/** Accounts with one of the ids or one of the addresses. */
export async function listAccounts(
  tx: Tx,
  wanted: { accountIds: readonly string[]; emails: readonly string[] },
): Promise<Account[]> {
  return await tx<Account[]>`
    select account_id as "accountId", email, email_verified as "isConfirmed" from accounts
    where account_id = any(${[...wanted.accountIds]}::text[]) or email = any(${[...wanted.emails]}::text[])
    order by account_id`;
}

/** People who are known by one of these identities, also by one that they connected; or by one of these ids. */
export async function listKnownPeople(
  tx: Tx,
  wanted: readonly Pick<Person, "userId" | "issuer" | "subject">[],
): Promise<Person[]> {
  return await tx<Person[]>`
    with wanted as (
      select * from unnest(${wanted.map((one) => one.userId)}::text[], ${wanted.map((one) => one.issuer)}::text[],
        ${wanted.map((one) => one.subject)}::text[]) as w (user_id, issuer, subject)
    )
    select u.user_id as "userId", w.issuer, w.subject, u.email, u.deleted_at is not null as "isDeleted"
    from wanted w join users u using (issuer, subject)
    union all
    select u.user_id, w.issuer, w.subject, u.email, u.deleted_at is not null
    from wanted w join linked_identities l using (issuer, subject) join users u on u.user_id = l.user_id
    union all
    select u.user_id, u.issuer, u.subject, u.email, u.deleted_at is not null
    from wanted w join users u on u.user_id = w.user_id`;
}

/** Rows of a table about people, as PostgreSQL writes them. */
export async function readPeopleRows(
  tx: Tx,
  table: PeopleTable,
  ids: readonly string[],
): Promise<string[]> {
  const rows = await tx<{ content: string }[]>`
    select t::text as content from ${tx(table)} t where ${tx(PEOPLE_TABLES[table])} = any(${[...ids]}::text[])`;
  return rows.map((row) => row.content);
}

/** What is kept of people, and the column that names whom it is about. Each comes after those that it refers to. */
export const PEOPLE_TABLES = {
  users: "user_id",
  linked_identities: "user_id",
  accounts: "account_id",
  account_totps: "account_id",
  account_passkeys: "account_id",
  account_recovery_codes: "account_id",
} as const;

export type PeopleTable = keyof typeof PEOPLE_TABLES;

/** Adds people who are not there. No one becomes an operator by it. `subjects` are those that accounts have here. */
export async function insertPeopleRows(
  tx: Tx,
  table: PeopleTable,
  input: {
    shape: TableShape;
    contents: readonly string[];
    subjects: Readonly<Record<string, string>>;
  },
): Promise<void> {
  const { columns } = input.shape;
  const name = (column: string) => tx(column);
  const taken = columns.map((column) => {
    if (table === "users" && column === "is_operator") {
      return tx`false`;
    }
    return table === "users" && column === "subject"
      ? tx`coalesce(${tx.json(input.subjects)}::jsonb ->> (r).subject, (r).subject)`
      : tx`(r).${name(column)}`;
  });
  const list = taken.reduce((all, one) => tx`${all}, ${one}`);
  await tx`
    insert into ${tx(table)} (${tx(columns)})
    select ${list} from (
      select content::${tx(table)} as r from unnest(${[...input.contents]}::text[]) as content offset 0
    ) given
    on conflict do nothing`;
}
