import { hash } from "node:crypto";
import type { KeyId, TenantId } from "@turnpike/domain/ids/ids";
import { createTestDatabase, type TestDatabase } from "@turnpike/testkit/test-database";
import {
  createTestServices,
  createTestTenant,
  createTestUser,
  OPERATOR_CONTEXT,
  type TestServices,
} from "@turnpike/testkit/test-services";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { listUntranslatedMails } from "#modules/notifications/testing/untranslated.fixture.ts";
import type { JobQueue } from "#platform/job-queue.ts";
import { createKey } from "./create-key.ts";
import { importKeys } from "./import-keys.ts";
import type { KeyUsage } from "./keys.ports.ts";
import { revokeKey } from "./revoke-key.ts";
import { rollKey } from "./roll-key.ts";
import { updateKey } from "./update-key.ts";
import { warnOfExpiry } from "./warn-of-expiry.ts";

const HOUR_MS = 60 * 60 * 1_000;
const DAY_MS = 24 * HOUR_MS;

let database: TestDatabase;
let services: TestServices;
let used: Set<KeyId>;
let enqueue: JobQueue["enqueue"];
const keyUsage: KeyUsage = {
  listUsedSince: async (_tx, { keyIds }) => {
    await Promise.resolve();
    return new Set(keyIds.filter((keyId) => used.has(keyId)));
  },
};
beforeAll(async () => {
  database = await createTestDatabase();
  services = createTestServices(database);
});
beforeEach(() => {
  used = new Set();
  enqueue = () => Promise.resolve();
});
afterAll(() => database.close());

const warn = (sendsMail = false) =>
  warnOfExpiry(
    {
      ...services,
      keyUsage,
      jobs: { enqueue: (...input) => enqueue(...input) },
      notices: { sendsMail, brandName: "Acme API", consoleUrl: undefined },
    },
    { signal: new AbortController().signal },
  );

async function create(tenantId: TenantId, lifeMs: number, name = "Prod") {
  const expiresAt = new Date(services.clock.now().getTime() + lifeMs).toISOString();
  return await createKey(services, OPERATOR_CONTEXT, {
    tenantId,
    name,
    environment: "live",
    scopes: [],
    metadata: {},
    expiresAt,
  });
}
const noticesOf = async (tenantId: TenantId) =>
  (
    await database.sql<{ title: string; body: string }[]>`
      select title, body from notifications where tenant_id = ${tenantId} and kind = 'key.expires'
      order by notification_id`
  ).map(({ title, body }) => ({ title, body }));
const titlesOf = async (tenantId: TenantId) =>
  (await noticesOf(tenantId)).map((notice) => notice.title);

