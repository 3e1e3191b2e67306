import { ATTEMPT_DELAYS_MS } from "@turnpike/domain/webhooks/retry-schedule";
import { refusalOf } from "@turnpike/testkit/refusal-of";
import { createTestDatabase, type TestDatabase } from "@turnpike/testkit/test-database";
import { contextOf, createTestTenant, OPERATOR_CONTEXT } from "@turnpike/testkit/test-services";
import { Webhook } from "standardwebhooks";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { createGuardedOutbound } from "#platform/guarded-outbound.ts";
import {
  createWebhookWorld,
  openWebhookStage,
  type WebhookStage,
} from "../testing/webhooks.fixture.ts";
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
import { signWebhook } from "./sign-webhook.ts";
import { INSTALLATION, type WebhookOwner } from "./webhook-owner.ts";

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const page = { limit: 100 };

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

describe("an endpoint", () => {
  const one = (webhookId: string) => ({ owner: stage.tenant.tenantId, webhookId });
  /** Sends an event each day, and fails with everything that is due then. */
  const failDaily = async (days: number) => {
    for (let day = 0; day < days; day += 1) {
      stage.world.clock.advance(DAY_MS);
      await stage.happen();
      await stage.world.deliverDue();
    }
  };

  it("that answers 410 Gone is disabled at once with its waiting deliveries, and its people are notified", async () => {
    const { webhookId } = await stage.add();
    stage.receiver.answer = (res) => res.writeHead(410).end();
    await stage.happen(2);
    await stage.world.deliverDue();
    const webhook = await getWebhook(stage.world, OPERATOR_CONTEXT, one(webhookId));
    expect(webhook).toMatchObject({
      state: "auto_disabled",
      disabledReason: "It answered 410 Gone.",
    });
    expect((await stage.deliveriesOf(webhookId)).map((each) => each.state)).toEqual([
      "failed",
      "failed",
    ]);
    expect(stage.world.told).toMatchObject([{ tenantId: stage.tenant.tenantId }]);
    await stage.happen();
    expect(await stage.world.deliverDue()).toBe(0);
  });

  it("is shown by origin and description to people who may not see its address", async () => {
    await stage.add({
      url: `${stage.receiver.url}/hook/s3cr3t?token=t0k3n`,
      description: "Billing",
    });
    stage.receiver.answer = (res) => res.writeHead(410).end();
    await stage.happen();
    await stage.world.deliverDue();
    expect(stage.world.told[0]?.body.split("\n")[0]).toBe(`${stage.receiver.url} (Billing)`);
    expect(stage.world.told[0]?.body).not.toMatch(/s3cr3t|t0k3n/);
  });

  it("is disabled after five days without a success; one success before that saves it", async () => {
    const { webhookId } = await stage.add();
    stage.receiver.answer = (res) => res.writeHead(503).end();
    await stage.happen();
    await stage.world.deliverDue();
    stage.world.clock.advance(4 * DAY_MS);
    stage.receiver.answer = (res) => res.end();
    await stage.world.deliverDue();
    expect(
      (await getWebhook(stage.world, OPERATOR_CONTEXT, one(webhookId))).failingSince,
    ).toBeNull();
    stage.receiver.answer = (res) => res.writeHead(503).end();
    await stage.happen();
    await stage.world.deliverDue();
    await failDaily(4);
    stage.world.clock.advance(DAY_MS - 1);
    await stage.happen();
    await stage.world.deliverDue();
    expect((await getWebhook(stage.world, OPERATOR_CONTEXT, one(webhookId))).state).toBe("enabled");
    stage.world.clock.advance(1);
    await stage.happen();
    await stage.world.deliverDue();
    expect((await getWebhook(stage.world, OPERATOR_CONTEXT, one(webhookId))).state).toBe(
      "auto_disabled",
    );
    expect(stage.world.told.length).toBe(1);
    expect(
      await database.sql`select 1 from audit_entries where entity_id = ${webhookId} and action = 'webhook.auto_disabled'`,
    ).toHaveLength(1);
  });

  it("that rarely gets events is not disabled for two failures far apart", async () => {
    const { webhookId } = await stage.add();
    stage.receiver.answer = (res) => res.writeHead(500).end();
    await stage.happen();
    for (const delayMs of ATTEMPT_DELAYS_MS) {
      stage.world.clock.advance(delayMs);
      await stage.world.deliverDue();
    }
    stage.world.clock.advance(3 * DAY_MS);
    await stage.happen();
    await stage.world.deliverDue();
    expect(await getWebhook(stage.world, OPERATOR_CONTEXT, one(webhookId))).toMatchObject({
      state: "enabled",
      failingSince: stage.world.clock.now().toISOString(),
    });
    expect((await stage.deliveriesOf(webhookId))[0]).toMatchObject({
      state: "pending",
      attempts: 1,
    });
  });

  it("starts over with another address, without the failures of the old one", async () => {
    const { webhookId } = await stage.add();
    stage.receiver.answer = (res) => res.writeHead(503).end();
    await failDaily(4);
    const url = `${stage.receiver.url}/elsewhere`;
    const changed = await updateWebhook(stage.world, OPERATOR_CONTEXT, { ...one(webhookId), url });
    expect(changed).toMatchObject({ url, state: "enabled", failingSince: null });
    await failDaily(5);
    expect((await getWebhook(stage.world, OPERATOR_CONTEXT, one(webhookId))).state).toBe("enabled");
    await failDaily(1);
    expect((await getWebhook(stage.world, OPERATOR_CONTEXT, one(webhookId))).state).toBe(
      "auto_disabled",
    );
  });

  it("signs with both secrets until the grace period ends", async () => {
    const { webhookId, secret: old } = await stage.add();
    const rotated = await rotateWebhookSecret(stage.world, OPERATOR_CONTEXT, {
      ...one(webhookId),
      graceSeconds: 3_600,
    });
    expect(rotated.secret).not.toBe(old);
    await stage.happen();
    await stage.world.deliverDue();
    const [first] = stage.receiver.received;
    for (const secret of [old, rotated.secret]) {
      new Webhook(secret).verify(first?.body ?? "", first?.headers ?? {});
    }
    stage.world.clock.advance(HOUR_MS);
    await stage.happen();
    await stage.world.deliverDue();
    expect(stage.receiver.received[1]?.headers["webhook-signature"]?.split(" ").length).toBe(1);
    expect(
      (await getWebhook(stage.world, OPERATOR_CONTEXT, one(webhookId))).previousSecretUntil,
    ).toBe(null);
  });

  it("signs with each earlier secret until its own grace period ends, unless there is none", async () => {
    const { webhookId, secret: first } = await stage.add();
    const rotate = async (graceSeconds: number) => {
      const input = { ...one(webhookId), graceSeconds };
      return (await rotateWebhookSecret(stage.world, OPERATOR_CONTEXT, input)).secret;
    };
    /** Which of them sign the messages sent now. */
    const signing = async (...secrets: string[]) => {
      await stage.happen();
      await stage.world.deliverDue();
      const { headers = {}, body = "" } = stage.receiver.received.at(-1) ?? {};
      const signatures = headers["webhook-signature"]?.split(" ");
      const messageId = headers["webhook-id"] ?? "";
      return secrets.filter((secret) => {
        const own = signWebhook({
          secrets: [secret],
          messageId,
          at: stage.world.clock.now(),
          body,
        });
        return signatures?.includes(own["webhook-signature"]);
      });
    };
    const second = await rotate(86_400);
    const third = await rotate(3_600);
    expect(await signing(first, second, third)).toEqual([first, second, third]);
    expect(
      (await getWebhook(stage.world, OPERATOR_CONTEXT, one(webhookId))).previousSecretUntil,
    ).toBe(new Date(stage.world.clock.now().getTime() + DAY_MS).toISOString());
    stage.world.clock.advance(HOUR_MS);
    expect(await signing(first, second, third)).toEqual([first, third]);
    for (let count = 0; count < 4; count += 1) {
      await rotate(3_600);
    }
    const tooMany = await refusalOf(
      rotateWebhookSecret(stage.world, OPERATOR_CONTEXT, {
        ...one(webhookId),
        graceSeconds: 3_600,
      }),
    );
    expect(tooMany.code).toBe("CONFLICT");
    expect(await signing(first, third)).toEqual([first, third]);
    const only = await rotate(0);
    expect(await signing(first, third, only)).toEqual([only]);
  });

  it("stores no secret in the clear, and shows it in no later answer", async () => {
    const { webhookId, secret } = await stage.add();
    const stored = JSON.stringify([
      ...(await database.sql`select * from webhook_endpoints`),
      ...(await database.sql`select * from audit_entries`),
    ]);
    expect(stored).toContain(webhookId);
    expect(stored).not.toContain(secret.slice("whsec_".length));
    const answers = [
      await listWebhooks(stage.world, OPERATOR_CONTEXT, { owner: stage.tenant.tenantId }),
      await getWebhook(stage.world, OPERATOR_CONTEXT, one(webhookId)),
    ];
    expect(JSON.stringify(answers)).not.toContain("whsec_");
  });

  it("whose secret cannot be read is not called, and says what to do", async () => {
    const { webhookId } = await stage.add();
    await database.sql`update webhook_endpoints set secret = 'broken' where webhook_id = ${webhookId}`;
    await stage.happen();
    await stage.world.deliverDue();
    expect(stage.receiver.connections()).toBe(0);
    const [{ messageId } = { messageId: "" }] = await stage.deliveriesOf(webhookId);
    const detail = await getDelivery(stage.world, OPERATOR_CONTEXT, {
      ...one(webhookId),
      messageId,
    });
    expect(detail.attemptLog[0]?.error).toContain("rotate");
  });

  it("must not have a private address: refused when saved, when tested and when sent", async () => {
    const closed = { ...stage.world, webhookTargets: createGuardedOutbound({ allowPrivate: [] }) };
    const refusal = await refusalOf(
      createWebhook(closed, OPERATOR_CONTEXT, {
        owner: stage.tenant.tenantId,
        url: stage.receiver.url,
        description: "",
        eventTypes: ["*"],
      }),
    );
    expect(refusal).toMatchObject({ code: "INVALID_REQUEST", errors: [{ pointer: "/url" }] });
    const { webhookId } = await stage.add();
    const change = { ...one(webhookId), url: stage.receiver.url };
    expect((await refusalOf(updateWebhook(closed, OPERATOR_CONTEXT, change))).code).toBe(
      "INVALID_REQUEST",
    );
    expect((await refusalOf(testWebhook(closed, OPERATOR_CONTEXT, one(webhookId)))).code).toBe(
      "INVALID_REQUEST",
    );
    await stage.happen();
    const sending = createWebhookWorld(database, new Date());
    sending.guardedOutbound.post = createGuardedOutbound({ allowPrivate: [] }).post;
    expect(await sending.deliverDue()).toBe(1);
    expect((await stage.deliveriesOf(webhookId))[0]).toMatchObject({
      state: "pending",
      attempts: 1,
    });
    expect(stage.receiver.connections()).toBe(0);
  });

  it("is limited to ten, even when eleven are added at once", async () => {
    const results = await Promise.allSettled(Array.from({ length: 12 }, () => stage.add()));
    expect(results.filter((result) => result.status === "fulfilled").length).toBe(10);
    const { items } = await listWebhooks(stage.world, OPERATOR_CONTEXT, {
      owner: stage.tenant.tenantId,
    });
    expect(items.length).toBe(10);
  });

  it("is deleted with all of its deliveries", async () => {
    const { webhookId } = await stage.add();
    await stage.happen();
    await stage.world.deliverDue();
    await deleteWebhook(stage.world, OPERATOR_CONTEXT, one(webhookId));
    for (const table of ["webhook_endpoints", "webhook_deliveries", "webhook_attempts"]) {
      expect(await database.sql`select 1 from ${database.sql(table)}`).toHaveLength(0);
    }
  });
});

