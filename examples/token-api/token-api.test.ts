import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { SCOPES } from "@turnpike/domain/access/scopes";
import { pollUntil } from "@turnpike/testkit/poll-until";
import { databaseUrlOf, startProduct } from "@turnpike/testkit/product-process";
import { startProgram } from "@turnpike/testkit/program";
import { makeTempFolder } from "@turnpike/testkit/temp-folder";
import { createTestDatabase } from "@turnpike/testkit/test-database";
import { createLiveServices, OPERATOR_CONTEXT } from "@turnpike/testkit/test-services";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createServiceKey } from "../../apps/server/src/modules/keys/index.ts";

type Line = {
  call: string;
  text?: string;
  tokens?: [number, number];
  error?: string;
  status?: number;
  type?: string;
};

const closing: (() => Promise<unknown>)[] = [];
let gateway: string;
let customer: { tenantId: string; key: string };
let database: Awaited<ReturnType<typeof createTestDatabase>>;

/** Starts the example as it is, on ports of the test. */
beforeAll(async () => {
  const upstream = startProgram({ script: "examples/token-api/server.ts", env: { PORT: "0" } });
  closing.push(async () => {
    upstream.kill("SIGTERM");
    await upstream.ended;
  });
  const port = await pollUntil("it listens", () => /:(\d+)\n/.exec(upstream.output())?.[1]);
  const folder = await makeTempFolder();
  closing.push(async () => await folder[Symbol.asyncDispose]());
  database = await createTestDatabase();
  closing.push(() => database.close());
  const config = await readFile(join(import.meta.dirname, "turnpike.yaml"), "utf8");
  await writeFile(join(folder.path, "turnpike.yaml"), config.replaceAll(":8000", `:${port}`));
  const product = startProduct({
    cwd: folder.path,
    env: {
      DATABASE_URL: databaseUrlOf(database),
      TURNPIKE_DATA_DIR: join(folder.path, "data"),
      TURNPIKE_LOG_LEVEL: "error",
    },
  });
  closing.push(async () => {
    product.kill("SIGTERM");
    expect(await product.ended).toMatchObject({ code: 0, stderr: "" });
  });
  const urls = await product.ready;
  gateway = urls.gateway;
  const { key: serviceKey } = await createServiceKey(
    createLiveServices(database),
    OPERATOR_CONTEXT,
    {
      name: "Test",
      scopes: [...SCOPES],
    },
  );
  const post = async <Reply>(path: string, body: object): Promise<Reply> => {
    const reply = await fetch(urls.console + path, {
      method: "POST",
      headers: { "content-type": "application/json", authorization: `Bearer ${serviceKey}` },
      body: JSON.stringify(body),
    });
    return (await reply.json()) as Reply;
  };
  const { tenantId } = await post<{ tenantId: string }>("/v1/tenants", { name: "Customer" });
  const { key } = await post<{ key: string }>(`/v1/tenants/${tenantId}/keys`, { name: "key" });
  customer = { tenantId, key };
});

afterAll(async () => {
  for (const close of closing.reverse()) {
    await close();
  }
});

async function runClient(env: Record<string, string>): Promise<Line[]> {
  const client = startProgram({
    script: "examples/token-api/client.ts",
    env: { GATEWAY_URL: gateway, API_KEY: customer.key, ...env },
  });
  const { code, stderr } = await client.ended;
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  return client
    .output()
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as Line);
}

describe("the official clients of OpenAI and Anthropic, unchanged", () => {
  it("get their answers, whole and streamed, and are metered by tokens", async () => {
    const text = "the toll is paid by the word and the barrier opens at";
    expect(await runClient({})).toEqual([
      { call: "chat", text, tokens: [5, 12] },
      { call: "chatStream", text },
      { call: "response", text, tokens: [1, 12] },
      { call: "responseStream", text },
      { call: "embedding", text: "0.25 -0.5", tokens: [1, 0] },
      { call: "message", text, tokens: [5, 12] },
      { call: "messageStream", text, tokens: [5, 12] },
    ]);
    // Four answers of the small model and two of the large one, 12 words each; prompts of 5, 5, 1, 1, 1, 5 and 5.
    const credits = 4 * 12 + 2 * 12 * 5 + 13 + 2 * 5 * 5;
    const units = await pollUntil("the ledger", async () => {
      const rows = await database.sql<{ meter: string; units: number }[]>`
        select meter_id as meter, sum(quantity)::int as units from ledger_entries
        where tenant_id = ${customer.tenantId} group by meter_id order by meter_id`;
      const found = Object.fromEntries(rows.map(({ meter, units }) => [meter, units]));
      return found["requests"] === 7 && found["credits"] === credits && found;
    });
    expect(units).toEqual({ credits, requests: 7 });
    const ofModels = await database.sql<{ model: string; calls: number }[]>`
      select model, sum(calls)::int as calls from usage_by_minute
      where tenant_id = ${customer.tenantId} and meter_id = 'requests' group by model order by model`;
    expect([...ofModels]).toEqual([
      { model: "large", calls: 2 },
      { model: "small", calls: 5 },
    ]);
  });

  it("say which address did not answer, and what to set", async () => {
    const client = startProgram({
      script: "examples/token-api/client.ts",
      env: { GATEWAY_URL: "http://127.0.0.1:1", API_KEY: customer.key },
    });
    const { code, stderr } = await client.ended;
    expect(code).toBe(1);
    expect(stderr).toContain("No answer from http://127.0.0.1:1. GATEWAY_URL is");
  });

  it("raise their own errors when a limit refuses", async () => {
    const quota = { error: "RateLimitError", status: 429 };
    const lines = await runClient({ MAX_TOKENS: "5000" });
    expect(lines.filter(({ call }) => call !== "embedding")).toEqual([
      { call: "chat", ...quota, type: "rate_limit_error", code: "QUOTA_EXCEEDED" },
      { call: "chatStream", ...quota, type: "rate_limit_error", code: "QUOTA_EXCEEDED" },
      { call: "response", ...quota, type: "rate_limit_error", code: "QUOTA_EXCEEDED" },
      { call: "responseStream", ...quota, type: "rate_limit_error", code: "QUOTA_EXCEEDED" },
      { call: "message", ...quota, type: "rate_limit_error" },
      { call: "messageStream", ...quota, type: "rate_limit_error" },
    ]);
    const refused = { error: "AuthenticationError", status: 401 };
    const [first] = await runClient({ API_KEY: "unknown" });
    expect(first).toMatchObject(refused);
  });
});