describe("warnOfExpiry", () => {
  it("warns once 14 days, 3 days and a day ahead, however often and however many jobs run", async () => {
    const { tenantId } = await createTestTenant(services);
    await create(tenantId, 20 * DAY_MS);
    const expected = [];
    for (const [days, title] of [
      [5.9, undefined],
      [0.2, "The key Prod expires within 14 days"],
      [10.8, undefined],
      [0.2, "The key Prod expires within 3 days"],
      [1.8, undefined],
      [0.2, "The key Prod expires within a day"],
      [2, undefined],
    ] as const) {
      services.clock.advance(days * DAY_MS);
      if (title !== undefined) {
        expected.push(title);
      }
      await Promise.all([warn(), warn(), warn()]);
      await warn();
      expect(await titlesOf(tenantId)).toEqual(expected);
    }
  });

  it("sends only the warning that still applies when earlier ones were missed", async () => {
    const { tenantId } = await createTestTenant(services);
    await create(tenantId, 20 * DAY_MS);
    services.clock.advance(18 * DAY_MS);
    await warn();
    expect(await titlesOf(tenantId)).toEqual(["The key Prod expires within 3 days"]);
  });

  it("skips warnings that were past when the key was created, and warns again when its expiry is moved", async () => {
    const { tenantId } = await createTestTenant(services);
    await create(tenantId, 2 * HOUR_MS);
    const longer = await create(tenantId, 2 * DAY_MS, "Longer");
    await warn();
    expect(await titlesOf(tenantId)).toEqual([]);
    services.clock.advance(1.5 * DAY_MS);
    await warn();
    expect(await titlesOf(tenantId)).toEqual(["The key Longer expires within a day"]);
    const expiresAt = new Date(services.clock.now().getTime() + 0.9 * DAY_MS).toISOString();
    await updateKey(services, OPERATOR_CONTEXT, { tenantId, keyId: longer.keyId, expiresAt });
    await warn();
    expect(await titlesOf(tenantId)).toHaveLength(2);
  });

  it("warns of no revoked, disabled or expired key, and of no key of another tenant", async () => {
    const { tenantId } = await createTestTenant(services);
    const neighbour = await createTestTenant(services, "Neighbour");
    const revoked = await create(tenantId, 20 * DAY_MS);
    const disabled = await create(tenantId, 20 * DAY_MS);
    await create(tenantId, DAY_MS);
    await create(neighbour.tenantId, 20 * DAY_MS, "Theirs");
    await revokeKey(services, OPERATOR_CONTEXT, { tenantId, keyId: revoked.keyId });
    await updateKey(services, OPERATOR_CONTEXT, {
      tenantId,
      keyId: disabled.keyId,
      disabled: true,
    });
    services.clock.advance(10 * DAY_MS);
    await warn();
    expect(await titlesOf(tenantId)).toEqual([]);
    expect(await titlesOf(neighbour.tenantId)).toEqual(["The key Theirs expires within 14 days"]);
  });

  it("warns of a rolled key in its grace period only while it is still used", async () => {
    const { tenantId } = await createTestTenant(services);
    const { keyId } = await create(tenantId, 20 * DAY_MS);
    services.clock.advance(7 * DAY_MS);
    const { lastFour } = await rollKey(services, OPERATOR_CONTEXT, {
      tenantId,
      keyId,
      graceSeconds: 604_800,
    });
    await warn();
    services.clock.advance(6.5 * DAY_MS);
    await warn();
    // Only its successor, which expires when the key would have expired.
    const before = await noticesOf(tenantId);
    expect(before.map((notice) => notice.title)).toEqual(["The key Prod expires within 14 days"]);
    expect(before[0]?.body).toContain(lastFour);
    used.add(keyId);
    await warn();
    await warn();
    const notices = (await noticesOf(tenantId)).slice(before.length);
    expect(notices.map((notice) => notice.title)).toEqual(["The key Prod expires within a day"]);
    expect(notices[0]?.body).toContain("rolled and is still used");
  });

  it("warns of a rolled key's successor by the age of the first key in its line, and says what to do", async () => {
    const { tenantId } = await createTestTenant(services);
    const { keyId } = await create(tenantId, 20 * DAY_MS);
    services.clock.advance(19.5 * DAY_MS);
    const second = await rollKey(services, OPERATOR_CONTEXT, { tenantId, keyId, graceSeconds: 0 });
    await warn();
    await warn();
    const [notice, ...others] = await noticesOf(tenantId);
    expect(others).toEqual([]);
    expect(notice?.title).toBe("The key Prod expires within a day");
    expect(notice?.body).toContain(second.lastFour);
    expect(notice?.body).toContain("Extend its expiry or create a new key");
  });

  it("does not warn of the successor of a short-lived key", async () => {
    const { tenantId } = await createTestTenant(services);
    const { keyId } = await create(tenantId, 2 * HOUR_MS);
    services.clock.advance(HOUR_MS);
    await rollKey(services, OPERATOR_CONTEXT, { tenantId, keyId, graceSeconds: 0 });
    await warn();
    expect(await titlesOf(tenantId)).toEqual([]);
  });

  it("names many keys in one notice", async () => {
    const { tenantId } = await createTestTenant(services);
    const expiresAt = new Date(services.clock.now().getTime() + 20 * DAY_MS).toISOString();
    for (let batch = 0; batch < 3; batch += 1) {
      const rows = Array.from({ length: 500 }, (_, index) => ({
        hash: hash("sha256", `many-${String(batch)}-${String(index)}`, "hex"),
        name: `Key ${String(index)}`,
        expiresAt,
      }));
      await importKeys(services, OPERATOR_CONTEXT, { tenantId, dryRun: false, rows });
    }
    services.clock.advance(7 * DAY_MS);
    await warn();
    const notices = await noticesOf(tenantId);
    expect(notices.map((notice) => notice.title)).toEqual(["1500 keys expire within 14 days"]);
    expect(notices[0]?.body).toContain("and 1490 more");
  });

  it("names a key by its id when its name would become a link in a mail", async () => {
    const { tenantId } = await createTestTenant(services);
    const { keyId } = await create(tenantId, 2 * DAY_MS, "ada@evil.com");
    services.clock.advance(1.5 * DAY_MS);
    await warn();
    const [notice] = await noticesOf(tenantId);
    expect(notice?.title).toBe(`The key ${keyId} expires within a day`);
    expect(notice?.body).toContain(`${keyId} (`);
    expect(notice?.body).not.toContain("evil.com");
  });

  it("mails owners and admins, and repeats a warning that failed before it was committed", async () => {
    const { tenantId } = await createTestTenant(services);
    for (const [email, role] of [
      ["owner@example.test", "owner"],
      ["viewer@example.test", "viewer"],
    ] as const) {
      const { userId } = await createTestUser(services, { email, roles: [[tenantId, role]] });
      await database.sql`update users set email_verified = true where user_id = ${userId}`;
    }
    await create(tenantId, 20 * DAY_MS);
    services.clock.advance(7 * DAY_MS);
    enqueue = () => Promise.reject(new Error("killed"));
    await expect(warn(true)).rejects.toThrow("killed");
    expect(await titlesOf(tenantId)).toEqual([]);
    enqueue = () => Promise.resolve();
    await warn(true);
    await warn(true);
    expect(await titlesOf(tenantId)).toHaveLength(1);
    const mails = await database.sql<{ recipient: string; subject: string }[]>`
      select recipient, subject from mails where kind = 'key.expires'`;
    expect([...mails]).toEqual([
      {
        recipient: "owner@example.test",
        subject: "Acme API: A key expires within 14 days",
      },
    ]);
  });
});

it("has German for all that its mails say", async () => {
  const { count, unknown } = await listUntranslatedMails(database.sql);
  expect(count).toBeGreaterThan(0);
  expect(unknown).toEqual([]);
});
