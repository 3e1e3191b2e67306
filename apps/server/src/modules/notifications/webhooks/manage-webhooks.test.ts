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
import { createGuardedOutbound } from "#platform/guarded-outbound.ts";
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
