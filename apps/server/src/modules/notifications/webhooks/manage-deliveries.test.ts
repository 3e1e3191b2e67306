import { ATTEMPT_DELAYS_MS } from "@turnpike/domain/webhooks/retry-schedule";
import { refusalOf } from "@turnpike/testkit/refusal-of";
import { createTestDatabase, type TestDatabase } from "@turnpike/testkit/test-database";
import {
  createTestTenant,
  OPERATOR_CONTEXT,
  type TestTenant,
} from "@turnpike/testkit/test-services";
import { startWebhookReceiver, type WebhookReceiver } from "@turnpike/testkit/webhook-receiver";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { pruneNotifications } from "../prune-notifications.ts";
import { createWebhookWorld, type WebhookWorld } from "../testing/webhooks.fixture.ts";
import {
  listDeliveries,
  replayDeliveries,
  resendDelivery,
  testWebhook,
} from "./manage-deliveries.ts";
import { createWebhook, updateWebhook } from "./manage-webhooks.ts";
import { publishEvent } from "./publish-event.ts";
import type { WebhookOwner } from "./webhook-owner.ts";

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const page = { limit: 100 };

let database: TestDatabase;
let world: WebhookWorld;
let receiver: WebhookReceiver;
let tenant: TestTenant;
let tenantCount = 0;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.close());
beforeEach(async () => {
  await database.sql`delete from webhook_endpoints`;
  await database.sql`delete from webhook_outbox`;
  world = createWebhookWorld(database, new Date());
  receiver = await startWebhookReceiver();
  tenantCount += 1;
  tenant = await createTestTenant(world, `Acme ${String(tenantCount)}`);
  await database.sql`delete from webhook_outbox`;
  return () => receiver.close();
});

function add(
  input: { owner?: WebhookOwner; eventTypes?: string[]; url?: string; description?: string } = {},
) {
  return createWebhook(world, OPERATOR_CONTEXT, {
    owner: input.owner ?? tenant.tenantId,
    url: input.url ?? `${receiver.url}/hook`,
    description: input.description ?? "",
    eventTypes: input.eventTypes ?? ["*"],
  });
}

/** Publishes an event of the tenant. */
async function happen(count = 1): Promise<void> {
  const { tenantId } = tenant;
  for (let index = 0; index < count; index += 1) {
    await world.transact.asTenant(tenantId, (tx) =>
      publishEvent(world, tx, {
        tenantId,
        type: "keys.imported",
        data: { tenantId, imported: index, existing: 0, refused: 0 },
      }),
    );
  }
}

const deliveriesOf = async (webhookId: string, owner: WebhookOwner = tenant.tenantId) =>
  (await listDeliveries(world, OPERATOR_CONTEXT, { owner, webhookId, ...page })).items;

const ids = () => receiver.received.map((message) => message.headers["webhook-id"]);

describe("a delivery", () => {
  const one = (webhookId: string) => ({ owner: tenant.tenantId, webhookId });

  it("can be sent again with its id, in every state", async () => {
    const { webhookId } = await add();
    await happen();
    await world.deliverDue();
    const [{ messageId } = { messageId: "" }] = await deliveriesOf(webhookId);
    const again = await resendDelivery(world, OPERATOR_CONTEXT, { ...one(webhookId), messageId });
    expect(again).toMatchObject({ state: "pending", attempts: 1 });
    await world.deliverDue();
    expect(ids()).toEqual([messageId, messageId]);
    expect((await deliveriesOf(webhookId))[0]).toMatchObject({ state: "succeeded", attempts: 2 });
  });

  it("is replayed from a given time on if it failed, but not if it succeeded", async () => {
    const { webhookId } = await add();
    await happen();
    await world.deliverDue();
    receiver.answer = (res) => res.writeHead(410).end();
    world.clock.advance(HOUR_MS);
    await happen();
    await world.deliverDue();
    const since = world.clock.now().toISOString();
    await updateWebhook(world, OPERATOR_CONTEXT, { ...one(webhookId), enabled: true });
    world.clock.advance(HOUR_MS);
    await happen(2);
    await world.deliverDue();
    const disabled = await refusalOf(
      replayDeliveries(world, OPERATOR_CONTEXT, { ...one(webhookId), since }),
    );
    expect(disabled.code).toBe("CONFLICT");
    await updateWebhook(world, OPERATOR_CONTEXT, { ...one(webhookId), enabled: true });
    receiver.answer = (res) => res.end();
    const later = new Date(world.clock.now().getTime() - 1).toISOString();
    const replay = (from: string) =>
      replayDeliveries(world, OPERATOR_CONTEXT, { ...one(webhookId), since: from });
    expect(await replay(later)).toEqual({ replayed: 2 });
    expect(await replay(since)).toEqual({ replayed: 1 });
    expect(await replay(since)).toEqual({ replayed: 0 });
    await world.deliverDue();
    expect((await deliveriesOf(webhookId)).every((each) => each.state === "succeeded")).toBe(true);
  });

  it("that used up its attempts in the last day is replayed, however old its event", async () => {
    const { webhookId } = await add();
    receiver.answer = (res) => res.writeHead(500).end();
    await happen();
    for (const delayMs of ATTEMPT_DELAYS_MS) {
      world.clock.advance(delayMs);
      await world.deliverDue();
    }
    expect((await deliveriesOf(webhookId))[0]).toMatchObject({ state: "failed", attempts: 10 });
    const since = new Date(world.clock.now().getTime() - DAY_MS).toISOString();
    const replay = { ...one(webhookId), since };
    expect(await replayDeliveries(world, OPERATOR_CONTEXT, replay)).toEqual({ replayed: 1 });
  });

  it("of a test is a ping, even to an endpoint that does not subscribe to it", async () => {
    const { webhookId } = await add({ eventTypes: ["key.created"] });
    const ping = await testWebhook(world, OPERATOR_CONTEXT, one(webhookId));
    await world.deliverDue();
    expect(JSON.parse(receiver.received[0]?.body ?? "")).toMatchObject({
      type: "ping",
      data: { webhookId },
    });
    expect(ids()).toEqual([ping.messageId]);
  });

  it("is deleted after 30 days, and not earlier", async () => {
    const { webhookId } = await add();
    await happen();
    await world.deliverDue();
    world.clock.advance(30 * DAY_MS - 1_000);
    await pruneNotifications(world);
    expect(await deliveriesOf(webhookId)).toHaveLength(1);
    world.clock.advance(2_000);
    await pruneNotifications(world);
    expect(await deliveriesOf(webhookId)).toHaveLength(0);
  });
});
