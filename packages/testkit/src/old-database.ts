import { randomBytes } from "node:crypto";
import { readdir, readFile } from "node:fs/promises";
import { connect, type Sql } from "@turnpike/db/client";
import type { TestDatabase } from "./test-database.ts";

const MIGRATIONS = new URL("../../db/migrations/", import.meta.url);

export type OldDatabase = { sql: Sql; target: TestDatabase["target"] } & AsyncDisposable;

/**
 * Makes an empty database as it was before a migration, in the server of another. Row-level security
 * binds its owner, as on servers without a superuser.
 *
 * @param migration - Name of the first migration that is left out.
 */
export async function createOldDatabase(
  server: TestDatabase,
  migration: string,
): Promise<OldDatabase> {
  const owner = `owner_${randomBytes(6).toString("hex")}`;
  const password = randomBytes(12).toString("hex");
  await server.sql.unsafe(`create role ${owner} login nosuperuser password '${password}'`);
  await server.sql.unsafe(`grant turnpike_tenant, turnpike_meter, turnpike_operator to ${owner}`);
  await server.sql.unsafe(`create database ${owner} owner ${owner}`);
  const target = { ...server.target, user: owner, password, database: owner };
  const sql = connect(target, {
    connectionsMax: 2,
    applicationName: "test",
    statementTimeoutMs: 0,
  });
  const names = (await readdir(MIGRATIONS)).filter((name) => name.endsWith(".sql")).sort();
  await sql`create table turnpike_migrations (name text primary key, applied_at timestamptz)`;
  for (const name of names.filter((candidate) => candidate < migration)) {
    const text = await readFile(new URL(name, MIGRATIONS), "utf8");
    await sql.begin((tx) => tx.unsafe(text).simple());
    await sql`insert into turnpike_migrations (name) values (${name})`;
  }
  return {
    sql,
    target,
    async [Symbol.asyncDispose]() {
      await sql.end({ timeout: 1 });
      await server.sql.unsafe(`drop database ${owner} with (force)`);
      await server.sql.unsafe(`drop role ${owner}`);
    },
  };
}
