import type { TenantId } from "@turnpike/domain/ids/ids";
import { refusalOf } from "@turnpike/testkit/refusal-of";
import { createTestDatabase, type TestDatabase } from "@turnpike/testkit/test-database";
import {
  createTestServices,
  createTestTenant,
  createTestUser,
  OPERATOR_CONTEXT,
} from "@turnpike/testkit/test-services";
import { afterAll, beforeAll, expect, it } from "vitest";
import { toBillingDeps } from "#modules/billing/testing/billing.fixture.ts";
import { createKey, updateKey } from "#modules/keys/index.ts";
import { listUntranslatedMails } from "#modules/notifications/testing/untranslated.fixture.ts";
import { removeMember } from "#modules/tenants/index.ts";
import { type JobQueue, openJobQueue } from "#platform/job-queue.ts";
import type { Transact } from "#platform/transact.ts";
import { createForecasterHere, type Forecaster } from "../forecasts/forecaster.ts";
import { findIncidentsHere } from "../incident-finder.ts";
import { refreshInsights, updateInsight } from "../manage-insights.ts";
import { listDigests, updateDigest } from "./manage-digests.ts";
import { sendDigests } from "./send-digests.ts";

const HOUR_MS = 60 * 60_000;
const DAY_MS = 24 * HOUR_MS;
const SIGNAL = new AbortController().signal;

let database: TestDatabase;
let jobs: JobQueue & { close(): Promise<void> };
let deps: ReturnType<typeof toBillingDeps> & {
  findIncidents: typeof findIncidentsHere;
  forecaster: Forecaster;
  jobs: JobQueue;
  notices: { sendsMail: boolean; brandName: string; consoleUrl: string };
  sendsMail: boolean;
};
beforeAll(async () => {
  database = await createTestDatabase();
  const services = createTestServices(database);
  jobs = await openJobQueue({ target: database.target, logger: services.logger });
  deps = {
    ...toBillingDeps(services),
    jobs,
    findIncidents: findIncidentsHere,
    forecaster: createForecasterHere(),
    notices: { sendsMail: true, brandName: "Acme API", consoleUrl: "https://console.test" },
    sendsMail: true,
  };
});
afterAll(async () => {
  await jobs.close();
  await database.close();
});

const makeKey = async (tenantId: TenantId, input: { name: string; daysLeft: number }) =>
  (
    await createKey(deps, OPERATOR_CONTEXT, {
      tenantId,
      environment: "live",
      scopes: [],
      metadata: {},
      name: input.name,
      expiresAt: new Date(deps.clock.now().getTime() + input.daysLeft * DAY_MS).toISOString(),
    })
  ).keyId;

const scan = async (tenantId: TenantId) =>
  (await refreshInsights(deps, OPERATOR_CONTEXT, { tenantId })).items;

const listMails = async (email: string) =>
  await database.sql<{ subject: string; body: string }[]>`
    select subject, body from mails where recipient = ${email} and kind = 'insight.digest' order by mail_id`;

const listEvents = async (tenantId: TenantId) =>
  await database.sql<{ event_type: string; payload: string }[]>`
    select event_type, payload from webhook_outbox where tenant_id = ${tenantId} and event_type like 'insight.%'
    order by message_id`;

async function verify(email: string): Promise<void> {
  await database.sql`update users set email_verified = true where email = ${email}`;
}

/** A person of a tenant who gets a digest. */
async function subscribe(name: string, frequency: "daily" | "weekly") {
  const tenant = await createTestTenant(deps, name);
  const { tenantId } = tenant;
  const email = `${name.toLowerCase()}@example.com`;
  const person = await createTestUser(deps, { email, roles: [[tenantId, "viewer"]] });
  await verify(email);
  const digest = await updateDigest(deps, person.context, {
    tenantId,
    frequency,
    timeZone: "Europe/Berlin",
  });
  return { ...tenant, person, email, dueAt: Date.parse(digest.nextAt ?? "") };
}

