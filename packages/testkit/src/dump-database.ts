import type { Sql } from "@turnpike/db/client";

/** Writes out every row of every table as text, byte columns as hex, to search for what must not be there. */
export async function dumpDatabase(sql: Sql): Promise<string> {
  const tables = await sql<{ schema: string; name: string }[]>`
    select schemaname as schema, tablename as name from pg_tables
    where schemaname not in ('pg_catalog', 'information_schema')`;
  const dumps = await Promise.all(
    tables.map(
      (table) =>
        sql<{ line: string }[]>`
          select row::text as line from ${sql(table.schema)}.${sql(table.name)} as row`,
    ),
  );
  return dumps.flatMap((rows) => rows.map((row) => row.line)).join("\n");
}
