import { randomBytes } from "node:crypto";
import { createTestDatabase, type TestDatabase } from "@turnpike/testkit/test-database";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openJobQueue } from "./job-queue.ts";
import { createLogger } from "./logger.ts";
import { openDatabase } from "./open-database.ts";

const MINUTES_MS = 180_000;
const NODES = 5;

describe("several nodes that start at once on one database", { timeout: MINUTES_MS }, () => {
  let database: TestDatabase;
  const logger = createLogger({ level: "silent" });
  beforeAll(async () => {
    database = await createTestDatabase();
  });
  afterAll(() => database.close());

  /** @throws when any of them cannot start. */
  async function startNodes(target: TestDatabase["target"]): Promise<void> {
    const nodes = await Promise.allSettled(
      Array.from({ length: NODES }, async () => {
        const opened = await openDatabase({ target, applicationName: "node", connectionsMax: 2 });
        const queue = await openJobQueue({ target, logger });
        return async () => {
          await queue.close();
          await opened.close();
        };
      }),
    );
    for (const node of nodes) {
      await (node.status === "fulfilled" ? node.value() : undefined);
    }
    expect(nodes.flatMap((node) => (node.status === "rejected" ? [node.reason] : []))).toEqual([]);
  }

  it("all start on an empty one: one migrates it, the others wait", async () => {
    const name = `empty_${randomBytes(4).toString("hex")}`;
    await database.sql`create database ${database.sql(name)}`;
    await startNodes({ ...database.target, database: name });
    await database.sql`drop database ${database.sql(name)} with (force)`;
  });

  it("all start every time although each makes sure of the same grants", async () => {
    await startNodes(database.target);
    for (let round = 0; round < 15; round += 1) {
      await database.sql`revoke all on all tables in schema pgboss from turnpike_operator`;
      await database.sql`revoke all on schema pgboss from turnpike_operator`;
      await startNodes(database.target);
      const [granted] = await database.sql<{ may: boolean }[]>`
        select has_table_privilege('turnpike_operator', 'pgboss.job', 'insert')
          and has_schema_privilege('turnpike_operator', 'pgboss', 'usage') as may`;
      expect(granted?.may).toBe(true);
    }
  });
});
