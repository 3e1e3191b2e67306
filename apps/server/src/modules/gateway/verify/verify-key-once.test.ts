import { verifyKeyResponse } from "@turnpike/contract/keys";
import { pollUntil } from "@turnpike/testkit/poll-until";
import { refusalOf } from "@turnpike/testkit/refusal-of";
import { startTestApp, type TestApp } from "@turnpike/testkit/test-app";
import { createTestDatabase, type TestDatabase } from "@turnpike/testkit/test-database";
import { contextOf } from "@turnpike/testkit/test-services";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { forgetOldAnswers, runOnce } from "#platform/run-once.ts";

let database: TestDatabase;
let app: TestApp;
let serviceKey: string;
beforeAll(async () => {
  database = await createTestDatabase();
  app = await startTestApp(database);
  serviceKey = await app.mintServiceKey(["keys:verify"]);
});
afterAll(async () => {
  await app.close();
  await database.close();
});

const createKey = async () => await app.mintKey(await app.mintTenant("Acme"), []);

async function verify(idempotencyKey: string, body: object, credential = serviceKey) {
  const reply = await fetch(`${app.url}/v1/keys/verify`, {
    method: "POST",
    headers: {
      authorization: `Bearer ${credential}`,
      "content-type": "application/json",
      "idempotency-key": idempotencyKey,
    },
    body: JSON.stringify(body),
  });
  const text = await reply.text();
  return { status: reply.status, headers: reply.headers, text };
}

const codeOf = (reply: { text: string }) => (JSON.parse(reply.text) as { code: string }).code;

/** Units of the quota that are left, without taking any. */
async function remaining(key: string): Promise<number | undefined> {
  const reply = await app.call(serviceKey, "POST", "/v1/keys/verify", { key, cost: 0 });
  const { limits } = verifyKeyResponse.parse(reply.json);
  return limits?.find((limit) => limit.kind === "quota")?.remaining;
}

describe("a request with an Idempotency-Key", () => {
  it("takes once and answers the same bytes, however often it is repeated", async () => {
    const key = await createKey();
    const first = await verify("order-1", { key, cost: 7 });
    expect(first.status).toBe(200);
    expect(first.headers.get("idempotency-replayed")).toBeNull();
    for (let repeat = 0; repeat < 3; repeat += 1) {
      const again = await verify("order-1", { key, cost: 7, meter: "requests" });
      expect(again.text).toBe(first.text);
      expect(again.headers.get("idempotency-replayed")).toBe("true");
      expect(again.headers.get("content-type")).toBe("application/json");
    }
    expect(await remaining(key)).toBe(49_993);
  });

  it("has one effect among fifty at once; the others must retry, and get the same answer then", async () => {
    const key = await createKey();
    const replies = await Promise.all(
      Array.from({ length: 50 }, () => verify("race", { key, cost: 3 })),
    );
    const answers = replies.filter((reply) => reply.status === 200);
    const busy = replies.filter((reply) => reply.status !== 200);
    expect(new Set(answers.map((reply) => reply.text)).size).toBe(1);
    for (const reply of busy) {
      expect([reply.status, codeOf(reply)]).toEqual([409, "IDEMPOTENCY_KEY_IN_USE"]);
      expect(reply.headers.get("retry-after")).toBe("1");
    }
    const later = await pollUntil("the answer is there", async () => {
      const reply = await verify("race", { key, cost: 3 });
      return reply.status === 200 && reply;
    });
    expect(later.text).toBe(answers[0]?.text);
    expect(await remaining(key)).toBe(49_997);
  });

  it("repeats a refusal as well: what was refused once is not let through by a retry", async () => {
    const key = await createKey();
    const refused = await verify("big", { key, cost: 60_000 });
    expect(codeOf(refused)).toBe("QUOTA_EXCEEDED");
    expect((await verify("big", { key, cost: 60_000 })).text).toBe(refused.text);
  });

  it.each([
    { now: "revoked", code: "REVOKED" },
    { now: "disabled", code: "DISABLED" },
    { now: "suspended", code: "TENANT_SUSPENDED" },
  ])(
    "refuses a key that has been $now since it passed, and takes nothing for it",
    async (ended) => {
      const tenantId = await app.mintTenant("Acme");
      const operator = await app.mintServiceKey(["keys:write", "tenants:write"]);
      const keys = `/v1/tenants/${tenantId}/keys`;
      const { json: made } = await app.call(operator, "POST", keys, { name: "Key" });
      const ask = () => verify(`once ${ended.now}`, { key: made.key, cost: 7 });
      const first = await ask();
      expect(codeOf(first)).toBe("VALID");
      const path = `${keys}/${String(made.keyId)}`;
      await (ended.now === "revoked"
        ? app.call(operator, "POST", `${path}/revoke`)
        : ended.now === "disabled"
          ? app.call(operator, "PATCH", path, { disabled: true })
          : app.call(operator, "PATCH", `/v1/tenants/${tenantId}`, { suspended: true }));
      const refused = await pollUntil("it is refused", async () => {
        const again = await ask();
        return codeOf(again) === "VALID" ? false : again;
      });
      expect(JSON.parse(refused.text)).toMatchObject({ valid: false, code: ended.code });
      expect(refused.headers.get("idempotency-replayed")).toBeNull();
      if (ended.now !== "revoked") {
        await app.call(operator, "PATCH", path, { disabled: false });
        await app.call(operator, "PATCH", `/v1/tenants/${tenantId}`, { suspended: false });
        const passes = await pollUntil("it passes again", async () => {
          const again = await ask();
          return codeOf(again) === "VALID" && again;
        });
        expect(passes.text).toBe(first.text);
        expect(await remaining(made.key)).toBe(49_993);
      }
    },
  );

  it("keeps its answer while a limit is used up that it counted in", async () => {
    const key = await createKey();
    const first = await verify("before", { key, cost: 1 });
    await verify("rest", { key, cost: 49_999 });
    expect(await remaining(key)).toBe(0);
    expect((await verify("before", { key, cost: 1 })).text).toBe(first.text);
  });

  it("is refused with another body, and takes nothing", async () => {
    const key = await createKey();
    await verify("same", { key, cost: 1 });
    const other = await verify("same", { key, cost: 2 });
    expect([other.status, codeOf(other)]).toEqual([422, "IDEMPOTENCY_KEY_REUSED"]);
    expect(await remaining(key)).toBe(49_999);
  });

  it("knows nothing of the keys of another caller", async () => {
    const key = await createKey();
    const stranger = await app.mintServiceKey(["keys:verify"]);
    const ours = await verify("shared", { key, cost: 1 });
    const theirs = await verify("shared", { key, cost: 2 }, stranger);
    expect(theirs.status).toBe(200);
    expect(theirs.text).not.toBe(ours.text);
    expect(await remaining(key)).toBe(49_997);
  });

  it("may be tried again with the same key after a failure, which is no answer", async () => {
    const key = await createKey();
    const failed = await verify("later", { key, meter: "gold" });
    expect([failed.status, codeOf(failed)]).toEqual([400, "INVALID_REQUEST"]);
    expect((await verify("later", { key })).status).toBe(200);
  });

  it.each([
    ["of 256 characters", "x".repeat(256), 400],
    ["of 255 characters", "x".repeat(255), 200],
    ["that is empty", "", 400],
    ["with a tab", "a\tb", 400],
  ])("with a key %s", async (_what, idempotencyKey, status) => {
    expect((await verify(idempotencyKey, { key: await createKey() })).status).toBe(status);
  });

  it("stores nothing for a caller without the scope, nor for a request without a key", async () => {
    const key = await createKey();
    const count = async () => {
      const [row] = await database.sql<{ count: number }[]>`
        select count(*)::int as count from idempotency_records`;
      return row?.count;
    };
    const before = await count();
    const reader = await app.mintServiceKey(["keys:read"]);
    const ofTenant = await app.mintKey(await app.mintTenant("Acme"), ["keys:read"]);
    for (const credential of [reader, ofTenant]) {
      const refused = await verify("mine", { key }, credential);
      expect([refused.status, codeOf(refused)]).toEqual([403, "INSUFFICIENT_SCOPE"]);
    }
    await app.call(serviceKey, "POST", "/v1/keys/verify", { key });
    expect(await count()).toBe(before);
  });

  it("holds no text of a key in the database", async () => {
    const key = await createKey();
    await verify("secret", { key });
    const rows = await database.sql`
      select 1 from idempotency_records r where strpos(r::text, ${key}) > 0`;
    expect(rows).toHaveLength(0);
  });
});

