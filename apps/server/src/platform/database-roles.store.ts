import type { Sql } from "@turnpike/db/client";

/** The roles without login that keep tenants apart. Made by the first migration, for the whole server. */
export const ROLES = ["turnpike_tenant", "turnpike_meter", "turnpike_operator"];

/**
 * Tells what a superuser has to do for a user of the database who may not make the roles or is no member of them.
 *
 * @returns The user as SQL writes it, and statements, each with its semicolon; empty when nothing is missing.
 */
export async function findRoleStatements(
  sql: Sql,
): Promise<{ user: string; statements: string[] }> {
  const roles = await sql<{ user: string; name: string; exists: boolean; isMember: boolean }[]>`
    select quote_ident(current_user) as user, wanted.name, r.oid is not null as exists,
      coalesce(pg_has_role(current_user, r.oid, 'member'), false) as "isMember"
    from unnest(${ROLES}::text[]) with ordinality as wanted (name, place)
      left join pg_roles r on r.rolname = wanted.name
    order by wanted.place`;
  const user = roles[0]?.user ?? "";
  const lacking = roles.filter((role) => !role.isMember).map((role) => role.name);
  return {
    user,
    statements: [
      ...roles
        .filter((role) => !role.exists)
        .map((role) => `create role ${role.name} nologin noinherit;`),
      ...(lacking.length === 0 ? [] : [`grant ${lacking.join(", ")} to ${user};`]),
    ],
  };
}
