import { createTestDatabase, type TestDatabase } from "@turnpike/testkit/test-database";
import {
  createTestServices,
  createTestTenant,
  createTestUser,
  type TestServices,
} from "@turnpike/testkit/test-services";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type JobQueue, openJobQueue } from "#platform/job-queue.ts";
import { createWebhookNotices, openWebhooks } from "./open-webhooks.ts";

let database: TestDatabase;
let services: TestServices;
let jobs: JobQueue & { close(): Promise<void> };
beforeAll(async () => {
  database = await createTestDatabase();
  services = createTestServices(database);
  jobs = await openJobQueue({ target: database.target, logger: services.logger });
});
afterAll(async () => {
  await jobs.close();
  await database.close();
});

const notice = { title: "A webhook was disabled", body: "It answered 410 Gone." };

function noticesOf(sendsMail: boolean) {
  const notices = { sendsMail, brandName: "Turnpike", consoleUrl: "https://console.test" };
  return createWebhookNotices({ ...services, jobs, notices });
}

describe("the notice of a webhook that was disabled", () => {
  it("reaches the members of its tenant in the console, and its owners by mail, once committed", async () => {
    const { tenantId } = await createTestTenant(services);
    await createTestUser(services, {
      email: "owner@example.test",
      roles: [[tenantId, "owner"]],
    });
    await createTestUser(services, {
      email: "viewer@example.test",
      roles: [[tenantId, "viewer"]],
    });
    await database.sql`update users set email_verified = true`;
    const tell = (fails: boolean) =>
      services.transact.asOperator(async (tx) => {
        await noticesOf(true).notifyDisabled(tx, { tenantId, ...notice });
        if (fails) {
          throw new Error("undo");
        }
      });
    await expect(tell(true)).rejects.toThrow("undo");
    await tell(false);
    expect([
      ...(await database.sql`select kind, title, link from notifications where tenant_id = ${tenantId}`),
    ]).toEqual([{ kind: "webhook.disabled", title: notice.title, link: "/tenants?tab=webhooks" }]);
    const mails = await database.sql<{ recipient: string; body: string }[]>`
      select recipient, body from mails`;
    expect(mails.map((mail) => mail.recipient)).toEqual(["owner@example.test"]);
    expect(mails[0]?.body).toContain("https://console.test/tenants?tab=webhooks");
  });

  it("of the installation reaches operators whose address is verified, and no tenant", async () => {
    const before = await database.sql`select 1 from notifications`;
    for (const [email, isVerified] of [
      ["operator@example.test", true],
      ["unverified@example.test", false],
    ] as const) {
      const { userId } = await createTestUser(services, { email });
      await database.sql`
        update users set is_operator = true, email_verified = ${isVerified} where user_id = ${userId}`;
    }
    await database.sql`delete from mails`;
    await services.transact.asOperator((tx) =>
      noticesOf(true).notifyDisabled(tx, { tenantId: null, ...notice }),
    );
    expect((await database.sql`select 1 from notifications`).length).toBe(before.length);
    const mails = await database.sql<{ recipient: string }[]>`select recipient from mails`;
    expect(mails.map((mail) => mail.recipient)).toEqual(["operator@example.test"]);
  });
});

describe("the secrets of webhooks", () => {
  const open = (secret: string) => openWebhooks({ secret, allowPrivate: [] }).sealer;

  it("are read with the same secret, also by another process, and with no other", async () => {
    const sealed = await open("a".repeat(32)).seal("whsec_abc");
    expect(sealed).not.toContain("whsec_abc");
    expect(await open("a".repeat(32)).open(sealed)).toBe("whsec_abc");
    await expect(open("b".repeat(32)).open(sealed)).rejects.toThrow();
    await expect(open("a".repeat(32)).open(`${sealed.slice(0, -2)}AA`)).rejects.toThrow();
  });
});
