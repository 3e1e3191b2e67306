import { randomBytes } from "node:crypto";
import { join } from "node:path";
import { startFaultProxy } from "@turnpike/testkit/fault-proxy";
import { createTestDatabase, type TestDatabase } from "@turnpike/testkit/test-database";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { openDatabase } from "./open-database.ts";
import { StartupError } from "./startup-error.ts";

/** Only ends what hangs. */
const MINUTES_MS = 180_000;

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.close());

async function refusalToOpen(target: Parameters<typeof openDatabase>[0]["target"]) {
  const outcome = await openDatabase({ target, applicationName: "test", connectionsMax: 1 }).catch(
    (error: unknown) => error,
  );
  expect(outcome).toBeInstanceOf(StartupError);
  return outcome as StartupError;
}

describe("openDatabase", () => {
  it("opens a migrated database", async () => {
    const opened = await openDatabase({
      target: database.target,
      applicationName: "test",
      connectionsMax: 2,
    });
    expect(await opened.transact.asOperator((tx) => tx`select 1 as one`)).toHaveLength(1);
    await opened.close();
  });

  it(
    "waits for a database that is slow to answer, says so, and works once it answers",
    async () => {
      const { host, port } = database.target;
      const held = Promise.withResolvers<void>();
      const hold = { hold: held.promise };
      const proxy = await startFaultProxy(join(host, `.s.PGSQL.${String(port)}`), hold);
      const lines: string[] = [];
      const say = (_fields: object, message: string) => lines.push(message);
      const logger = { info: say, warn: say };
      vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "setInterval", "clearInterval"] });
      try {
        const opening = openDatabase({
          target: { ...database.target, host: "127.0.0.1", port: proxy.port },
          applicationName: "test",
          connectionsMax: 2,
          starting: { logger },
        });
        await vi.advanceTimersByTimeAsync(1);
        await vi.advanceTimersByTimeAsync(120_000);
        expect(lines[0]).toMatch(/^The database at 127\.0\.0\.1, port \d+ has not answered yet/);
        vi.useRealTimers();
        held.resolve();
        const opened = await opening;
        expect(await opened.transact.asOperator((tx) => tx`select 1 as one`)).toHaveLength(1);
        await opened.close();
      } finally {
        vi.useRealTimers();
        await proxy.close();
      }
    },
    MINUTES_MS,
  );

  it("says that there is no database at the address, without the password", async () => {
    const url = "postgres://someone:canary-password@127.0.0.1:1/shop";
    const refusal = await refusalToOpen({ url });
    expect(refusal.code).toBe("DATABASE_UNREACHABLE");
    expect(refusal.message).toContain("127.0.0.1:1/shop");
    expect(`${refusal.message} ${refusal.hint}`).not.toContain("canary");
  });

  it("refuses a database whose row-level security was switched off", async () => {
    await database.sql`alter table members disable row level security`;
    const refusal = await refusalToOpen(database.target);
    expect(refusal).toMatchObject({ code: "DATABASE_START_FAILED" });
    expect(refusal.message).toContain("members");
    await database.sql`alter table members enable row level security`;
  });

  it("refuses a database of a newer version", async () => {
    await database.sql`insert into turnpike_migrations (name) values ('9999_future.sql')`;
    const refusal = await refusalToOpen(database.target);
    expect(refusal).toMatchObject({ code: "SCHEMA_NEWER" });
    expect(refusal.message).toContain("9999_future.sql");
    await database.sql`delete from turnpike_migrations where name like '9999%'`;
  });

  it("passes on what the database says against a migration", async () => {
    const name = `blocked_${randomBytes(4).toString("hex")}`;
    await database.sql`create database ${database.sql(name)}`;
    const target = { ...database.target, database: name };
    const { connect } = await import("@turnpike/db/client");
    const sql = connect(target, { connectionsMax: 1, applicationName: "t", statementTimeoutMs: 0 });
    await sql`create table service_keys (in_the_way int)`;
    await sql.end();
    const refusal = await refusalToOpen(target);
    expect(refusal.code).toBe("DATABASE_START_FAILED");
    expect(refusal.message).toContain('relation "service_keys" already exists');
    await database.sql`drop database ${database.sql(name)} with (force)`;
  });
});
