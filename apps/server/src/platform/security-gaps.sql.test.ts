import { createTestDatabase, type TestDatabase } from "@turnpike/testkit/test-database";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { findSecurityGaps } from "./security-gaps.store.ts";

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.close());

const ROLLED_BACK = new Error("rolled back");

/** Roles belong to the whole server, so what is planted is never committed. */
async function gapsAfter(statement: string): Promise<string[]> {
  let gaps: string[] = [];
  await database.sql
    .begin(async (tx) => {
      await tx.unsafe(statement);
      // A transaction answers queries like a pool.
      gaps = await findSecurityGaps(tx as never);
      throw ROLLED_BACK;
    })
    .catch((error: unknown) => {
      if (error !== ROLLED_BACK) {
        throw error;
      }
    });
  return gaps;
}

describe("findSecurityGaps", () => {
  it("finds nothing in a database that was just migrated", async () => {
    expect(await findSecurityGaps(database.sql)).toEqual([]);
  });

  it.each([
    ["alter role turnpike_tenant bypassrls", "The role turnpike_tenant may bypass"],
    ["alter role turnpike_meter superuser", "The role turnpike_meter may bypass"],
    [
      "alter role turnpike_operator login",
      "The role turnpike_operator may bypass row-level security or log in.",
    ],
    [
      "grant turnpike_operator to turnpike_tenant",
      "The role turnpike_tenant is a member of turnpike_operator.",
    ],
    [
      "grant pg_read_all_data to turnpike_meter",
      "The role turnpike_meter is a member of pg_read_all_data.",
    ],
    [
      "alter role turnpike_meter rename to turnpike_gone",
      "The role turnpike_meter does not exist.",
    ],
    [
      "alter table api_keys disable row level security",
      "The table api_keys has no forced row-level security.",
    ],
    [
      "alter table balances no force row level security",
      "The table balances has no forced row-level security.",
    ],
    [
      "create table notes (tenant_id text, body text); grant select on notes to turnpike_tenant",
      "The table notes has no forced row-level security.",
    ],
    [
      "create policy open on members for select to turnpike_tenant using (true)",
      "The policy open of members is not bound to the tenant.",
    ],
    [
      "create policy open on members using (tenant_id = current_tenant()) with check (true)",
      "The policy open of members is not bound to the tenant.",
    ],
    [
      "create policy open on api_keys for insert to public with check (true)",
      "The policy open of api_keys is not bound to the tenant.",
    ],
    [
      "create materialized view key_copies as select * from api_keys; grant select on key_copies to turnpike_tenant",
      "The role turnpike_tenant may read the materialised view key_copies.",
    ],
    [
      "create view all_keys as select key_id from api_keys; grant select on all_keys to turnpike_tenant",
      "The view all_keys shows turnpike_tenant what its owner may see.",
    ],
    [
      "alter view usage_by_hour set (security_invoker = off)",
      "The view usage_by_hour shows turnpike_meter what its owner may see.",
    ],
    [
      "grant truncate on tenants to turnpike_tenant",
      "The role turnpike_tenant may empty the table tenants or bind to it.",
    ],
    [
      "grant truncate on plans to public",
      "The role turnpike_meter may empty the table plans or bind to it.",
    ],
    [
      "grant delete on audit_entries to turnpike_operator",
      "The role turnpike_operator may rewrite the table audit_entries.",
    ],
    [
      "grant update (quantity) on ledger_entries to turnpike_meter",
      "The role turnpike_meter may rewrite the table ledger_entries.",
    ],
  ])("finds what this did: %s", async (statement, gap) => {
    expect((await gapsAfter(statement)).join("\n")).toContain(gap);
  });

  it("leaves the tables of others alone that our roles cannot touch", async () => {
    expect(await gapsAfter("create table theirs (tenant_id text)")).toEqual([]);
  });

  it.each([
    "create view of_theirs as select key_id from api_keys",
    "create view for_all with (security_invoker) as select key_id from api_keys; grant select on for_all to public",
    "create extension pg_stat_statements schema public",
  ])("leaves a view alone that shows our roles nothing new: %s", async (statement) => {
    expect(await gapsAfter(statement)).toEqual([]);
  });
});