describe("runOnce", () => {
  const context = contextOf({ type: "service_key", id: "svc_once", scopes: ["keys:verify"] });
  const attempt = (key: string, work: () => Promise<string>) =>
    runOnce(app.services, context, { operation: "test", key, request: 1 }, async () => ({
      status: 200,
      body: await work(),
    }));
  const age = (column: "claimed_at" | "created_at", key: string, seconds: number) =>
    column === "claimed_at"
      ? database.sql`update idempotency_records
          set claimed_at = now() - make_interval(secs => ${seconds}) where idempotency_key = ${key}`
      : database.sql`update idempotency_records
          set created_at = now() - make_interval(secs => ${seconds}) where idempotency_key = ${key}`;

  it("frees a key after a minute whose process died, and the dead one's late answer is not kept", async () => {
    const died = Promise.withResolvers<string>();
    const first = attempt("dead", () => died.promise);
    await pollUntil("the key is claimed", async () => {
      const rows =
        await database.sql`select 1 from idempotency_records where idempotency_key = 'dead'`;
      return rows.length === 1;
    });
    const early = await refusalOf(attempt("dead", () => Promise.resolve("second")));
    expect(early.code).toBe("IDEMPOTENCY_KEY_IN_USE");
    await age("claimed_at", "dead", 61);
    expect(await attempt("dead", () => Promise.resolve("second"))).toMatchObject({
      body: "second",
      isReplay: false,
    });
    died.resolve("first");
    await first;
    expect(await attempt("dead", () => Promise.resolve("third"))).toEqual({
      status: 200,
      body: "second",
      isReplay: true,
    });
  });

  it("forgets an answer after a day, whether the clean-up has run or not", async () => {
    await attempt("old", () => Promise.resolve("first"));
    await age("created_at", "old", 24 * 3600 + 1);
    expect(await attempt("old", () => Promise.resolve("second"))).toMatchObject({ body: "second" });
    await age("created_at", "old", 24 * 3600 + 1);
    expect(await forgetOldAnswers(app.services)).toBe(1);
    expect(await forgetOldAnswers(app.services)).toBe(0);
  });
});
