import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { pollUntil } from "@turnpike/testkit/poll-until";
import { startTestApp, type TestApp } from "@turnpike/testkit/test-app";
import { createTestDatabase, type TestDatabase } from "@turnpike/testkit/test-database";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createTurnpike, type Turnpike } from "./create-turnpike.ts";
import { TurnpikeRequestError, TurnpikeUnavailableError } from "./errors.ts";

let database: TestDatabase;
let app: TestApp;
let operator: string;
let turnpike: Turnpike;
/** Answers that are lost on their way back, from now on. */
let answersToLose = 0;

/** The network: what is asked arrives, and now and then the answer does not. */
async function fetchOrLose(url: string, init: RequestInit): Promise<Response> {
  const reply = await fetch(url, init);
  if (answersToLose > 0) {
    answersToLose -= 1;
    await reply.text();
    throw new TypeError("The connection was reset.");
  }
  return reply;
}

beforeAll(async () => {
  database = await createTestDatabase();
  app = await startTestApp(database);
  operator = await app.mintServiceKey([
    "keys:verify",
    "keys:write",
    "tenants:write",
    "catalog:write",
  ]);
  const catalog = {
    meters: [{ meterId: "tokens", name: "Tokens", unit: "token", aggregation: "sum" }],
    plans: [
      { planId: "chat", name: "Chat", quotas: [{ meter: "tokens", limit: 10_000, kind: "hard" }] },
    ],
  };
  expect((await app.call(operator, "PUT", "/v1/catalog", catalog)).status).toBe(200);
  turnpike = createTurnpike({
    url: app.url,
    serviceKey: operator,
    deadlineMs: 120_000,
    timeoutMs: 60_000,
    runtime: { fetch: fetchOrLose },
  });
});
afterAll(async () => {
  await app.close();
  await database.close();
});

let customers = 0;
async function makeKey(): Promise<string> {
  customers += 1;
  const tenantId = await app.mintTenant(`Chat ${String(customers)}`);
  await app.call(operator, "PATCH", `/v1/tenants/${tenantId}`, { planId: "chat" });
  const made = await app.call(operator, "POST", `/v1/tenants/${tenantId}/keys`, { name: "Key" });
  await app.hearChanges();
  return made.json.key;
}

/** A view that was read while units went back is made good by the next look. */
async function expectLeft(key: string, units: number): Promise<void> {
  await pollUntil(`${String(units)} units are left`, async () => (await left(key)) === units);
}

async function left(key: string): Promise<number | undefined> {
  const { limits = [] } = await turnpike.verify({ key, meter: "tokens", cost: 0 });
  return limits.find((limit) => limit.kind === "quota")?.remaining;
}

async function reserve(key: string, cost: number): Promise<string> {
  const { lock } = await turnpike.verify({ key, meter: "tokens", cost, lock: {} });
  return lock?.lockId ?? expect.fail("no lock");
}

type Snippet = (turnpike: Turnpike, key: string, prompt: string, model: unknown) => Promise<void>;

/** The example of a documentation page, word for word. */
async function readSnippet(page: string, after: string): Promise<Snippet> {
  const text = await readFile(join(import.meta.dirname, "../../..", page), "utf8");
  const [, code] = /```ts\n([\s\S]*?)```/.exec(text.slice(text.indexOf(after))) ?? [];
  expect(code).toContain("turnpike.settle");
  const AsyncFunction = (async () => undefined).constructor as new (...parts: string[]) => Snippet;
  return new AsyncFunction("turnpike", "key", "prompt", "answerWithModel", code ?? "");
}

describe.each([
  ["docs/sdk.md", "## A cost that is known at the end"],
  ["packages/sdk/README.md", "is reserved first and settled later"],
])("the example of %s", (page, after) => {
  it("meters the tokens that a model wrote, and holds the most it may write meanwhile", async () => {
    const snippet = await readSnippet(page, after);
    const key = await makeKey();
    let meanwhile: number | undefined;
    const model = async (prompt: string) => {
      meanwhile = await left(key);
      return { tokens: prompt.split(" ").length };
    };
    await snippet(turnpike, key, "seven words are enough for this test", model);
    expect(meanwhile).toBe(6_000);
    await expectLeft(key, 9_993);
  });
});

it("the example of docs/sdk.md gives everything back when the model fails", async () => {
  const snippet = await readSnippet("docs/sdk.md", "## A cost that is known at the end");
  const key = await makeKey();
  const model = () => Promise.reject(new Error("The model is away."));
  await expect(snippet(turnpike, key, "", model)).rejects.toThrow("The model is away.");
  await expectLeft(key, 10_000);
});

describe("a lock by the SDK", () => {
  it("is one although the answer to its verification was lost, and is settled once although that was", async () => {
    const key = await makeKey();
    answersToLose = 1;
    const lockId = await reserve(key, 500);
    await expectLeft(key, 9_500);
    answersToLose = 2;
    const settled = await turnpike.settle(lockId, { cost: 123 });
    expect(settled).toMatchObject({ lockId, state: "settled", reserved: 500, cost: 123 });
    await expectLeft(key, 9_877);
  });

  it("tells by its code why it cannot end as asked", async () => {
    const key = await makeKey();
    const lockId = await reserve(key, 500);
    const codeOf = async (ending: Promise<unknown>) => {
      const error: unknown = await ending.catch((cause: unknown) => cause);
      return error instanceof TurnpikeRequestError ? [error.status, error.code] : error;
    };
    expect(await codeOf(turnpike.settle(lockId, { cost: 10_001 }))).toEqual([409, "LOCK_EXCEEDED"]);
    await turnpike.release(lockId);
    expect(await turnpike.release(lockId)).toMatchObject({ state: "released", cost: null });
    expect(await codeOf(turnpike.settle(lockId, { cost: 1 }))).toEqual([409, "LOCK_ENDED"]);
    expect(await codeOf(turnpike.release(`lck_${"0".repeat(32)}`))).toEqual([
      404,
      "RESOURCE_NOT_FOUND",
    ]);
    expect(await codeOf(turnpike.release("../keys/verify"))).toEqual([400, "INVALID_REQUEST"]);
  });

  it("is never made up: a call that asks for one does not pass while Turnpike is away", async () => {
    const key = await makeKey();
    let isAway = false;
    const client = createTurnpike({
      url: app.url,
      serviceKey: operator,
      retriesMax: 0,
      runtime: {
        fetch: (url, init) => (isAway ? Promise.reject(new TypeError("away")) : fetch(url, init)),
      },
    });
    const call = { key, meter: "tokens", cost: 5 };
    await client.verify(call, { onUnavailable: "allow" });
    isAway = true;
    const passed = await client.verify(call, { onUnavailable: "allow" });
    expect(passed.source).toBe("outage");
    await expect(
      client.verify({ ...call, lock: {} }, { onUnavailable: "allow" }),
    ).rejects.toBeInstanceOf(TurnpikeUnavailableError);
    await client.close({ timeoutMs: 0 });
  });
});
