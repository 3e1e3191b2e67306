import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createTestDatabase, type TestDatabase } from "./test-database.ts";

describe("createTestDatabase", () => {
  let first: TestDatabase;
  let second: TestDatabase;

  beforeAll(async () => {
    [first, second] = await Promise.all([createTestDatabase(), createTestDatabase()]);
  });
  afterAll(async () => {
    await Promise.all([first.close(), second.close()]);
  });

  it("gives a database that is migrated already", async () => {
    const rows = await first.sql<{ name: string }[]>`select name from turnpike_migrations`;
    expect(rows.length).toBeGreaterThan(0);
  });

  it("keeps what one file writes from every other", async () => {
    await first.sql`create table marks (name text)`;
    const [row] = await second.sql<{ found: boolean }[]>`
      select to_regclass('marks') is not null as found`;
    expect(row?.found).toBe(false);
  });

  it("drops the database on close, even under a connection that is still open", async () => {
    const database = await createTestDatabase();
    const { connect } = await import("@turnpike/db/client");
    const other = connect(database.target, {
      connectionsMax: 1,
      applicationName: "straggler",
      statementTimeoutMs: 0,
    });
    await other`select 1`;
    await database.close();
    const [row] = await first.sql<{ count: number }[]>`
      select count(*)::int as count from pg_database where datname = ${database.target.database}`;
    expect(row?.count).toBe(0);
    await other.end({ timeout: 0 });
  });
});
