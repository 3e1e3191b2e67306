import type { Tx } from "@turnpike/db/client";
import type { TenantId } from "@turnpike/domain/ids/ids";

export type TableShape = {
  /** Columns that are written, in their order: neither computed nor numbered by the database. */
  columns: string[];
  /** Those of them that hold text, and so may name a person. */
  texts: string[];
  /** The column that the database numbers; null for none. */
  numbered: string | null;
  key: string[];
};

/** Reads the shapes of tables. */
export async function listTableShapes(
  tx: Tx,
  tables: readonly string[],
): Promise<Map<string, TableShape>> {
  const rows = await tx<({ name: string } & TableShape)[]>`
    select c.relname as name,
      array_agg(a.attname::text order by a.attnum) filter (where not numbered and a.attgenerated = '') as columns,
      coalesce(array_agg(a.attname::text order by a.attnum)
        filter (where not numbered and a.attgenerated = '' and a.atttypid = 'text'::regtype), '{}') as texts,
      max(a.attname::text) filter (where numbered) as numbered,
      (select array_agg(k.attname::text order by k.attnum) from pg_index i
        join pg_attribute k on k.attrelid = i.indrelid and k.attnum = any(i.indkey)
        where i.indrelid = c.oid and i.indisprimary) as key
    from pg_class c
    join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
    left join pg_attrdef d on d.adrelid = c.oid and d.adnum = a.attnum
    cross join lateral (
      select a.attidentity <> '' or coalesce(pg_get_expr(d.adbin, d.adrelid) like 'nextval(%', false)
    ) as n (numbered)
    where c.relnamespace = 'public'::regnamespace and c.relname = any(${[...tables]}::text[])
    group by c.oid, c.relname`;
  return new Map(rows.map(({ name, ...shape }) => [name, { ...shape, key: shape.key ?? [] }]));
}

/** Foreign keys between different tables: the first one refers to the second one. */
export async function listReferences(tx: Tx): Promise<{ from: string; to: string }[]> {
  return await tx<{ from: string; to: string }[]>`
    select distinct f.relname as "from", t.relname as "to"
    from pg_constraint k join pg_class f on f.oid = k.conrelid join pg_class t on t.oid = k.confrelid
    where k.contype = 'f' and k.connamespace = 'public'::regnamespace and f.oid <> t.oid
    order by 1, 2`;
}

/** Every table of the schema, partitions left out, and whether it has a column `tenant_id`. */
export async function listTables(tx: Tx): Promise<{ name: string; isOfTenants: boolean }[]> {
  return await tx<{ name: string; isOfTenants: boolean }[]>`
    select c.relname as name, exists (
      select from pg_attribute a where a.attrelid = c.oid and a.attname = 'tenant_id' and not a.attisdropped
    ) as "isOfTenants"
    from pg_class c
    where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
    order by c.relname`;
}

/** Those of the tables that have rows of a tenant. Needs the operator role. */
export async function listTablesWithRows(
  tx: Tx,
  tables: readonly string[],
  tenantId: TenantId,
): Promise<string[]> {
  const found: string[] = [];
  for (const table of tables) {
    const rows = await tx`select 1 from ${tx(table)} where tenant_id = ${tenantId} limit 1`;
    if (rows.length > 0) {
      found.push(table);
    }
  }
  return found;
}
