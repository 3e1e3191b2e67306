import type { Tx } from "@turnpike/db/client";
import { holdReads } from "@turnpike/testkit/hold-reads";
import { createTestDatabase, type TestDatabase } from "@turnpike/testkit/test-database";
import { createTestTenant, OPERATOR_CONTEXT } from "@turnpike/testkit/test-services";
import { afterAll, beforeAll, expect, it } from "vitest";
import { createWebhookWorld } from "../testing/webhooks.fixture.ts";
import { testWebhook } from "./manage-deliveries.ts";
import { createWebhook } from "./manage-webhooks.ts";
import { claimDeliveries } from "./webhook-deliveries.store.ts";
import { CLAIM_MS, PER_ENDPOINT_MAX } from "./webhook-pump.ts";

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.close());

it("a delivery has one claim, even when another pump claims it between the read and the update", async () => {
  const world = createWebhookWorld(database, new Date());
  const { tenantId: owner } = await createTestTenant(world);
  const { webhookId } = await createWebhook(world, OPERATOR_CONTEXT, {
    owner,
    url: "http://127.0.0.1:9/hook",
    description: "",
    eventTypes: ["*"],
  });
  const { messageId } = await testWebhook(world, OPERATOR_CONTEXT, { owner, webhookId });
  const now = world.clock.now();
  const until = new Date(now.getTime() + CLAIM_MS);
  const claimAll = (tx: Tx) =>
    claimDeliveries(tx, {
      now,
      until,
      endpoints: [{ tenant_id: owner, webhook_id: webhookId }],
      perOwner: new Map([[owner, 1]]),
      perEndpoint: PER_ENDPOINT_MAX,
    });
  const others: string[] = [];
  const ours = await holdReads(database, {
    table: "webhook_deliveries",
    statement: () => world.transact.asOperator(claimAll),
    meanwhile: async () => {
      const rows = await database.sql.transaction(claimAll);
      others.push(...rows.map((row) => row.message_id));
    },
  });
  expect(others).toEqual([messageId]);
  expect(ours).toEqual([]);
});
