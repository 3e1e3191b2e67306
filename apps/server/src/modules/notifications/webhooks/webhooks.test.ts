import { WEBHOOK_EVENTS, webhookDeliveryDetail } from "@turnpike/contract/webhooks";
import { createTestDatabase, type TestDatabase } from "@turnpike/testkit/test-database";
import { createTestTenant, OPERATOR_CONTEXT } from "@turnpike/testkit/test-services";
import { startWebhookReceiver } from "@turnpike/testkit/webhook-receiver";
import { Webhook } from "standardwebhooks";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { createKey, revokeKey, rollKey, updateKey } from "#modules/keys/index.ts";
import { updateTenant } from "#modules/tenants/index.ts";
import { openWebhookStage, type WebhookStage } from "../testing/webhooks.fixture.ts";
import { getDelivery } from "./manage-deliveries.ts";
import { getWebhook, updateWebhook } from "./manage-webhooks.ts";
import { publishEvent } from "./publish-event.ts";
import { INSTALLATION, type WebhookOwner } from "./webhook-owner.ts";
import { CLAIM_MS, claim, handOn, PER_ENDPOINT_MAX } from "./webhook-pump.ts";

const HOUR_MS = 3_600_000;

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
const types = () => stage.receiver.received.map((message) => JSON.parse(message.body).type);

describe("an event", () => {
  it("older than an endpoint is not sent to it, even if it was still in the outbox", async () => {
    await stage.happen();
    stage.world.clock.advance(1_000);
    await stage.add();
    await stage.happen(2);
    expect(await stage.world.deliverDue()).toBe(2);
    expect(stage.receiver.received).toHaveLength(2);
  });

  it("arrives signed, with its type, time and data in the documented shape", async () => {
    const { secret, webhookId } = await stage.add();
    const made = await createKey(stage.world, stage.tenant.context, {
      tenantId: stage.tenant.tenantId,
      name: "Production",
      environment: "live",
      scopes: [],
      metadata: { team: "maps" },
    });
    const at = stage.world.clock.now().toISOString();
    expect(await stage.world.deliverDue()).toBe(1);
    const [message] = stage.receiver.received;
    expect(message?.target).toBe("/hook");
    expect(message?.headers["content-type"]).toBe("application/json");
    const verified = new Webhook(secret).verify(message?.body ?? "", message?.headers ?? {});
    expect(verified).toMatchObject({ type: "key.created", timestamp: at });
    const { key } = WEBHOOK_EVENTS["key.created"].parse((verified as { data: unknown }).data);
    expect(key).toMatchObject({ keyId: made.keyId, name: "Production" });
    expect(message?.body).not.toContain(made.key);
    const [delivery] = await stage.deliveriesOf(webhookId);
    expect(delivery).toMatchObject({
      messageId: message?.headers["webhook-id"],
      type: "key.created",
      state: "succeeded",
      attempts: 1,
      lastStatus: 200,
      nextAttemptAt: null,
      finishedAt: at,
    });
  });

  it("is published for each change of a key and of a tenant, in the shape of its type", async () => {
    await stage.add();
    const { tenantId, context } = stage.tenant;
    const fields = { tenantId, name: "k", environment: "live", scopes: [], metadata: {} } as const;
    const { keyId } = await createKey(stage.world, context, { ...fields, scopes: [] });
    await updateKey(stage.world, context, { tenantId, keyId, name: "other" });
    await updateKey(stage.world, context, { tenantId, keyId, disabled: true });
    await updateKey(stage.world, context, { tenantId, keyId, disabled: false });
    const rolled = await rollKey(stage.world, context, { tenantId, keyId, graceSeconds: 60 });
    await revokeKey(stage.world, context, { tenantId, keyId: rolled.keyId });
    await updateTenant(stage.world, OPERATOR_CONTEXT, { tenantId, name: "New name" });
    await updateTenant(stage.world, OPERATOR_CONTEXT, { tenantId, planId: "pro", suspended: true });
    await updateTenant(stage.world, OPERATOR_CONTEXT, { tenantId, suspended: false });
    await stage.world.deliverDue();
    expect(types().sort()).toEqual([
      "key.created",
      "key.disabled",
      "key.enabled",
      "key.revoked",
      "key.rolled",
      "key.updated",
      "tenant.plan_changed",
      "tenant.resumed",
      "tenant.suspended",
      "tenant.updated",
    ]);
    for (const { body } of stage.receiver.received) {
      const { type, data } = JSON.parse(body) as {
        type: keyof typeof WEBHOOK_EVENTS;
        data: unknown;
      };
      WEBHOOK_EVENTS[type].parse(data);
    }
  });

  it("is published if and only if the change commits", async () => {
    const { webhookId } = await stage.add();
    const { tenantId } = stage.tenant;
    const data = { tenantId, imported: 1, existing: 0, refused: 0 };
    const undone = stage.world.transact.asTenant(tenantId, async (tx) => {
      await publishEvent(stage.world, tx, { tenantId, type: "keys.imported", data });
      throw new Error("undo");
    });
    await expect(undone).rejects.toThrow("undo");
    expect(await stage.world.deliverDue()).toBe(0);
    expect(await stage.deliveriesOf(webhookId)).toEqual([]);
  });

  it("goes to endpoints that subscribe to its type, are enabled, and belong to the tenant or the installation", async () => {
    const theirs = await createTestTenant(stage.world, "Theirs");
    await database.sql`delete from webhook_outbox`;
    const all = await stage.add();
    const some = await stage.add({ eventTypes: ["keys.imported", "key.created"] });
    const others = await stage.add({ eventTypes: ["key.created"] });
    const disabled = await stage.add();
    const one = { owner: stage.tenant.tenantId, webhookId: disabled.webhookId };
    await updateWebhook(stage.world, OPERATOR_CONTEXT, { ...one, enabled: false });
    const foreign = await stage.add({ owner: theirs.tenantId });
    const operator = await stage.add({ owner: INSTALLATION });
    await stage.happen();
    expect(await stage.world.deliverDue()).toBe(3);
    const count = async (webhook: { webhookId: string }, owner?: WebhookOwner) =>
      (await stage.deliveriesOf(webhook.webhookId, owner)).length;
    expect(await count(all)).toBe(1);
    expect(await count(some)).toBe(1);
    expect(await count(operator, INSTALLATION)).toBe(1);
    expect(await count(others)).toBe(0);
    expect(await count(disabled)).toBe(0);
    expect(await count(foreign, theirs.tenantId)).toBe(0);
    // The same event has the same id everywhere, and the outbox is empty.
    expect(new Set(ids()).size).toBe(1);
    expect((await database.sql`select 1 from webhook_outbox`).length).toBe(0);
  });
});

