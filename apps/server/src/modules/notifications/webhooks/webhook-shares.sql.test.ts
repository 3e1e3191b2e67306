import type { TenantId } from "@turnpike/domain/ids/ids";
import { pollUntil } from "@turnpike/testkit/poll-until";
import { createTestDatabase, type TestDatabase } from "@turnpike/testkit/test-database";
import { createTestTenant, OPERATOR_CONTEXT } from "@turnpike/testkit/test-services";
import { startWebhookReceiver, type WebhookReceiver } from "@turnpike/testkit/webhook-receiver";
import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";
import { createWebhookWorld, type WebhookWorld } from "../testing/webhooks.fixture.ts";
import { testWebhook } from "./manage-deliveries.ts";
import { createWebhook } from "./manage-webhooks.ts";
import { publishEvent } from "./publish-event.ts";
import { claim, handOn, PERMITS, startWebhookPump } from "./webhook-pump.ts";

const NOISY_ENDPOINTS = 8;
const NOISY_MESSAGES = 25;

let database: TestDatabase;
let world: WebhookWorld;
let hanging: WebhookReceiver;
let quick: WebhookReceiver;
let noisy: TenantId;
let quiet: { owner: TenantId; webhookId: string };
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.close());

beforeEach(async () => {
  world = createWebhookWorld(database, new Date());
  hanging = await startWebhookReceiver();
  hanging.answer = () => undefined;
  quick = await startWebhookReceiver();
  noisy = (await createTestTenant(world, "Noisy")).tenantId;
  const owner = (await createTestTenant(world, "Quiet")).tenantId;
  for (let index = 0; index < NOISY_ENDPOINTS; index += 1) {
    await add(noisy, hanging.url);
  }
  quiet = { owner, webhookId: (await add(owner, quick.url)).webhookId };
  await database.sql`delete from webhook_outbox`;
  return async () => {
    await Promise.all([hanging.close(), quick.close()]);
    await database.sql`delete from webhook_endpoints`;
  };
});

function add(owner: TenantId, url: string) {
  const input = { owner, url, description: "", eventTypes: ["*"] };
  return createWebhook(world, OPERATOR_CONTEXT, input);
}

function publish(tenantId: TenantId, count: number): Promise<void> {
  const data = { tenantId, imported: 1, existing: 0, refused: 0 };
  return world.transact.asTenant(tenantId, async (tx) => {
    for (let index = 0; index < count; index += 1) {
      await publishEvent(world, tx, { tenantId, type: "keys.imported", data });
    }
  });
}

it("one tenant's slow receivers hold half of the permits, and another's ping is claimed at once", async () => {
  await publish(noisy, NOISY_MESSAGES);
  await handOn(world);
  const first = await claim(world, { permits: PERMITS });
  expect(first.map((each) => each.tenant_id)).toEqual(Array(PERMITS / 2).fill(noisy));
  const held = new Map([[noisy, first.length]]);
  expect(await claim(world, { permits: PERMITS, held })).toEqual([]);
  const { messageId } = await testWebhook(world, OPERATOR_CONTEXT, quiet);
  const next = await claim(world, { permits: PERMITS, held });
  expect(next.map((each) => each.message_id)).toEqual([messageId]);
});

it("one tenant's messages in the outbox wait for themselves: another's is handed on with the first", async () => {
  await publish(noisy, 300);
  await publish(quiet.owner, 2);
  expect(await handOn(world)).toBe(true);
  const handedOn = await database.sql`
    select 1 from webhook_deliveries where tenant_id = ${quiet.owner}`;
  expect(handedOn).toHaveLength(2);
});

it("the pump delivers one tenant's ping while no receiver of another has answered", async () => {
  await publish(noisy, NOISY_MESSAGES);
  const pump = startWebhookPump(world);
  try {
    const share = PERMITS / 2;
    await pollUntil("its share is in flight", () => hanging.received.length === share);
    const { messageId } = await testWebhook(world, OPERATOR_CONTEXT, quiet);
    await pollUntil("the ping arrives", () => quick.received.length === 1);
    expect(quick.received[0]?.headers["webhook-id"]).toBe(messageId);
    expect(hanging.received).toHaveLength(share);
  } finally {
    await hanging.close();
    await pump.stop(60_000);
  }
});