/** Goes on to a time, which the clock must not have passed. */
function advanceTo(atMs: number): void {
  deps.clock.advance(atMs - deps.clock.now().getTime());
}

it("tells once of what is new, goes on and has ended, in the reader's time, and is silent without news", async () => {
  const { tenantId, email, dueAt, person } = await subscribe("Daily", "daily");
  const keyId = await makeKey(tenantId, { name: "Checkout", daysLeft: 10 });
  const [insight] = await scan(tenantId);
  expect(insight).toMatchObject({ kind: "key_expiring" });
  expect(await sendDigests(deps, SIGNAL)).toBe(0);

  advanceTo(dueAt);
  // Two processes at once.
  const counts = await Promise.all([sendDigests(deps, SIGNAL), sendDigests(deps, SIGNAL)]);
  expect(counts[0] + counts[1]).toBe(1);
  const [first, ...others] = await listMails(email);
  expect(others).toEqual([]);
  expect(first?.subject).toBe("Acme API: what changed, 1 new");
  expect(first?.body).toContain("New (1)\n- The key Checkout expires");
  expect(first?.body).not.toContain(keyId);
  expect(first?.body).toContain("(Europe/Berlin)");
  expect(first?.body).toContain(
    `https://console.test/ai-intelligence?tenant=daily&insight=${insight?.insightId ?? ""}`,
  );

  deps.clock.advance(DAY_MS);
  expect(await sendDigests(deps, SIGNAL)).toBe(1);
  expect(await listMails(email)).toHaveLength(1);

  await makeKey(tenantId, { name: "Second", daysLeft: 10 });
  await updateKey(deps, OPERATOR_CONTEXT, { tenantId, keyId, expiresAt: null });
  await scan(tenantId);
  deps.clock.advance(DAY_MS);
  await sendDigests(deps, SIGNAL);
  const [, second] = await listMails(email);
  expect(second?.subject).toBe("Acme API: what changed, 1 new, 1 ended");
  expect(second?.body).toMatch(/New \(1\)\n- The key Second[\s\S]*Ended \(1\)\n- The key Checkout/);

  const third = await makeKey(tenantId, { name: "Third", daysLeft: 10 });
  const dismissed = (await scan(tenantId)).find(({ text }) => text.includes(third));
  const insightId = dismissed?.insightId ?? expect.fail();
  await updateInsight(deps, OPERATOR_CONTEXT, { tenantId, insightId, isDismissed: true });
  deps.clock.advance(DAY_MS);
  expect(await sendDigests(deps, SIGNAL)).toBe(1);
  await removeMember(deps, OPERATOR_CONTEXT, { tenantId, userId: person.userId });
  await makeKey(tenantId, { name: "Fourth", daysLeft: 10 });
  await scan(tenantId);
  deps.clock.advance(DAY_MS);
  expect(await sendDigests(deps, SIGNAL)).toBe(0);
  expect(await listMails(email)).toHaveLength(2);
});

it("names no tenant and no route that a mail program would make a link of", async () => {
  const { tenantId, email, dueAt } = await subscribe("Linking", "daily");
  await makeKey(tenantId, { name: "Checkout", daysLeft: 10 });
  await scan(tenantId);
  await database.sql`update tenants set name = 'Win at evil.com' where tenant_id = ${tenantId}`;
  await database.sql`
    update insights set facts = jsonb_set(facts, '{text}',
      '"Errors rose on /evil.com/win, most on /v1/orders/{id} and 3/4 of them by GET"')
    where tenant_id = ${tenantId}`;
  advanceTo(dueAt);
  await sendDigests(deps, SIGNAL);
  const [mail] = await listMails(email);
  expect(mail?.body).toContain(
    "Errors rose on a route whose name is in the console, most on /v1/orders/{id} and 3/4 of them",
  );
  expect(mail?.body).toContain("Tenant: linking");
  expect(mail?.body).not.toContain("Win at");
});

