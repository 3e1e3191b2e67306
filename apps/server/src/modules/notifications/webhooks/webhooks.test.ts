import { WEBHOOK_EVENTS, webhookDeliveryDetail } from "@turnpike/contract/webhooks";
import { ATTEMPT_DELAYS_MS } from "@turnpike/domain/webhooks/retry-schedule";
import { refusalOf } from "@turnpike/testkit/refusal-of";
import { createTestDatabase, type TestDatabase } from "@turnpike/testkit/test-database";
import {
  contextOf,
  createTestTenant,
  OPERATOR_CONTEXT,
  type TestTenant,
} from "@turnpike/testkit/test-services";
import { startWebhookReceiver, type WebhookReceiver } from "@turnpike/testkit/webhook-receiver";
import { Webhook } from "standardwebhooks";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { createKey, revokeKey, rollKey, updateKey } from "#modules/keys/index.ts";
import { updateTenant } from "#modules/tenants/index.ts";
import { createGuardedOutbound } from "#platform/guarded-outbound.ts";
import { pruneNotifications } from "../prune-notifications.ts";
import { createWebhookWorld, type WebhookWorld } from "../testing/webhooks.fixture.ts";
import {
  getDelivery,
  listDeliveries,
  replayDeliveries,
  resendDelivery,
  testWebhook,
} from "./manage-deliveries.ts";
import {
  createWebhook,
  deleteWebhook,
  getWebhook,
  listWebhooks,
  rotateWebhookSecret,
  updateWebhook,
} from "./manage-webhooks.ts";
import { publishEvent } from "./publish-event.ts";
import { signWebhook } from "./sign-webhook.ts";
import { INSTALLATION, type WebhookOwner } from "./webhook-owner.ts";
import { CLAIM_MS, claim, handOn, PER_ENDPOINT_MAX } from "./webhook-pump.ts";

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
const types = () => receiver.received.map((message) => JSON.parse(message.body).type);

