import { generateKeyPairSync, hash, sign } from "node:crypto";
import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { leakFeedback } from "@turnpike/contract/leaks";
import type { TenantId } from "@turnpike/domain/ids/ids";
import { dumpDatabase } from "@turnpike/testkit/dump-database";
import { pollUntil } from "@turnpike/testkit/poll-until";
import { startTestApp, type TestApp } from "@turnpike/testkit/test-app";
import { createTestDatabase, type TestDatabase } from "@turnpike/testkit/test-database";
import { OPERATOR_CONTEXT } from "@turnpike/testkit/test-services";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { listAudit } from "#modules/audit/index.ts";
import { listUntranslatedMails } from "#modules/notifications/testing/untranslated.fixture.ts";
import { type JobQueue, openJobQueue } from "#platform/job-queue.ts";
import { notifyOfLeaks } from "./notify-of-leaks.ts";

const IDENTIFIER = "90a421169f0a406205f1563a953312f0be898d3c7b6c06b681aa86a874555f4a";
const REGULAR_EXPRESSION = /tp_(live|test|svc)_[0-9A-Za-z]{38}/;
const pair = generateKeyPairSync("ec", { namedCurve: "prime256v1" });
const other = generateKeyPairSync("ec", { namedCurve: "prime256v1" });
const sha256 = (text: string) => hash("sha256", text, "hex");

let database: TestDatabase;
let github: Server;
let fetches = 0;
let queue: JobQueue & { close(): Promise<void> };
/** Two processes on one database; one revokes, the other only notifies. */
let revoking: TestApp;
let notifying: TestApp;
let verifier: string;

beforeAll(async () => {
  github = createServer((_req, res) => {
    fetches += 1;
    const key = pair.publicKey.export({ type: "spki", format: "pem" });
    const public_keys = [{ key_identifier: IDENTIFIER, key, is_current: true }];
    res.writeHead(200, { "content-type": "application/json", etag: '"1"' });
    res.end(JSON.stringify({ public_keys }));
  });
  github.listen(0, "127.0.0.1");
  await once(github, "listening");
  const url = `http://127.0.0.1:${String((github.address() as AddressInfo).port)}/keys`;
  database = await createTestDatabase();
  const configText = (policy: string) => `leaks:\n  policy: ${policy}\n  githubKeysUrl: ${url}\n`;
  revoking = await startTestApp(database, { configText: configText("revoke") });
  notifying = await startTestApp(database, { configText: configText("notify") });
  queue = await openJobQueue({ target: database.target, logger: notifying.services.logger });
  verifier = await notifying.mintServiceKey(["keys:verify"]);
});
afterAll(async () => {
  await revoking.close();
  await notifying.close();
  await queue.close();
  github.close();
  github.closeAllConnections();
  await database.close();
});

type Token = { token: string; type?: string; url?: string | null; source?: string };

function toBody(tokens: readonly Token[]): string {
  return JSON.stringify(
    tokens.map((token) => ({ type: "turnpike_key", url: "", source: "content", ...token })),
  );
}
const signOf = (body: string, key = pair.privateKey) =>
  sign("sha256", Buffer.from(body), key).toString("base64");

async function post(app: TestApp, body: string, headers: Record<string, string> = {}) {
  const reply = await fetch(`${app.url}/v1/leaks/github`, {
    method: "POST",
    body,
    headers: {
      "content-type": "application/json",
      "github-public-key-identifier": IDENTIFIER,
      "github-public-key-signature": signOf(body),
      ...headers,
    },
  });
  return { status: reply.status, json: await reply.json() };
}
async function report(app: TestApp, tokens: readonly Token[]) {
  const { status, json } = await post(app, toBody(tokens));
  expect(status).toBe(200);
  return leakFeedback.parse(json);
}
const codeOf = async (app: TestApp, key: string) =>
  (await app.call(verifier, "POST", "/v1/keys/verify", { key, cost: 0 })).json.code;
const leaksOf = async (tenantId: TenantId) =>
  (await listAudit(notifying.services, OPERATOR_CONTEXT, { tenantId, limit: 100 })).items.filter(
    (entry) => entry.action.startsWith("key.leak"),
  );
const noticesOf = async (tenantId: TenantId) =>
  await database.sql<{ title: string; body: string }[]>`
    select title, body from notifications where tenant_id = ${tenantId} and kind = 'key.leaked'`;
const notifyAll = (sendsMail = false) =>
  notifyOfLeaks(
    {
      ...notifying.services,
      jobs: queue,
      notices: { sendsMail, brandName: "Acme API", consoleUrl: "https://console.test" },
    },
    { signal: new AbortController().signal },
  );