describe("the migrated schema", () => {
  it("guards every table of tenants by policies that check what is read and what is written", async () => {
    type Table = { name: string; secured: boolean; reached: boolean; policies: number };
    const tables = await database.sql<Table[]>`
      select c.relname as name, has_any_column_privilege('turnpike_tenant', c.oid, 'select, insert, update')
          or has_table_privilege('turnpike_tenant', c.oid, 'delete') as reached, c.relrowsecurity and c.relforcerowsecurity as secured,
        (select count(*)::int from pg_policies p
          where p.tablename = c.relname and 'turnpike_tenant' = any(p.roles) and p.permissive = 'PERMISSIVE'
            and (p.with_check is not null or p.cmd = 'SELECT')) as policies
      from pg_class c
      join pg_attribute a on a.attrelid = c.oid and a.attname = 'tenant_id' and not a.attisdropped
      where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
        and c.relname <> 'changes'`;
    expect(tables.length).toBeGreaterThanOrEqual(11);
    for (const table of tables) {
      expect(table).toMatchObject({ secured: true });
      // A table of the operator alone lets no tenant in at all.
      if (table.reached) {
        expect(table).toMatchObject({ policies: 1 });
      }
    }
    expect(tables.filter(({ reached }) => reached).length).toBeGreaterThan(20);
  });

  it("does not let a query bypass a table's policies by naming one of its partitions", async () => {
    const partitions = await database.sql<{ name: string; open: boolean }[]>`
      select c.relname as name, bool_or(has_table_privilege(role, c.oid, 'select, insert, update, delete, truncate')) as open
      from pg_class c, unnest(array['turnpike_tenant', 'turnpike_meter', 'turnpike_operator']) as role
      where c.relispartition and c.relkind = 'r' and c.relnamespace = 'public'::regnamespace
      group by 1`;
    expect(partitions.length).toBeGreaterThan(8);
    expect(partitions.filter(({ open }) => open)).toEqual([]);
  });

  it("begins the key of every table of tenants with the tenant", async () => {
    const keys = await database.sql<{ name: string; first: string }[]>`
      select c.relname as name, a.attname as first
      from pg_index i
      join pg_class c on c.oid = i.indrelid
      join pg_attribute a on a.attrelid = c.oid and a.attnum = i.indkey[0]
      where i.indisprimary and c.relnamespace = 'public'::regnamespace
        and exists (select 1 from pg_attribute t where t.attrelid = c.oid and t.attname = 'tenant_id')
        and c.relname <> 'changes'`;
    expect(keys.length).toBeGreaterThanOrEqual(11);
    expect(keys.filter((key) => key.first !== "tenant_id")).toEqual([]);
  });

  it("has no materialised view, and no view that reads with its owner's eyes", async () => {
    const views = await database.sql`
      select c.relname from pg_class c
      where c.relnamespace = 'public'::regnamespace
        and (c.relkind = 'm' or (c.relkind = 'v'
          and not coalesce('security_invoker=true' = any(c.reloptions), false)))`;
    expect([...views]).toEqual([]);
  });

  it("lets functions with their owner's rights find names in a fixed path only, and not be called by everybody", async () => {
    const functions = await database.sql<{ name: string; path: string | null; open: boolean }[]>`
      select p.proname as name, has_function_privilege('public', p.oid, 'execute') as open,
        (select s from unnest(p.proconfig) s where s like 'search_path=%') as path
      from pg_proc p where p.pronamespace = 'public'::regnamespace and p.prosecdef`;
    expect(functions.length).toBeGreaterThan(0);
    for (const found of functions) {
      expect(found).toMatchObject({ path: "search_path=pg_catalog, public, pg_temp", open: false });
    }
  });
});
