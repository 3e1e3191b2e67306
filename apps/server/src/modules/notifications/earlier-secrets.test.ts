import { migrate } from "@turnpike/db/migrate";
import { createOldDatabase } from "@turnpike/testkit/old-database";
import { createTestDatabase, type TestDatabase } from "@turnpike/testkit/test-database";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { INSTALLATION } from "./webhook-owner.ts";
import { findWebhookRow, listSigning } from "./webhooks.store.ts";

const MIGRATION = "0029_hide_deleted_and_amend_webhooks.sql";

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.close());

describe("the migration to several earlier secrets", () => {
  it("keeps the one that signs beside the present one, also for an owner whom row-level security binds", async () => {
    await using old = await createOldDatabase(database, MIGRATION);
    const { sql } = old;
    const until = new Date("2026-11-21T12:00:00.000Z");
    await sql.begin(async (tx) => {
      await tx`set local role turnpike_operator`;
      await tx`
        insert into webhook_endpoints (tenant_id, webhook_id, url, description, event_types, state, secret,
          previous_secret, previous_secret_until, created_at, updated_at)
        values (${INSTALLATION}, 'whk_1', '', '', '{*}', 'enabled', 'new', 'old', ${until}, now(), now()),
          (${INSTALLATION}, 'whk_2', '', '', '{*}', 'enabled', 'only', null, null, now(), now())`;
    });
    expect((await migrate(sql)).applied[0]).toBe(MIGRATION);
    const [replaced, untouched] = await sql.begin(async (tx) => {
      await tx`set local role turnpike_operator`;
      return [
        await findWebhookRow(tx, INSTALLATION, "whk_1"),
        await findWebhookRow(tx, INSTALLATION, "whk_2"),
      ];
    });
    expect(replaced?.earlier_secrets).toMatchObject([{ secret: "old" }]);
    expect(replaced && listSigning(replaced, new Date(until.getTime() - 1))).toHaveLength(1);
    expect(replaced && listSigning(replaced, until)).toHaveLength(0);
    expect(untouched?.earlier_secrets).toEqual([]);
  });
});
