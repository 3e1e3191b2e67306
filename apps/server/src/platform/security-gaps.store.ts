import type { Sql } from "@turnpike/db/client";
import { ROLES } from "./database-roles.store.ts";

/** Work for one tenant, or for the ledger: where a gap in row-level security would show one tenant to another. */
const BOUND_ROLES = ["turnpike_tenant", "turnpike_meter"];
/** Only ever added to. */
const APPEND_ONLY = ["audit_entries", "ledger_entries", "usage_rollups"];

type Named = { name: string; role: string };

async function findRoleGaps(sql: Sql): Promise<string[]> {
  const roles = await sql<{ name: string; unsafe: boolean }[]>`
    select rolname as name,
      rolsuper or rolbypassrls or rolcanlogin or rolcreaterole or rolreplication as unsafe
    from pg_roles where rolname = any(${ROLES})`;
  const memberships = await sql<Named[]>`
    select r.rolname as role, g.rolname as name
    from pg_auth_members m join pg_roles r on r.oid = m.member join pg_roles g on g.oid = m.roleid
    where r.rolname = any(${ROLES})`;
  const missing = ROLES.filter((name) => !roles.some((role) => role.name === name));
  return [
    ...missing.map((name) => `The role ${name} does not exist.`),
    ...roles
      .filter((role) => role.unsafe)
      .map((role) => `The role ${role.name} may bypass row-level security or log in.`),
    ...memberships.map((row) => `The role ${row.role} is a member of ${row.name}.`),
  ];
}

async function findTableGaps(sql: Sql): Promise<string[]> {
  const open = await sql<{ name: string }[]>`
    select c.relname as name
    from pg_class c
    join pg_attribute a on a.attrelid = c.oid and a.attname = 'tenant_id' and not a.attisdropped
    where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p')
      and not (c.relrowsecurity and c.relforcerowsecurity)
      and exists (
        select 1 from unnest(${BOUND_ROLES}::text[]) as role
        where has_table_privilege(role, c.oid, 'select, insert, update, delete'))`;
  const wide = await sql<{ name: string; policy: string }[]>`
    select p.tablename as name, p.policyname as policy
    from pg_policies p
    join pg_attribute a
      -- The planner may look at tables of other schemas first: what is not there is null, not an error.
      on a.attrelid = to_regclass(format('public.%I', p.tablename)) and a.attname = 'tenant_id'
    where p.schemaname = 'public' and p.permissive = 'PERMISSIVE'
      and p.roles && '{public,turnpike_tenant}'::name[]
      and (
        (p.cmd <> 'INSERT' and p.qual is distinct from '(tenant_id = current_tenant())')
        or (p.cmd in ('ALL', 'INSERT', 'UPDATE')
          and coalesce(p.with_check, p.qual) is distinct from '(tenant_id = current_tenant())'))`;
  // A materialised view holds the rows that its owner saw, and no policy guards them.
  const copies = await sql<Named[]>`
    select c.relname as name, role
    from pg_class c, unnest(${BOUND_ROLES}::text[]) as role
    where c.relkind = 'm' and c.relnamespace = 'public'::regnamespace
      and has_table_privilege(role, c.oid, 'select')`;
  // Any other view reads with its owner's rights unless it is `security_invoker`. Views of extensions do not read our tables.
  const views = await sql<Named[]>`
    select c.relname as name, role
    from pg_class c, unnest(${BOUND_ROLES}::text[]) as role
    where c.relkind = 'v' and c.relnamespace = 'public'::regnamespace
      and has_table_privilege(role, c.oid, 'select, insert, update, delete')
      and not exists (
        select from pg_options_to_table(c.reloptions) where option_name = 'security_invoker' and option_value::boolean)
      and not exists (
        select from pg_depend d where d.classid = 'pg_class'::regclass and d.objid = c.oid and d.deptype = 'e')`;
  return [
    ...open.map((row) => `The table ${row.name} has no forced row-level security.`),
    ...wide.map((row) => `The policy ${row.policy} of ${row.name} is not bound to the tenant.`),
    ...copies.map((row) => `The role ${row.role} may read the materialised view ${row.name}.`),
    ...views.map((row) => `The view ${row.name} shows ${row.role} what its owner may see.`),
  ];
}

async function findPrivilegeGaps(sql: Sql): Promise<string[]> {
  const emptying = await sql<Named[]>`
    select c.relname as name, role
    from pg_class c, unnest(${ROLES}::text[]) as role
    where c.relkind in ('r', 'p') and c.relnamespace = 'public'::regnamespace
      and has_table_privilege(role, c.oid, 'truncate, references, trigger')`;
  const rewriting = await sql<Named[]>`
    select c.relname as name, role
    from pg_class c, unnest(${ROLES}::text[]) as role
    where c.relname = any(${APPEND_ONLY}) and c.relnamespace = 'public'::regnamespace
      and (has_table_privilege(role, c.oid, 'update, delete')
        or has_any_column_privilege(role, c.oid, 'update'))`;
  return [
    ...emptying.map((row) => `The role ${row.role} may empty the table ${row.name} or bind to it.`),
    ...rewriting.map((row) => `The role ${row.role} may rewrite the table ${row.name}.`),
  ];
}

/**
 * Looks for what would let one tenant see another, or let history be rewritten.
 *
 * @returns What is wrong, in plain sentences; empty when all is well.
 */
export async function findSecurityGaps(sql: Sql): Promise<string[]> {
  const roles = await findRoleGaps(sql);
  if (roles.some((gap) => gap.endsWith("does not exist."))) {
    return roles;
  }
  return [...roles, ...(await findTableGaps(sql)), ...(await findPrivilegeGaps(sql))];
}
