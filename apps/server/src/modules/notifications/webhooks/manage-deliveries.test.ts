import { ATTEMPT_DELAYS_MS } from "@turnpike/domain/webhooks/retry-schedule";
import { refusalOf } from "@turnpike/testkit/refusal-of";
import { createTestDatabase, type TestDatabase } from "@turnpike/testkit/test-database";
import { OPERATOR_CONTEXT } from "@turnpike/testkit/test-services";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { pruneNotifications } from "../prune-notifications.ts";
import { openWebhookStage, type WebhookStage } from "../testing/webhooks.fixture.ts";
import { replayDeliveries, resendDelivery, testWebhook } from "./manage-deliveries.ts";
import { updateWebhook } from "./manage-webhooks.ts";

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

let database: TestDatabase;
let stage: WebhookStage;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.close());
beforeEach(async () => {
  stage = await openWebhookStage(database, new Date());
  return () => stage.receiver.close();
});

const ids = () => stage.receiver.received.map((message) => message.headers["webhook-id"]);

describe("a delivery", () => {
  const one = (webhookId: string) => ({ owner: stage.tenant.tenantId, webhookId });

  it("can be sent again with its id, in every state", async () => {
    const { webhookId } = await stage.add();
    await stage.happen();
    await stage.world.deliverDue();
    const [{ messageId } = { messageId: "" }] = await stage.deliveriesOf(webhookId);
    const again = await resendDelivery(stage.world, OPERATOR_CONTEXT, {
      ...one(webhookId),
      messageId,
    });
    expect(again).toMatchObject({ state: "pending", attempts: 1 });
    await stage.world.deliverDue();
    expect(ids()).toEqual([messageId, messageId]);
    expect((await stage.deliveriesOf(webhookId))[0]).toMatchObject({
      state: "succeeded",
      attempts: 2,
    });
  });

  it("is replayed from a given time on if it failed, but not if it succeeded", async () => {
    const { webhookId } = await stage.add();
    await stage.happen();
    await stage.world.deliverDue();
    stage.receiver.answer = (res) => res.writeHead(410).end();
    stage.world.clock.advance(HOUR_MS);
    await stage.happen();
    await stage.world.deliverDue();
    const since = stage.world.clock.now().toISOString();
    await updateWebhook(stage.world, OPERATOR_CONTEXT, { ...one(webhookId), enabled: true });
    stage.world.clock.advance(HOUR_MS);
    await stage.happen(2);
    await stage.world.deliverDue();
    const disabled = await refusalOf(
      replayDeliveries(stage.world, OPERATOR_CONTEXT, { ...one(webhookId), since }),
    );
    expect(disabled.code).toBe("CONFLICT");
    await updateWebhook(stage.world, OPERATOR_CONTEXT, { ...one(webhookId), enabled: true });
    stage.receiver.answer = (res) => res.end();
    const later = new Date(stage.world.clock.now().getTime() - 1).toISOString();
    const replay = (from: string) =>
      replayDeliveries(stage.world, OPERATOR_CONTEXT, { ...one(webhookId), since: from });
    expect(await replay(later)).toEqual({ replayed: 2 });
    expect(await replay(since)).toEqual({ replayed: 1 });
    expect(await replay(since)).toEqual({ replayed: 0 });
    await stage.world.deliverDue();
    expect((await stage.deliveriesOf(webhookId)).every((each) => each.state === "succeeded")).toBe(
      true,
    );
  });

  it("that used up its attempts in the last day is replayed, however old its event", async () => {
    const { webhookId } = await stage.add();
    stage.receiver.answer = (res) => res.writeHead(500).end();
    await stage.happen();
    for (const delayMs of ATTEMPT_DELAYS_MS) {
      stage.world.clock.advance(delayMs);
      await stage.world.deliverDue();
    }
    expect((await stage.deliveriesOf(webhookId))[0]).toMatchObject({
      state: "failed",
      attempts: 10,
    });
    const since = new Date(stage.world.clock.now().getTime() - DAY_MS).toISOString();
    const replay = { ...one(webhookId), since };
    expect(await replayDeliveries(stage.world, OPERATOR_CONTEXT, replay)).toEqual({ replayed: 1 });
  });

  it("of a test is a ping, even to an endpoint that does not subscribe to it", async () => {
    const { webhookId } = await stage.add({ eventTypes: ["key.created"] });
    const ping = await testWebhook(stage.world, OPERATOR_CONTEXT, one(webhookId));
    await stage.world.deliverDue();
    expect(JSON.parse(stage.receiver.received[0]?.body ?? "")).toMatchObject({
      type: "ping",
      data: { webhookId },
    });
    expect(ids()).toEqual([ping.messageId]);
  });

  it("is deleted after 30 days, and not earlier", async () => {
    const { webhookId } = await stage.add();
    await stage.happen();
    await stage.world.deliverDue();
    stage.world.clock.advance(30 * DAY_MS - 1_000);
    await pruneNotifications(stage.world);
    expect(await stage.deliveriesOf(webhookId)).toHaveLength(1);
    stage.world.clock.advance(2_000);
    await pruneNotifications(stage.world);
    expect(await stage.deliveriesOf(webhookId)).toHaveLength(0);
  });
});