describe("webhooks of another tenant", () => {
  it("are as invisible to every operation as if they did not exist", async () => {
    const theirs = await createTestTenant(stage.world, "Theirs");
    const { webhookId } = await stage.add();
    await stage.happen();
    await stage.world.deliverDue();
    const [{ messageId } = { messageId: "" }] = await stage.deliveriesOf(webhookId);
    const operations = (owner: WebhookOwner, id: string) => {
      const named = { owner, webhookId: id };
      return [
        () => getWebhook(stage.world, theirs.context, named),
        () => updateWebhook(stage.world, theirs.context, { ...named, description: "mine" }),
        () => deleteWebhook(stage.world, theirs.context, named),
        () => rotateWebhookSecret(stage.world, theirs.context, { ...named, graceSeconds: 0 }),
        () => testWebhook(stage.world, theirs.context, named),
        () => listDeliveries(stage.world, theirs.context, { ...named, ...page }),
        () => getDelivery(stage.world, theirs.context, { ...named, messageId }),
        () => resendDelivery(stage.world, theirs.context, { ...named, messageId }),
        () =>
          replayDeliveries(stage.world, theirs.context, {
            ...named,
            since: "2026-01-01T00:00:00Z",
          }),
      ];
    };
    const ours = operations(stage.tenant.tenantId, webhookId);
    const own = operations(theirs.tenantId, webhookId);
    const missing = operations(theirs.tenantId, stage.world.newId("webhook"));
    for (const [index, call] of own.entries()) {
      const refusal = await refusalOf(call());
      const expected = await refusalOf((missing[index] ?? call)());
      expect({ code: refusal.code, message: refusal.message }).toEqual({
        code: "RESOURCE_NOT_FOUND",
        message: expected.message,
      });
      expect((await refusalOf((ours[index] ?? call)())).code).toBe("RESOURCE_NOT_FOUND");
    }
    const seen = await stage.world.transact.asTenant(theirs.tenantId, async (tx) => [
      ...(await tx`select 1 from webhook_endpoints`),
      ...(await tx`select 1 from webhook_deliveries`),
      ...(await tx`select 1 from webhook_attempts`),
    ]);
    expect(seen).toEqual([]);
    expect((await stage.deliveriesOf(webhookId))[0]).toMatchObject({
      state: "succeeded",
      attempts: 1,
    });
  });

  it("are only for owners and admins, and those of the installation only for operators", async () => {
    const { tenantId } = stage.tenant;
    const key = (scopes: "webhooks:read"[]) =>
      contextOf({ type: "key", id: "key_1", tenantId, scopes });
    const create = (context: typeof OPERATOR_CONTEXT, owner: WebhookOwner) =>
      refusalOf(
        createWebhook(stage.world, context, {
          owner,
          url: stage.receiver.url,
          description: "",
          eventTypes: ["*"],
        }),
      );
    expect((await create(key(["webhooks:read"]), tenantId)).code).toBe("INSUFFICIENT_SCOPE");
    expect((await create(stage.tenant.context, INSTALLATION)).code).toBe("INSUFFICIENT_SCOPE");
    const user = (role: "developer" | "viewer" | "billing") =>
      contextOf({
        type: "user",
        id: stage.world.newId("user"),
        isOperator: false,
        roles: new Map([[tenantId, role]]),
      });
    for (const role of ["developer", "viewer", "billing"] as const) {
      const refusal = await refusalOf(listWebhooks(stage.world, user(role), { owner: tenantId }));
      expect(refusal.code).toBe("INSUFFICIENT_SCOPE");
    }
    const nowhere = stage.world.newId("tenant");
    expect((await create(OPERATOR_CONTEXT, nowhere)).code).toBe("RESOURCE_NOT_FOUND");
  });
});