describe("the schedule", () => {
  it("has ten attempts over 75 h 35 m 5 s with one id, each with its own time and signature", async () => {
    const { webhookId } = await stage.add();
    stage.receiver.answer = (res) => res.writeHead(500).end("broken");
    await stage.happen();
    const startedMs = stage.world.clock.now().getTime();
    const atMs: number[] = [];
    // Minute by minute, and second by second in the first: there must be no attempt in between.
    for (let elapsedMs = 0; elapsedMs <= 80 * HOUR_MS; ) {
      const made = await stage.world.deliverDue();
      if (made > 0) {
        atMs.push(stage.world.clock.now().getTime() - startedMs);
      }
      const [delivery] = await stage.deliveriesOf(webhookId);
      if (delivery?.nextAttemptAt === null) {
        break;
      }
      // Just before it is due, there is nothing to do.
      const waitMs = Date.parse(delivery?.nextAttemptAt ?? "") - stage.world.clock.now().getTime();
      stage.world.clock.advance(waitMs - 1);
      expect(await stage.world.deliverDue()).toBe(0);
      stage.world.clock.advance(1);
      elapsedMs += waitMs;
    }
    const SECONDS = [0, 5, 300, 1_800, 7_200, 18_000, 36_000, 50_400, 72_000, 86_400];
    let sum = 0;
    expect(atMs).toEqual(
      SECONDS.map((seconds) => {
        sum += seconds * 1_000;
        return sum;
      }),
    );
    expect(sum).toBe(((75 * 60 + 35) * 60 + 5) * 1_000);
    expect(new Set(ids()).size).toBe(1);
    expect(new Set(stage.receiver.received.map((m) => m.headers["webhook-timestamp"])).size).toBe(
      10,
    );
    expect(new Set(stage.receiver.received.map((m) => m.headers["webhook-signature"])).size).toBe(
      10,
    );
    const [delivery] = await stage.deliveriesOf(webhookId);
    expect(delivery).toMatchObject({ state: "failed", attempts: 10, lastStatus: 500 });
    const detail = webhookDeliveryDetail.parse(
      await getDelivery(stage.world, OPERATOR_CONTEXT, {
        owner: stage.tenant.tenantId,
        webhookId,
        messageId: delivery?.messageId ?? "",
      }),
    );
    expect(detail.attemptLog.map((each) => each.attempt)).toEqual([10, 9, 8, 7, 6, 5, 4, 3, 2, 1]);
    expect(detail.attemptLog[0]).toMatchObject({ status: 500, error: null, response: "broken" });
    // One message that never arrives does not disable the endpoint.
    const one = { owner: stage.tenant.tenantId, webhookId };
    expect((await getWebhook(stage.world, OPERATOR_CONTEXT, one)).state).toBe("enabled");
    expect(stage.world.told).toEqual([]);
  });

  it("obeys Retry-After, for the message and for the whole endpoint", async () => {
    const { webhookId } = await stage.add();
    stage.receiver.answer = (res) => res.writeHead(429, { "retry-after": "600" }).end();
    await stage.happen();
    await stage.world.deliverDue();
    await stage.happen();
    stage.receiver.answer = (res) => res.end();
    stage.world.clock.advance(599_000);
    expect(await stage.world.deliverDue()).toBe(0);
    stage.world.clock.advance(1_000);
    expect(await stage.world.deliverDue()).toBe(2);
    expect((await stage.deliveriesOf(webhookId)).map((each) => each.state)).toEqual([
      "succeeded",
      "succeeded",
    ]);
  });

  it("counts redirects as failures and does not follow them", async () => {
    const elsewhere = await startWebhookReceiver();
    const { webhookId } = await stage.add();
    stage.receiver.answer = (res) => res.writeHead(308, { location: elsewhere.url }).end();
    await stage.happen();
    await stage.world.deliverDue();
    expect((await stage.deliveriesOf(webhookId))[0]).toMatchObject({
      state: "pending",
      lastStatus: 308,
    });
    expect(elsewhere.connections()).toBe(0);
    await elsewhere.close();
  });

  it("shows at most 1 kB of an answer, sanitised", async () => {
    const { webhookId } = await stage.add();
    stage.receiver.answer = (res) =>
      res.writeHead(500).end(`\u0000\u202eevil${"x".repeat(100_000)}`);
    await stage.happen();
    await stage.world.deliverDue();
    const [{ messageId } = { messageId: "" }] = await stage.deliveriesOf(webhookId);
    const { attemptLog } = await getDelivery(stage.world, OPERATOR_CONTEXT, {
      owner: stage.tenant.tenantId,
      webhookId,
      messageId,
    });
    const response = attemptLog[0]?.response ?? "";
    expect(response.startsWith("evilx")).toBe(true);
    expect(response.length).toBeLessThanOrEqual(1_024);
  });

  it("says why there was no answer", async () => {
    const { webhookId } = await stage.add();
    await stage.receiver.close();
    await stage.happen();
    await stage.world.deliverDue();
    stage.receiver = await startWebhookReceiver();
    const [{ messageId } = { messageId: "" }] = await stage.deliveriesOf(webhookId);
    const one = { owner: stage.tenant.tenantId, webhookId, messageId };
    const { attemptLog, lastStatus } = await getDelivery(stage.world, OPERATOR_CONTEXT, one);
    expect(lastStatus).toBeNull();
    expect(attemptLog).toMatchObject([{ status: null, error: "The connection was refused." }]);
  });

  it("has at most four messages of an endpoint in flight, and one that hangs does not hold up other endpoints", async () => {
    const slow = await stage.add({ eventTypes: ["keys.imported"] });
    await stage.happen(PER_ENDPOINT_MAX + 3);
    await handOn(stage.world);
    const fast = await stage.add({ owner: INSTALLATION });
    await stage.happen();
    await handOn(stage.world);
    const hanging = await claim(stage.world, { permits: 100 });
    const bySlow = hanging.filter((each) => each.webhook_id === slow.webhookId);
    expect(bySlow.length).toBe(PER_ENDPOINT_MAX);
    expect(hanging.filter((each) => each.webhook_id === fast.webhookId).length).toBe(1);
    // While those are in flight, neither this process nor another claims more.
    expect((await claim(stage.world, { permits: 100 })).length).toBe(0);
    stage.world.clock.advance(CLAIM_MS);
    const again = await claim(stage.world, { permits: 100 });
    expect(again.filter((each) => each.webhook_id === slow.webhookId).length).toBe(
      PER_ENDPOINT_MAX,
    );
  });
});
