import { randomBytes } from "node:crypto";
import type { Role } from "@turnpike/domain/access/scopes";
import { createTestDatabase, type TestDatabase } from "@turnpike/testkit/test-database";
import {
  createTestServices,
  createTestTenant,
  createTestUser,
  OPERATOR_CONTEXT,
  type TestServices,
  type TestUser,
} from "@turnpike/testkit/test-services";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { listAudit } from "#modules/audit/index.ts";
import {
  createWebhook,
  listWebhooks,
  updateWebhook,
  type WebhooksDeps,
} from "#modules/notifications/index.ts";
import { listUntranslatedNotices } from "#modules/notifications/testing/untranslated.fixture.ts";
import { createSealer } from "#platform/sealer.ts";
import { putMember } from "./put-member.ts";
import { removeMember } from "./remove-member.ts";

let database: TestDatabase;
let services: TestServices & WebhooksDeps;
beforeAll(async () => {
  database = await createTestDatabase();
  services = {
    ...createTestServices(database),
    sealer: createSealer(randomBytes(24).toString("hex"), "secrets of webhooks"),
    webhookTargets: { assertCallable: () => Promise.resolve() },
  };
});
afterAll(() => database.close());

async function createStage() {
  const { tenantId } = await createTestTenant(services);
  const member = (role: Role) => createTestUser(services, { roles: [[tenantId, role]] });
  const [owner, admin, viewer] = [
    await member("owner"),
    await member("admin"),
    await member("viewer"),
  ];
  const add = (by: TestUser, url: string) =>
    createWebhook(services, by.context, {
      owner: tenantId,
      url,
      description: "",
      eventTypes: ["*"],
    });
  const theirs = await add(admin, "https://admin.example.com/secret/path");
  const ours = await add(owner, "https://owner.example.com/");
  const read = async () => {
    const { items } = await listWebhooks(services, OPERATOR_CONTEXT, { owner: tenantId });
    return new Map(items.map((item) => [item.webhookId, item]));
  };
  const noticesOf = async ({ userId }: TestUser) =>
    (
      await database.sql<{ title: string; body: string }[]>`
        select title, body from notifications
        where tenant_id = ${tenantId} and user_id = ${userId} and kind = 'webhook.paused'`
    ).map((row) => ({ ...row }));
  return { tenantId, owner, admin, viewer, theirs, ours, read, noticesOf };
}

describe("webhooks of a member", () => {
  it("are paused when the member is removed: named in the answer, the audit trail and a notice to owners and admins", async () => {
    const { tenantId, owner, admin, viewer, theirs, ours, read, noticesOf } = await createStage();
    const left = await removeMember(services, owner.context, { tenantId, userId: admin.userId });
    const { webhookId } = theirs;
    expect(left.pausedWebhooks).toEqual([{ webhookId, origin: "https://admin.example.com" }]);
    expect((await read()).get(webhookId)).toMatchObject({
      state: "paused",
      responsible: `user:${admin.userId}`,
      disabledReason: "The person responsible for it is no longer a member.",
    });
    expect((await read()).get(ours.webhookId)).toMatchObject({ state: "enabled" });
    const [notice, ...others] = await noticesOf(owner);
    expect(others).toEqual([]);
    expect(notice?.title).toBe("A webhook is paused");
    expect(notice?.body).toMatch(/^https:\/\/admin\.example\.com\nPaused, because /);
    expect(await noticesOf(viewer)).toEqual([]);
    expect(await noticesOf(admin)).toEqual([]);
    const { items } = await listAudit(services, OPERATOR_CONTEXT, { tenantId, limit: 2 });
    expect(items).toMatchObject([
      { action: "member.removed", details: { pausedWebhooks: [webhookId] } },
      { action: "webhook.paused", entityId: webhookId, details: { userId: admin.userId } },
    ]);
  });

  it("are paused when the role no longer allows them, and not by a change to another that does", async () => {
    const { tenantId, admin, theirs, read } = await createStage();
    const put = (role: Role) =>
      putMember(services, OPERATOR_CONTEXT, { tenantId, userId: admin.userId, role });
    await put("owner");
    expect((await read()).get(theirs.webhookId)?.state).toBe("enabled");
    await put("developer");
    expect((await read()).get(theirs.webhookId)).toMatchObject({
      state: "paused",
      disabledReason: "The person responsible for it now has the role developer.",
    });
    await put("admin");
    expect((await read()).get(theirs.webhookId)?.state).toBe("paused");
  });

  it("are taken over by enabling them, and then stay when their first maker leaves again", async () => {
    const { tenantId, owner, admin, theirs, read } = await createStage();
    const { webhookId } = theirs;
    await removeMember(services, owner.context, { tenantId, userId: admin.userId });
    const taken = await updateWebhook(services, owner.context, {
      owner: tenantId,
      webhookId,
      enabled: true,
    });
    expect(taken).toMatchObject({
      state: "enabled",
      disabledReason: null,
      responsible: `user:${owner.userId}`,
    });
    const { items } = await listAudit(services, OPERATOR_CONTEXT, { tenantId, limit: 1 });
    expect(items[0]?.details).toMatchObject({
      state: ["paused", "enabled"],
      responsible: [`user:${admin.userId}`, `user:${owner.userId}`],
    });
    await putMember(services, OPERATOR_CONTEXT, { tenantId, userId: admin.userId, role: "admin" });
    await removeMember(services, owner.context, { tenantId, userId: admin.userId });
    expect((await read()).get(webhookId)?.state).toBe("enabled");
  });

  it("that a member moved to another address are paused with that member", async () => {
    const { tenantId, owner, admin, ours, read } = await createStage();
    const moved = {
      owner: tenantId,
      webhookId: ours.webhookId,
      url: "https://elsewhere.example.com/",
    };
    expect(await updateWebhook(services, admin.context, moved)).toMatchObject({
      responsible: `user:${admin.userId}`,
    });
    await removeMember(services, owner.context, { tenantId, userId: admin.userId });
    expect((await read()).get(ours.webhookId)?.state).toBe("paused");
  });

  it("that are enabled can be taken over before their maker leaves", async () => {
    const { tenantId, owner, admin, theirs, read } = await createStage();
    const { webhookId } = theirs;
    await updateWebhook(services, owner.context, { owner: tenantId, webhookId, enabled: true });
    await removeMember(services, owner.context, { tenantId, userId: admin.userId });
    expect((await read()).get(webhookId)?.state).toBe("enabled");
  });

  it("of the same person in another tenant go on", async () => {
    const stage = await createStage();
    const other = await createTestTenant(services, "Other");
    const { admin } = stage;
    await putMember(services, OPERATOR_CONTEXT, { ...other, userId: admin.userId, role: "admin" });
    const roles = new Map([[other.tenantId, "admin" as const]]);
    const actor = { type: "user", id: admin.userId, isOperator: false, roles } as const;
    await createWebhook(
      services,
      { ...admin.context, actor },
      {
        owner: other.tenantId,
        url: "https://other.example.com/",
        description: "",
        eventTypes: ["*"],
      },
    );
    await removeMember(services, stage.owner.context, {
      tenantId: stage.tenantId,
      userId: admin.userId,
    });
    const { items } = await listWebhooks(services, OPERATOR_CONTEXT, { owner: other.tenantId });
    expect(items.map((item) => item.state)).toEqual(["enabled"]);
  });
});

it("has German for all that its notices say", async () => {
  const { count, unknown } = await listUntranslatedNotices(database.sql);
  expect(count).toBeGreaterThan(0);
  expect(unknown).toEqual([]);
});