describe("POST /v1/leaks/github", () => {
  it("answers for each token, by its hash and in order, whether it is a key", async () => {
    const tenantId = await notifying.mintTenant("Labels");
    const key = await notifying.mintKey(tenantId, []);
    expect(key).toMatch(new RegExp(`^${REGULAR_EXPRESSION.source}$`));
    const tokens = ["no key", key, `${key.slice(0, -1)}0`, key];
    const feedback = await report(
      notifying,
      tokens.map((token, index) => ({ token, type: `type-${String(index)}` })),
    );
    expect(feedback.map(({ label }) => label)).toEqual([
      "false_positive",
      "true_positive",
      key.endsWith("0") ? "true_positive" : "false_positive",
      "true_positive",
    ]);
    expect(feedback.map((item) => item.token_hash)).toEqual(tokens.map(sha256));
    expect(feedback[2]?.token_type).toBe("type-2");
    expect(await report(notifying, [])).toEqual([]);
  });

  it("accepts only a body signed, byte for byte, with one of GitHub's keys", async () => {
    const tenantId = await revoking.mintTenant("Forged");
    const key = await revoking.mintKey(tenantId, []);
    const body = toBody([{ token: key }]);
    const p1363 = sign("sha256", Buffer.from(body), {
      key: pair.privateKey,
      dsaEncoding: "ieee-p1363",
    });
    const forged: [string, Record<string, string>][] = [
      [body, { "github-public-key-signature": signOf(body, other.privateKey) }],
      [body, { "github-public-key-signature": p1363.toString("base64") }],
      [body, { "github-public-key-signature": "" }],
      [body, { "github-public-key-signature": "%%%" }],
      [body, { "github-public-key-identifier": "f".repeat(64) }],
      [body, { "github-public-key-identifier": "x y" }],
      [`${body} `, { "github-public-key-signature": signOf(body) }],
    ];
    for (const [sent, headers] of forged) {
      const reply = await post(revoking, sent, headers);
      expect(reply).toMatchObject({ status: 401, json: { code: "LEAK_REPORT_UNVERIFIED" } });
    }
    const bare = await fetch(`${revoking.url}/v1/leaks/github`, { method: "POST", body });
    expect(bare.status).toBe(401);
    expect(await codeOf(revoking, key)).toBe("VALID");
  });

  it("calls GitHub no more often, however many identifiers are invented", async () => {
    const before = fetches;
    const body = toBody([]);
    for (let index = 0; index < 20; index += 1) {
      await post(notifying, body, { "github-public-key-identifier": `invented-${String(index)}` });
    }
    expect(fetches - before).toBeLessThanOrEqual(1);
  });

  it("refuses a signed body that is not JSON, has another shape, too many tokens or too many bytes", async () => {
    const bad: [string, number][] = [
      ["{", 400],
      ["{}", 400],
      [JSON.stringify([{ type: "a" }]), 400],
      [toBody(Array.from({ length: 1_001 }, () => ({ token: "x" }))), 400],
      [`[${" ".repeat(1024 * 1024)}]`, 413],
    ];
    for (const [body, status] of bad) {
      expect((await post(notifying, body)).status).toBe(status);
    }
  });

  it("notifies the tenant of each location once, however often it is reported and however many jobs run", async () => {
    const tenantId = await notifying.mintTenant("Notified");
    const key = await notifying.mintKey(tenantId, []);
    const place = { token: key, url: "https://github.com/a/b/blob/1/c.env", source: "Commit" };
    await Promise.all([report(notifying, [place, place]), report(notifying, [place])]);
    await report(notifying, [{ ...place, source: "commit" }]);
    expect(await leaksOf(tenantId)).toMatchObject([
      {
        action: "key.leak_found",
        actorId: "github-secret-scanning",
        details: { name: "Test", start: key.slice(0, 12), source: "commit", place: place.url },
      },
    ]);
    expect(await codeOf(notifying, key)).toBe("VALID");
    await Promise.all([notifyAll(), notifyAll(), notifyAll()]);
    await notifyAll();
    const notices = await noticesOf(tenantId);
    expect(notices).toHaveLength(1);
    expect(notices[0]?.body).toContain(`commit, ${place.url}`);
    await report(notifying, [{ ...place, url: "https://github.com/a/b/issues/7" }]);
    await notifyAll();
    expect(await noticesOf(tenantId)).toHaveLength(2);
  });

  it("revokes at once under that policy, on every process, and only once", async () => {
    const tenantId = await revoking.mintTenant("Revoked");
    const bystander = await revoking.mintTenant("Bystander");
    const key = await revoking.mintKey(tenantId, []);
    const safe = await revoking.mintKey(bystander, []);
    expect(await codeOf(notifying, key)).toBe("VALID");
    expect(await codeOf(notifying, safe)).toBe("VALID");
    const place = { token: key, url: "https://github.com/a/b", source: "gist_content" };
    await report(revoking, [place]);
    await Promise.all(
      [revoking, notifying].map((app) =>
        pollUntil("it is refused", async () => (await codeOf(app, key)) === "REVOKED"),
      ),
    );
    expect((await report(revoking, [place]))[0]?.label).toBe("true_positive");
    await report(revoking, [{ ...place, url: "https://github.com/a/later" }]);
    await notifyAll();
    const notices = await noticesOf(tenantId);
    expect(notices).toMatchObject([{ title: "The key Test was found in public and revoked" }]);
    expect((await leaksOf(tenantId)).map((entry) => entry.action).sort()).toEqual([
      "key.leak_found",
      "key.leak_revoked",
    ]);
    expect(await codeOf(notifying, safe)).toBe("VALID");
    expect(await leaksOf(bystander)).toEqual([]);
    expect(await noticesOf(bystander)).toEqual([]);
  });

  it("revokes a key whose location was already known under the policy notify", async () => {
    const tenantId = await notifying.mintTenant("Changed");
    const place = { token: await notifying.mintKey(tenantId, []), url: "https://github.com/x/y" };
    await report(notifying, [place]);
    await notifyAll();
    await report(revoking, [place]);
    await notifyAll();
    expect(await codeOf(revoking, place.token)).toBe("REVOKED");
    expect(await noticesOf(tenantId)).toHaveLength(2);
  });

  it("treats a service key likewise, in the audit trail of the installation", async () => {
    const leaked = await revoking.mintServiceKey(["tenants:read"]);
    expect((await notifying.call(leaked, "GET", "/v1/tenants")).status).toBe(200);
    expect((await report(revoking, [{ token: leaked }]))[0]?.label).toBe("true_positive");
    await pollUntil(
      "it is refused",
      async () => (await notifying.call(leaked, "GET", "/v1/tenants")).status === 401,
    );
    await notifyAll();
    const entries = await database.sql`
      select action from audit_entries where tenant_id = 'operator' and action = 'key.leak_revoked'`;
    expect(entries).toHaveLength(1);
  });

  it("mails only owners and admins, at verified addresses", async () => {
    const tenantId = await notifying.mintTenant("Mailed");
    const people = await Promise.all(
      (["owner", "admin", "developer", "admin"] as const).map((role) =>
        notifying.mintMember(tenantId, role),
      ),
    );
    for (const [index, { userId }] of people.entries()) {
      await database.sql`
        update users set email = ${`p${String(index)}@example.test`}, email_verified = ${index < 3}
        where user_id = ${userId}`;
    }
    await report(notifying, [
      { token: await notifying.mintKey(tenantId, []), url: "https://g.test/1" },
    ]);
    await notifyAll(true);
    await notifyAll(true);
    const mails = await database.sql<{ recipient: string; subject: string; body: string }[]>`
      select recipient, subject, body from mails where kind = 'key.leaked' order by recipient`;
    expect(mails.map((mail) => mail.recipient)).toEqual(["p0@example.test", "p1@example.test"]);
    expect(mails[0]).toMatchObject({
      subject: "Acme API: A key was found in public",
      body: expect.stringContaining("https://console.test/api-keys"),
    });
  });

  it("writes no key and no hash into log, audit, notices or mails, even when the address holds the key", async () => {
    const tenantId = await revoking.mintTenant("Canary");
    const key = await revoking.mintKey(tenantId, []);
    const url = `https://github.com/a/b?q=${key}#\u202e${key}\r\nBcc: x`;
    await report(revoking, [{ token: key, url, source: `content ${key}` }]);
    await notifyAll(true);
    const leaks = await leaksOf(tenantId);
    expect(leaks).toHaveLength(1);
    expect(leaks[0]?.details["place"]).toBe("https://github.com/a/b?q=[key]#[key] Bcc: x");
    const log = revoking.logged() + notifying.logged();
    const dump = await dumpDatabase(database.sql);
    for (const text of [key, key.slice(12, 32)]) {
      expect(log.toLowerCase()).not.toContain(text.toLowerCase());
      expect(dump.toLowerCase()).not.toContain(text.toLowerCase());
    }
    expect(log).not.toContain(sha256(key));
    const trail = JSON.stringify([leaks, await noticesOf(tenantId)]);
    expect(trail).not.toContain(sha256(key));
  });

  it("accepts a thousand tokens in one report, half of them keys", async () => {
    const tenantId = await revoking.mintTenant("Thousand");
    const rows = Array.from({ length: 500 }, (_, index) => ({
      hash: sha256(`imported-${String(index)}`),
      name: "Imported",
    }));
    const operator = await revoking.mintServiceKey(["keys:write"]);
    await revoking.call(operator, "POST", `/v1/tenants/${tenantId}/keys/import`, { rows });
    const tokens = Array.from({ length: 1_000 }, (_, index) => ({
      token: `imported-${String(index)}`,
      url: `https://github.com/a/b/${String(index)}`,
    }));
    const feedback = await report(revoking, tokens);
    expect(feedback.filter((item) => item.label === "true_positive")).toHaveLength(500);
    await notifyAll();
    expect(await noticesOf(tenantId)).toHaveLength(1);
  });
});

it("has German for all that its mails say", async () => {
  const { count, unknown } = await listUntranslatedMails(database.sql);
  expect(count).toBeGreaterThan(0);
  // Where a key was found: its name, and an address.
  expect(unknown.filter((line) => !line.includes(", https://"))).toEqual([]);
});
