import { randomBytes } from "node:crypto";
import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type ConnectionTarget, connect, type Sql } from "@turnpike/db/client";
import { migrate, NewerSchemaError } from "@turnpike/db/migrate";
import { createTestDatabase, type TestDatabase } from "@turnpike/testkit/test-database";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startEmbeddedPostgres } from "./embedded-postgres.ts";
import { openDatabase } from "./open-database.ts";
import { BOOTSTRAP_USER } from "./postgres-cluster.ts";
import { findSecurityGaps } from "./security-gaps.store.ts";
import { StartupError, toStartupLine } from "./startup-error.ts";
import { createTransact } from "./transact.ts";

type ServerTarget = Exclude<ConnectionTarget, { url: string }>;

const files = await readdir(new URL("../../../../packages/db/migrations/", import.meta.url));
const names = files.filter((name) => name.endsWith(".sql")).sort();

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.close());

function open(target: ServerTarget): Sql {
  return connect(target, { connectionsMax: 2, applicationName: "migrate", statementTimeoutMs: 0 });
}

/** A database with nothing in it, dropped afterwards. */
async function inEmptyDatabase(work: (sql: Sql, target: ServerTarget) => Promise<void>) {
  const name = `empty_${randomBytes(6).toString("hex")}`;
  await database.sql`create database ${database.sql(name)}`;
  const target = { ...database.target, database: name };
  const sql = open(target);
  try {
    await work(sql, target);
  } finally {
    await sql.end({ timeout: 1 });
    await database.sql`drop database ${database.sql(name)} with (force)`;
  }
}

async function appliedNames(sql: Sql): Promise<string[]> {
  const rows = await sql<{ name: string }[]>`select name from turnpike_migrations order by name`;
  return rows.map((row) => row.name);
}

describe("migrate", () => {
  it("brings an empty database to the newest schema in order, and then has nothing to do", () =>
    inEmptyDatabase(async (sql) => {
      expect(await migrate(sql)).toEqual({ applied: names });
      expect(await migrate(sql)).toEqual({ applied: [] });
      expect(await findSecurityGaps(sql)).toEqual([]);
    }));

  it("applies each migration once when six processes start at once", () =>
    inEmptyDatabase(async (sql, target) => {
      const pools = Array.from({ length: 6 }, () => open(target));
      const outcomes = await Promise.all(pools.map((pool) => migrate(pool)));
      await Promise.all(pools.map((pool) => pool.end()));
      expect(outcomes.flatMap((outcome) => outcome.applied).sort()).toEqual(names);
      expect(await appliedNames(sql)).toEqual(names);
    }));

  it("refuses a database that a newer version migrated, names what it does not know, and changes nothing", () =>
    inEmptyDatabase(async (sql) => {
      await sql`create table turnpike_migrations (name text primary key, applied_at timestamptz)`;
      await sql`insert into turnpike_migrations (name) values ('9998_b.sql'), ('9997_a.sql')`;
      const error = await migrate(sql).catch((reason: unknown) => reason);
      expect(error).toBeInstanceOf(NewerSchemaError);
      expect(error).toMatchObject({ unknown: ["9997_a.sql", "9998_b.sql"] });
      expect(await appliedNames(sql)).toEqual(["9997_a.sql", "9998_b.sql"]);
    }));

  it("leaves nothing of a migration that fails, keeps those before, and goes on once the cause is gone", () =>
    inEmptyDatabase(async (sql) => {
      await sql`create table meter_versions (in_the_way int)`;
      await expect(migrate(sql)).rejects.toThrow(`Migration ${names[1] ?? ""} failed.`);
      expect(await appliedNames(sql)).toEqual(names.slice(0, 1));
      const [row] = await sql`select to_regclass('meters') as meters`;
      expect(row?.["meters"]).toBeNull();
      await sql`drop table meter_versions`;
      expect(await migrate(sql)).toEqual({ applied: names.slice(1) });
    }));

  it("names its migrations without a gap and without a number twice", () => {
    const numbers = names.map((name) => Number(name.slice(0, 4)));
    expect(numbers).toEqual(names.map((_, index) => index + 1));
  });
});