it("is sent once although the process that sends it fails before its end", async () => {
  const { tenantId, email, dueAt } = await subscribe("Failing", "weekly");
  await makeKey(tenantId, { name: "Checkout", daysLeft: 10 });
  await scan(tenantId);
  advanceTo(dueAt);
  const transact: Transact = {
    ...deps.transact,
    asOperator: (work) =>
      deps.transact.asOperator(async (tx) => {
        await work(tx);
        throw new Error("The process ends here.");
      }),
  };
  await expect(sendDigests({ ...deps, transact }, SIGNAL)).rejects.toThrow("ends here");
  expect(await listMails(email)).toEqual([]);
  await sendDigests(deps, SIGNAL);
  await sendDigests(deps, SIGNAL);
  expect(await listMails(email)).toHaveLength(1);
});

it("is a person's own choice, in tenants of their own", async () => {
  const { tenantId, person, context, email } = await subscribe("Choosing", "weekly");
  const other = await createTestTenant(deps, "Stranger");
  const listed = await listDigests(deps, person.context);
  expect(listed).toMatchObject({
    email,
    sendsMail: true,
    items: [{ tenantId, frequency: "weekly" }],
  });
  const operator = await createTestUser(deps, { isOperator: true });
  const choice = { frequency: "daily", timeZone: "UTC" } as const;
  const refusals = await Promise.all(
    [
      updateDigest(deps, context, { tenantId, ...choice }),
      updateDigest(deps, operator.context, { tenantId, ...choice }),
      updateDigest(deps, person.context, { tenantId: other.tenantId, ...choice }),
      listDigests(deps, context),
    ].map(refusalOf),
  );
  expect(refusals.map(({ code }) => code)).toEqual([
    "INSUFFICIENT_SCOPE",
    "RESOURCE_NOT_FOUND",
    "RESOURCE_NOT_FOUND",
    "INSUFFICIENT_SCOPE",
  ]);
  await updateDigest(deps, person.context, { tenantId, frequency: "off", timeZone: "UTC" });
  expect((await listDigests(deps, person.context)).items).toEqual([]);
});

it("has its like for programs: one event when an insight opens and one when it ends, over scans at once", async () => {
  const { tenantId } = await createTestTenant(deps, "Events");
  const keyId = await makeKey(tenantId, { name: "Checkout", daysLeft: 10 });
  const quiet = await makeKey(tenantId, { name: "Quiet", daysLeft: 10 });
  await Promise.all([scan(tenantId), scan(tenantId), scan(tenantId)]);
  const opened = await listEvents(tenantId);
  expect(opened.map((event) => event.event_type)).toEqual(["insight.opened", "insight.opened"]);
  expect(JSON.parse(opened[0]?.payload ?? "")).toMatchObject({
    type: "insight.opened",
    data: { insight: { tenantId, kind: "key_expiring" }, text: expect.stringContaining("key_") },
  });
  const ofQuiet = (await scan(tenantId)).find(({ text }) => text.includes(quiet));
  const insightId = ofQuiet?.insightId ?? expect.fail();
  await updateInsight(deps, OPERATOR_CONTEXT, { tenantId, insightId, isDismissed: true });
  for (const id of [keyId, quiet]) {
    await updateKey(deps, OPERATOR_CONTEXT, { tenantId, keyId: id, expiresAt: null });
  }
  await Promise.all([scan(tenantId), scan(tenantId)]);
  const all = await listEvents(tenantId);
  expect(all.slice(2).map((event) => event.event_type)).toEqual(["insight.ended"]);
  expect(all[2]?.payload).toContain(keyId);
});

it("has German for all that its mails say", async () => {
  const { count, unknown } = await listUntranslatedMails(database.sql);
  expect(count).toBeGreaterThan(0);
  // One is of this test alone.
  expect(unknown.filter((line) => !line.includes("{id}"))).toEqual([]);
});