describe("an event", () => {
  it("older than an endpoint is not sent to it, even if it was still in the outbox", async () => {
    await happen();
    world.clock.advance(1_000);
    await add();
    await happen(2);
    expect(await world.deliverDue()).toBe(2);
    expect(receiver.received).toHaveLength(2);
  });

  it("arrives signed, with its type, time and data in the documented shape", async () => {
    const { secret, webhookId } = await add();
    const made = await createKey(world, tenant.context, {
      tenantId: tenant.tenantId,
      name: "Production",
      environment: "live",
      scopes: [],
      metadata: { team: "maps" },
    });
    const at = world.clock.now().toISOString();
    expect(await world.deliverDue()).toBe(1);
    const [message] = receiver.received;
    expect(message?.target).toBe("/hook");
    expect(message?.headers["content-type"]).toBe("application/json");
    const verified = new Webhook(secret).verify(message?.body ?? "", message?.headers ?? {});
    expect(verified).toMatchObject({ type: "key.created", timestamp: at });
    const { key } = WEBHOOK_EVENTS["key.created"].parse((verified as { data: unknown }).data);
    expect(key).toMatchObject({ keyId: made.keyId, name: "Production" });
    expect(message?.body).not.toContain(made.key);
    const [delivery] = await deliveriesOf(webhookId);
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
    await add();
    const { tenantId, context } = tenant;
    const fields = { tenantId, name: "k", environment: "live", scopes: [], metadata: {} } as const;
    const { keyId } = await createKey(world, context, { ...fields, scopes: [] });
    await updateKey(world, context, { tenantId, keyId, name: "other" });
    await updateKey(world, context, { tenantId, keyId, disabled: true });
    await updateKey(world, context, { tenantId, keyId, disabled: false });
    const rolled = await rollKey(world, context, { tenantId, keyId, graceSeconds: 60 });
    await revokeKey(world, context, { tenantId, keyId: rolled.keyId });
    await updateTenant(world, OPERATOR_CONTEXT, { tenantId, name: "New name" });
    await updateTenant(world, OPERATOR_CONTEXT, { tenantId, planId: "pro", suspended: true });
    await updateTenant(world, OPERATOR_CONTEXT, { tenantId, suspended: false });
    await world.deliverDue();
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
    for (const { body } of receiver.received) {
      const { type, data } = JSON.parse(body) as {
        type: keyof typeof WEBHOOK_EVENTS;
        data: unknown;
      };
      WEBHOOK_EVENTS[type].parse(data);
    }
  });

  it("is published if and only if the change commits", async () => {
    const { webhookId } = await add();
    const { tenantId } = tenant;
    const data = { tenantId, imported: 1, existing: 0, refused: 0 };
    const undone = world.transact.asTenant(tenantId, async (tx) => {
      await publishEvent(world, tx, { tenantId, type: "keys.imported", data });
      throw new Error("undo");
    });
    await expect(undone).rejects.toThrow("undo");
    expect(await world.deliverDue()).toBe(0);
    expect(await deliveriesOf(webhookId)).toEqual([]);
  });

  it("goes to endpoints that subscribe to its type, are enabled, and belong to the tenant or the installation", async () => {
    const theirs = await createTestTenant(world, `Theirs ${String(tenantCount)}`);
    await database.sql`delete from webhook_outbox`;
    const all = await add();
    const some = await add({ eventTypes: ["keys.imported", "key.created"] });
    const others = await add({ eventTypes: ["key.created"] });
    const disabled = await add();
    const one = { owner: tenant.tenantId, webhookId: disabled.webhookId };
    await updateWebhook(world, OPERATOR_CONTEXT, { ...one, enabled: false });
    const foreign = await add({ owner: theirs.tenantId });
    const operator = await add({ owner: INSTALLATION });
    await happen();
    expect(await world.deliverDue()).toBe(3);
    const count = async (webhook: { webhookId: string }, owner?: WebhookOwner) =>
      (await deliveriesOf(webhook.webhookId, owner)).length;
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
    const { webhookId } = await add();
    receiver.answer = (res) => res.writeHead(500).end("broken");
    await happen();
    const startedMs = world.clock.now().getTime();
    const atMs: number[] = [];
    // Minute by minute, and second by second in the first: there must be no attempt in between.
    for (let elapsedMs = 0; elapsedMs <= 80 * HOUR_MS; ) {
      const made = await world.deliverDue();
      if (made > 0) {
        atMs.push(world.clock.now().getTime() - startedMs);
      }
      const [delivery] = await deliveriesOf(webhookId);
      if (delivery?.nextAttemptAt === null) {
        break;
      }
      // Just before it is due, there is nothing to do.
      const waitMs = Date.parse(delivery?.nextAttemptAt ?? "") - world.clock.now().getTime();
      world.clock.advance(waitMs - 1);
      expect(await world.deliverDue()).toBe(0);
      world.clock.advance(1);
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
    expect(new Set(receiver.received.map((m) => m.headers["webhook-timestamp"])).size).toBe(10);
    expect(new Set(receiver.received.map((m) => m.headers["webhook-signature"])).size).toBe(10);
    const [delivery] = await deliveriesOf(webhookId);
    expect(delivery).toMatchObject({ state: "failed", attempts: 10, lastStatus: 500 });
    const detail = webhookDeliveryDetail.parse(
      await getDelivery(world, OPERATOR_CONTEXT, {
        owner: tenant.tenantId,
        webhookId,
        messageId: delivery?.messageId ?? "",
      }),
    );
    expect(detail.attemptLog.map((each) => each.attempt)).toEqual([10, 9, 8, 7, 6, 5, 4, 3, 2, 1]);
    expect(detail.attemptLog[0]).toMatchObject({ status: 500, error: null, response: "broken" });
    // One message that never arrives does not disable the endpoint.
    const one = { owner: tenant.tenantId, webhookId };
    expect((await getWebhook(world, OPERATOR_CONTEXT, one)).state).toBe("enabled");
    expect(world.told).toEqual([]);
  });

  it("obeys Retry-After, for the message and for the whole endpoint", async () => {
    const { webhookId } = await add();
    receiver.answer = (res) => res.writeHead(429, { "retry-after": "600" }).end();
    await happen();
    await world.deliverDue();
    await happen();
    receiver.answer = (res) => res.end();
    world.clock.advance(599_000);
    expect(await world.deliverDue()).toBe(0);
    world.clock.advance(1_000);
    expect(await world.deliverDue()).toBe(2);
    expect((await deliveriesOf(webhookId)).map((each) => each.state)).toEqual([
      "succeeded",
      "succeeded",
    ]);
  });

  it("counts redirects as failures and does not follow them", async () => {
    const elsewhere = await startWebhookReceiver();
    const { webhookId } = await add();
    receiver.answer = (res) => res.writeHead(308, { location: elsewhere.url }).end();
    await happen();
    await world.deliverDue();
    expect((await deliveriesOf(webhookId))[0]).toMatchObject({ state: "pending", lastStatus: 308 });
    expect(elsewhere.connections()).toBe(0);
    await elsewhere.close();
  });

  it("shows at most 1 kB of an answer, sanitised", async () => {
    const { webhookId } = await add();
    receiver.answer = (res) => res.writeHead(500).end(`\u0000\u202eevil${"x".repeat(100_000)}`);
    await happen();
    await world.deliverDue();
    const [{ messageId } = { messageId: "" }] = await deliveriesOf(webhookId);
    const { attemptLog } = await getDelivery(world, OPERATOR_CONTEXT, {
      owner: tenant.tenantId,
      webhookId,
      messageId,
    });
    const response = attemptLog[0]?.response ?? "";
    expect(response.startsWith("evilx")).toBe(true);
    expect(response.length).toBeLessThanOrEqual(1_024);
  });

  it("says why there was no answer", async () => {
    const { webhookId } = await add();
    await receiver.close();
    await happen();
    await world.deliverDue();
    receiver = await startWebhookReceiver();
    const [{ messageId } = { messageId: "" }] = await deliveriesOf(webhookId);
    const one = { owner: tenant.tenantId, webhookId, messageId };
    const { attemptLog, lastStatus } = await getDelivery(world, OPERATOR_CONTEXT, one);
    expect(lastStatus).toBeNull();
    expect(attemptLog).toMatchObject([{ status: null, error: "The connection was refused." }]);
  });

  it("has at most four messages of an endpoint in flight, and one that hangs does not hold up other endpoints", async () => {
    const slow = await add({ eventTypes: ["keys.imported"] });
    await happen(PER_ENDPOINT_MAX + 3);
    await handOn(world);
    const fast = await add({ owner: INSTALLATION });
    await happen();
    await handOn(world);
    const hanging = await claim(world, { permits: 100 });
    const bySlow = hanging.filter((each) => each.webhook_id === slow.webhookId);
    expect(bySlow.length).toBe(PER_ENDPOINT_MAX);
    expect(hanging.filter((each) => each.webhook_id === fast.webhookId).length).toBe(1);
    // While those are in flight, neither this process nor another claims more.
    expect((await claim(world, { permits: 100 })).length).toBe(0);
    world.clock.advance(CLAIM_MS);
    const again = await claim(world, { permits: 100 });
    expect(again.filter((each) => each.webhook_id === slow.webhookId).length).toBe(
      PER_ENDPOINT_MAX,
    );
  });
});

describe("an endpoint", () => {
  const one = (webhookId: string) => ({ owner: tenant.tenantId, webhookId });
  /** Sends an event each day, and fails with everything that is due then. */
  const failDaily = async (days: number) => {
    for (let day = 0; day < days; day += 1) {
      world.clock.advance(DAY_MS);
      await happen();
      await world.deliverDue();
    }
  };

  it("that answers 410 Gone is disabled at once with its waiting deliveries, and its people are notified", async () => {
    const { webhookId } = await add();
    receiver.answer = (res) => res.writeHead(410).end();
    await happen(2);
    await world.deliverDue();
    const webhook = await getWebhook(world, OPERATOR_CONTEXT, one(webhookId));
    expect(webhook).toMatchObject({
      state: "auto_disabled",
      disabledReason: "It answered 410 Gone.",
    });
    expect((await deliveriesOf(webhookId)).map((each) => each.state)).toEqual(["failed", "failed"]);
    expect(world.told).toMatchObject([{ tenantId: tenant.tenantId }]);
    await happen();
    expect(await world.deliverDue()).toBe(0);
  });

  it("is shown by origin and description to people who may not see its address", async () => {
    await add({ url: `${receiver.url}/hook/s3cr3t?token=t0k3n`, description: "Billing" });
    receiver.answer = (res) => res.writeHead(410).end();
    await happen();
    await world.deliverDue();
    expect(world.told[0]?.body.split("\n")[0]).toBe(`${receiver.url} (Billing)`);
    expect(world.told[0]?.body).not.toMatch(/s3cr3t|t0k3n/);
  });

  it("is disabled after five days without a success; one success before that saves it", async () => {
    const { webhookId } = await add();
    receiver.answer = (res) => res.writeHead(503).end();
    await happen();
    await world.deliverDue();
    world.clock.advance(4 * DAY_MS);
    receiver.answer = (res) => res.end();
    await world.deliverDue();
    expect((await getWebhook(world, OPERATOR_CONTEXT, one(webhookId))).failingSince).toBeNull();
    receiver.answer = (res) => res.writeHead(503).end();
    await happen();
    await world.deliverDue();
    await failDaily(4);
    world.clock.advance(DAY_MS - 1);
    await happen();
    await world.deliverDue();
    expect((await getWebhook(world, OPERATOR_CONTEXT, one(webhookId))).state).toBe("enabled");
    world.clock.advance(1);
    await happen();
    await world.deliverDue();
    expect((await getWebhook(world, OPERATOR_CONTEXT, one(webhookId))).state).toBe("auto_disabled");
    expect(world.told.length).toBe(1);
    expect(
      await database.sql`select 1 from audit_entries where entity_id = ${webhookId} and action = 'webhook.auto_disabled'`,
    ).toHaveLength(1);
  });

  it("that rarely gets events is not disabled for two failures far apart", async () => {
    const { webhookId } = await add();
    receiver.answer = (res) => res.writeHead(500).end();
    await happen();
    for (const delayMs of ATTEMPT_DELAYS_MS) {
      world.clock.advance(delayMs);
      await world.deliverDue();
    }
    world.clock.advance(3 * DAY_MS);
    await happen();
    await world.deliverDue();
    expect(await getWebhook(world, OPERATOR_CONTEXT, one(webhookId))).toMatchObject({
      state: "enabled",
      failingSince: world.clock.now().toISOString(),
    });
    expect((await deliveriesOf(webhookId))[0]).toMatchObject({ state: "pending", attempts: 1 });
  });

  it("starts over with another address, without the failures of the old one", async () => {
    const { webhookId } = await add();
    receiver.answer = (res) => res.writeHead(503).end();
    await failDaily(4);
    const url = `${receiver.url}/elsewhere`;
    const changed = await updateWebhook(world, OPERATOR_CONTEXT, { ...one(webhookId), url });
    expect(changed).toMatchObject({ url, state: "enabled", failingSince: null });
    await failDaily(5);
    expect((await getWebhook(world, OPERATOR_CONTEXT, one(webhookId))).state).toBe("enabled");
    await failDaily(1);
    expect((await getWebhook(world, OPERATOR_CONTEXT, one(webhookId))).state).toBe("auto_disabled");
  });

  it("signs with both secrets until the grace period ends", async () => {
    const { webhookId, secret: old } = await add();
    const rotated = await rotateWebhookSecret(world, OPERATOR_CONTEXT, {
      ...one(webhookId),
      graceSeconds: 3_600,
    });
    expect(rotated.secret).not.toBe(old);
    await happen();
    await world.deliverDue();
    const [first] = receiver.received;
    for (const secret of [old, rotated.secret]) {
      new Webhook(secret).verify(first?.body ?? "", first?.headers ?? {});
    }
    world.clock.advance(HOUR_MS);
    await happen();
    await world.deliverDue();
    expect(receiver.received[1]?.headers["webhook-signature"]?.split(" ").length).toBe(1);
    expect((await getWebhook(world, OPERATOR_CONTEXT, one(webhookId))).previousSecretUntil).toBe(
      null,
    );
  });

  it("signs with each earlier secret until its own grace period ends, unless there is none", async () => {
    const { webhookId, secret: first } = await add();
    const rotate = async (graceSeconds: number) => {
      const input = { ...one(webhookId), graceSeconds };
      return (await rotateWebhookSecret(world, OPERATOR_CONTEXT, input)).secret;
    };
    /** Which of them sign the messages sent now. */
    const signing = async (...secrets: string[]) => {
      await happen();
      await world.deliverDue();
      const { headers = {}, body = "" } = receiver.received.at(-1) ?? {};
      const signatures = headers["webhook-signature"]?.split(" ");
      const messageId = headers["webhook-id"] ?? "";
      return secrets.filter((secret) => {
        const own = signWebhook({ secrets: [secret], messageId, at: world.clock.now(), body });
        return signatures?.includes(own["webhook-signature"]);
      });
    };
    const second = await rotate(86_400);
    const third = await rotate(3_600);
    expect(await signing(first, second, third)).toEqual([first, second, third]);
    expect((await getWebhook(world, OPERATOR_CONTEXT, one(webhookId))).previousSecretUntil).toBe(
      new Date(world.clock.now().getTime() + DAY_MS).toISOString(),
    );
    world.clock.advance(HOUR_MS);
    expect(await signing(first, second, third)).toEqual([first, third]);
    for (let count = 0; count < 4; count += 1) {
      await rotate(3_600);
    }
    const tooMany = await refusalOf(
      rotateWebhookSecret(world, OPERATOR_CONTEXT, { ...one(webhookId), graceSeconds: 3_600 }),
    );
    expect(tooMany.code).toBe("CONFLICT");
    expect(await signing(first, third)).toEqual([first, third]);
    const only = await rotate(0);
    expect(await signing(first, third, only)).toEqual([only]);
  });

  it("stores no secret in the clear, and shows it in no later answer", async () => {
    const { webhookId, secret } = await add();
    const stored = JSON.stringify([
      ...(await database.sql`select * from webhook_endpoints`),
      ...(await database.sql`select * from audit_entries`),
    ]);
    expect(stored).toContain(webhookId);
    expect(stored).not.toContain(secret.slice("whsec_".length));
    const answers = [
      await listWebhooks(world, OPERATOR_CONTEXT, { owner: tenant.tenantId }),
      await getWebhook(world, OPERATOR_CONTEXT, one(webhookId)),
    ];
    expect(JSON.stringify(answers)).not.toContain("whsec_");
  });

  it("whose secret cannot be read is not called, and says what to do", async () => {
    const { webhookId } = await add();
    await database.sql`update webhook_endpoints set secret = 'broken' where webhook_id = ${webhookId}`;
    await happen();
    await world.deliverDue();
    expect(receiver.connections()).toBe(0);
    const [{ messageId } = { messageId: "" }] = await deliveriesOf(webhookId);
    const detail = await getDelivery(world, OPERATOR_CONTEXT, { ...one(webhookId), messageId });
    expect(detail.attemptLog[0]?.error).toContain("rotate");
  });

  it("must not have a private address: refused when saved, when tested and when sent", async () => {
    const closed = { ...world, webhookTargets: createGuardedOutbound({ allowPrivate: [] }) };
    const refusal = await refusalOf(
      createWebhook(closed, OPERATOR_CONTEXT, {
        owner: tenant.tenantId,
        url: receiver.url,
        description: "",
        eventTypes: ["*"],
      }),
    );
    expect(refusal).toMatchObject({ code: "INVALID_REQUEST", errors: [{ pointer: "/url" }] });
    const { webhookId } = await add();
    const change = { ...one(webhookId), url: receiver.url };
    expect((await refusalOf(updateWebhook(closed, OPERATOR_CONTEXT, change))).code).toBe(
      "INVALID_REQUEST",
    );
    expect((await refusalOf(testWebhook(closed, OPERATOR_CONTEXT, one(webhookId)))).code).toBe(
      "INVALID_REQUEST",
    );
    await happen();
    const sending = createWebhookWorld(database, new Date());
    sending.guardedOutbound.post = createGuardedOutbound({ allowPrivate: [] }).post;
    expect(await sending.deliverDue()).toBe(1);
    expect((await deliveriesOf(webhookId))[0]).toMatchObject({ state: "pending", attempts: 1 });
    expect(receiver.connections()).toBe(0);
  });

  it("is limited to ten, even when eleven are added at once", async () => {
    const results = await Promise.allSettled(Array.from({ length: 12 }, () => add()));
    expect(results.filter((result) => result.status === "fulfilled").length).toBe(10);
    const { items } = await listWebhooks(world, OPERATOR_CONTEXT, { owner: tenant.tenantId });
    expect(items.length).toBe(10);
  });

  it("is deleted with all of its deliveries", async () => {
    const { webhookId } = await add();
    await happen();
    await world.deliverDue();
    await deleteWebhook(world, OPERATOR_CONTEXT, one(webhookId));
    for (const table of ["webhook_endpoints", "webhook_deliveries", "webhook_attempts"]) {
      expect(await database.sql`select 1 from ${database.sql(table)}`).toHaveLength(0);
    }
  });
});

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

describe("webhooks of another tenant", () => {
  it("are as invisible to every operation as if they did not exist", async () => {
    const theirs = await createTestTenant(world, `Theirs ${String(tenantCount)}`);
    const { webhookId } = await add();
    await happen();
    await world.deliverDue();
    const [{ messageId } = { messageId: "" }] = await deliveriesOf(webhookId);
    const operations = (owner: WebhookOwner, id: string) => {
      const named = { owner, webhookId: id };
      return [
        () => getWebhook(world, theirs.context, named),
        () => updateWebhook(world, theirs.context, { ...named, description: "mine" }),
        () => deleteWebhook(world, theirs.context, named),
        () => rotateWebhookSecret(world, theirs.context, { ...named, graceSeconds: 0 }),
        () => testWebhook(world, theirs.context, named),
        () => listDeliveries(world, theirs.context, { ...named, ...page }),
        () => getDelivery(world, theirs.context, { ...named, messageId }),
        () => resendDelivery(world, theirs.context, { ...named, messageId }),
        () => replayDeliveries(world, theirs.context, { ...named, since: "2026-01-01T00:00:00Z" }),
      ];
    };
    const ours = operations(tenant.tenantId, webhookId);
    const own = operations(theirs.tenantId, webhookId);
    const missing = operations(theirs.tenantId, world.newId("webhook"));
    for (const [index, call] of own.entries()) {
      const refusal = await refusalOf(call());
      const expected = await refusalOf((missing[index] ?? call)());
      expect({ code: refusal.code, message: refusal.message }).toEqual({
        code: "RESOURCE_NOT_FOUND",
        message: expected.message,
      });
      expect((await refusalOf((ours[index] ?? call)())).code).toBe("RESOURCE_NOT_FOUND");
    }
    const seen = await world.transact.asTenant(theirs.tenantId, async (tx) => [
      ...(await tx`select 1 from webhook_endpoints`),
      ...(await tx`select 1 from webhook_deliveries`),
      ...(await tx`select 1 from webhook_attempts`),
    ]);
    expect(seen).toEqual([]);
    expect((await deliveriesOf(webhookId))[0]).toMatchObject({ state: "succeeded", attempts: 1 });
  });

  it("are only for owners and admins, and those of the installation only for operators", async () => {
    const { tenantId } = tenant;
    const key = (scopes: "webhooks:read"[]) =>
      contextOf({ type: "key", id: "key_1", tenantId, scopes });
    const create = (context: typeof OPERATOR_CONTEXT, owner: WebhookOwner) =>
      refusalOf(
        createWebhook(world, context, {
          owner,
          url: receiver.url,
          description: "",
          eventTypes: ["*"],
        }),
      );
    expect((await create(key(["webhooks:read"]), tenantId)).code).toBe("INSUFFICIENT_SCOPE");
    expect((await create(tenant.context, INSTALLATION)).code).toBe("INSUFFICIENT_SCOPE");
    const user = (role: "developer" | "viewer" | "billing") =>
      contextOf({
        type: "user",
        id: world.newId("user"),
        isOperator: false,
        roles: new Map([[tenantId, role]]),
      });
    for (const role of ["developer", "viewer", "billing"] as const) {
      const refusal = await refusalOf(listWebhooks(world, user(role), { owner: tenantId }));
      expect(refusal.code).toBe("INSUFFICIENT_SCOPE");
    }
    const nowhere = world.newId("tenant");
    expect((await create(OPERATOR_CONTEXT, nowhere)).code).toBe("RESOURCE_NOT_FOUND");
  });
});
