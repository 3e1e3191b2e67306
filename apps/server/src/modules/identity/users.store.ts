import type { Tx } from "@turnpike/db/client";
import type { UserId } from "@turnpike/domain/ids/ids";

export type UserRow = {
  user_id: UserId;
  issuer: string;
  subject: string;
  email: string | null;
  name: string | null;
};

/** Inserts the user, or updates e-mail and name of the one with the same issuer and subject. */
export async function upsertUser(
  tx: Tx,
  row: UserRow & { now: Date },
): Promise<UserRow | undefined> {
  const [user] = await tx<UserRow[]>`
    insert into users (user_id, issuer, subject, email, name, created_at, updated_at)
    values (${row.user_id}, ${row.issuer}, ${row.subject}, ${row.email}, ${row.name}, ${row.now}, ${row.now})
    on conflict (issuer, subject) do update
      set email = coalesce(excluded.email, users.email),
          name = coalesce(excluded.name, users.name),
          updated_at = excluded.updated_at
    returning user_id, issuer, subject, email, name`;
  return user;
}
