import { readdir, readFile } from "node:fs/promises";
import type { Sql } from "./client.ts";

const MIGRATIONS_FOLDER = new URL("../migrations/", import.meta.url);
const FILE_NAME = /^(\d{4})_[a-z0-9_]+\.sql$/;
/** Any fixed number: two processes that start at once take turns. */
const MIGRATION_LOCK = 7_163_021;

/** The database was migrated by a newer version of the product than this one. */
export class NewerSchemaError extends Error {
  override readonly name = "NewerSchemaError";
  readonly unknown: readonly string[];

  constructor(unknown: readonly string[]) {
    super(`The database holds migrations that this version does not know: ${unknown.join(", ")}.`);
    this.unknown = unknown;
  }
}

/** A migration was refused by the database: `cause` is its answer. Nothing of that migration is left. */
export class MigrationError extends Error {
  override readonly name = "MigrationError";
}

/** The database is older than what the product needs. */
export class UnsupportedServerError extends Error {
  override readonly name = "UnsupportedServerError";
}

const OLDEST_SERVER = 150_000;

async function listMigrations(): Promise<string[]> {
  const names = await readdir(MIGRATIONS_FOLDER);
  return names.filter((name) => FILE_NAME.test(name)).sort();
}

async function assertServerVersion(sql: Sql): Promise<void> {
  const [row] = await sql<{ version: number }[]>`
    select current_setting('server_version_num')::int as version`;
  if (row === undefined || row.version < OLDEST_SERVER) {
    throw new UnsupportedServerError(
      `PostgreSQL 15 or newer is needed; this server is ${String(row?.version ?? "unknown")}.`,
    );
  }
}

function listPending(names: readonly string[], rows: readonly { name: string }[]): string[] {
  const done = new Set(rows.map((row) => row.name));
  const unknown = [...done].filter((name) => !names.includes(name)).sort();
  if (unknown.length > 0) {
    throw new NewerSchemaError(unknown);
  }
  return names.filter((name) => !done.has(name));
}

/**
 * Tells which migrations the database lacks, and changes nothing.
 *
 * @returns Their names, in order; undefined when it was never migrated.
 * @throws {NewerSchemaError} when the database knows migrations that this code does not.
 * @throws {UnsupportedServerError} below PostgreSQL 15.
 */
export async function findMissingMigrations(sql: Sql): Promise<string[] | undefined> {
  await assertServerVersion(sql);
  const [table] = await sql`select 1 where to_regclass('turnpike_migrations') is not null`;
  const rows =
    table === undefined ? [] : await sql<{ name: string }[]>`select name from turnpike_migrations`;
  return rows.length === 0 ? undefined : listPending(await listMigrations(), rows);
}

/**
 * Brings the database to the newest schema, forward only, each migration in a transaction of its own.
 *
 * @returns The names of the migrations applied now, in order; empty when there was nothing to do.
 * @throws {NewerSchemaError} when the database knows migrations that this code does not.
 * @throws {UnsupportedServerError} below PostgreSQL 15.
 * @throws {MigrationError} when the database refuses a migration; those before it stay applied.
 */
export async function migrate(sql: Sql): Promise<{ applied: string[] }> {
  await assertServerVersion(sql);
  const names = await listMigrations();
  const connection = await sql.reserve();
  const applied: string[] = [];
  try {
    await connection`select pg_advisory_lock(${MIGRATION_LOCK})`;
    await connection`
      create table if not exists turnpike_migrations (
        name text primary key,
        applied_at timestamptz not null default now()
      )`;
    const rows = await connection<{ name: string }[]>`select name from turnpike_migrations`;
    for (const name of listPending(names, rows)) {
      const text = await readFile(new URL(name, MIGRATIONS_FOLDER), "utf8");
      await connection
        .unsafe(
          `begin;\n${text}\n;insert into turnpike_migrations (name) values ('${name}');\ncommit;`,
        )
        .simple()
        .catch(async (error: unknown) => {
          await connection`rollback`;
          throw new MigrationError(`Migration ${name} failed.`, { cause: error });
        });
      applied.push(name);
    }
  } finally {
    await connection`select pg_advisory_unlock(${MIGRATION_LOCK})`.catch(() => undefined);
    connection.release();
  }
  return { applied };
}