/** Roles belong to a whole server, so what depends on who made them needs one of its own. */
describe("migrate on a shared server", () => {
  let folder: string;
  let admin: Sql | undefined;
  let target: ServerTarget;
  let stop: (() => Promise<void>) | undefined;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "turnpike-own-"));
    const [row] = await database.sql<{ version: number }[]>`
      select current_setting('server_version_num')::int / 10000 as version`;
    const oldest = { folder: "/usr/lib/postgresql/15", version: "15" };
    const server = await startEmbeddedPostgres({
      folder,
      logger: { info: () => undefined, warn: () => undefined, error: console.error },
      settings: { fsync: "off" },
      ...(row?.version === 15 ? { installation: oldest } : {}),
    });
    stop = () => server.stop();
    target = { ...server.connection, user: BOOTSTRAP_USER };
    admin = open(target);
  });
  afterAll(async () => {
    await admin?.end({ timeout: 1 });
    await stop?.();
    await rm(folder, { recursive: true, force: true });
  });

  /** A database of an ordinary user, as a hosted PostgreSQL gives it. */
  async function createOwned(user: string, rights: string) {
    const password = randomBytes(12).toString("hex");
    await admin?.unsafe(`create role "${user}" login ${rights} password '${password}'`);
    await admin?.unsafe(`create database "${user}" owner "${user}"`);
    const owned = { ...target, user, password, database: user };
    return { sql: open(owned), target: owned };
  }

  /** The statements that the start prints, run by the superuser. */
  async function runPrinted(line: string): Promise<string[]> {
    const statements = line.split("\n").filter((text) => /^ {2}.*;$/.test(text));
    for (const statement of statements) {
      await admin?.unsafe(statement);
    }
    return statements.map((statement) => statement.trim());
  }

  const openOwned = (owned: { target: ServerTarget }) =>
    openDatabase({ target: owned.target, applicationName: "own", connectionsMax: 1 });

  it("tells an owner who may not create roles all that a superuser has to do, at once", async () => {
    const owned = await createOwned("bare-owner", "nosuperuser");
    try {
      const refusal = await openOwned(owned).catch((reason: unknown) => reason);
      expect(refusal).toBeInstanceOf(StartupError);
      const line = toStartupLine(refusal as StartupError);
      expect(line).toMatch(/^turnpike: The database user "bare-owner" lacks roles/);
      expect(line).not.toContain(";.");
      expect(await runPrinted(line)).toEqual([
        "create role turnpike_tenant nologin noinherit;",
        "create role turnpike_meter nologin noinherit;",
        "create role turnpike_operator nologin noinherit;",
        'grant turnpike_tenant, turnpike_meter, turnpike_operator to "bare-owner";',
      ]);
      await (await openOwned(owned)).close();
    } finally {
      await owned.sql.end();
      await admin?.unsafe(`drop database "bare-owner"`);
      await admin?.unsafe("drop role turnpike_tenant, turnpike_meter, turnpike_operator");
    }
  });

  it("works for an owner who is no superuser but may create roles, and keeps tenants apart there too", async () => {
    const { sql } = await createOwned("first_owner", "createrole nosuperuser");
    try {
      expect(await migrate(sql)).toEqual({ applied: names });
      expect(await findSecurityGaps(sql)).toEqual([]);
      const transact = createTransact(sql);
      await transact.asOperator(async (tx) => {
        await tx`
          insert into tenants (tenant_id, name, slug, created_at, updated_at)
          select 'ten_' || n, 'T', 't-' || n, now(), now() from generate_series(1, 2) n`;
        await tx`select record_change('tenant', 'ten_1', 'ten_1')`;
      });
      const visible = (tenantId: string) =>
        transact.asTenant(tenantId as never, (tx) => tx`select tenant_id from tenants`);
      expect([...(await visible("ten_1"))]).toEqual([{ tenant_id: "ten_1" }]);
    } finally {
      await sql.end();
    }
  });

  it("tells another owner on the same server which grants are missing, and works once they are there", async () => {
    const owned = await createOwned("second_owner", "nosuperuser");
    try {
      const refusal = await openOwned(owned).catch((reason: unknown) => reason);
      expect(refusal).toBeInstanceOf(StartupError);
      expect(await runPrinted(toStartupLine(refusal as StartupError))).toEqual([
        "grant turnpike_tenant, turnpike_meter, turnpike_operator to second_owner;",
      ]);
      expect(await migrate(owned.sql)).toEqual({ applied: names });
    } finally {
      await owned.sql.end();
    }
  });

  it("tells a user who took over a migrated database what to grant", async () => {
    const owned = await createOwned("third_owner", "nosuperuser");
    try {
      await admin?.unsafe(
        "grant turnpike_tenant, turnpike_meter, turnpike_operator to third_owner",
      );
      await migrate(owned.sql);
      await admin?.unsafe("revoke turnpike_meter from third_owner");
      const refusal = await openOwned(owned).catch((reason: unknown) => reason);
      expect((refusal as StartupError).message).toContain(
        "\n  grant turnpike_meter to third_owner;\n",
      );
    } finally {
      await owned.sql.end();
    }
  });
});
