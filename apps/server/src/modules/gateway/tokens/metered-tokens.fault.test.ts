import { once } from "node:events";
import { writeFile } from "node:fs/promises";
import {
  createServer,
  type IncomingMessage,
  request,
  type Server,
  type ServerResponse,
} from "node:http";
import { join } from "node:path";
import { json, text } from "node:stream/consumers";
import { SCOPES } from "@turnpike/domain/access/scopes";
import type { TenantId } from "@turnpike/domain/ids/ids";
import { findFreePort } from "@turnpike/testkit/find-free-port";
import { pollUntil } from "@turnpike/testkit/poll-until";
import {
  databaseUrlOf,
  type ProductAddresses,
  type ProductProcess,
  startProduct,
} from "@turnpike/testkit/product-process";
import { makeTempFolder, type TempFolder } from "@turnpike/testkit/temp-folder";
import { createTestDatabase, type TestDatabase } from "@turnpike/testkit/test-database";
import { createLiveServices, OPERATOR_CONTEXT } from "@turnpike/testkit/test-services";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createServiceKey } from "#modules/keys/index.ts";
import { createTransact } from "#platform/transact.ts";

type Asked = {
  body: Record<string, unknown>;
  text: string;
  req: IncomingMessage;
  res: ServerResponse;
};

let folder: TempFolder;
let database: TestDatabase;
let upstream: Server;
let product: ProductProcess;
let urls: ProductAddresses;
let serviceKey: string;
/** How the upstream answers; a test sets it. */
let answer: (asked: Asked) => unknown;
let lastAsked: Asked | undefined;

const usage = (input: number, output: number) => ({
  prompt_tokens: input,
  completion_tokens: output,
  total_tokens: input + output,
});

function sendJson(res: ServerResponse, body: unknown, status = 200): void {
  res.writeHead(status, { "content-type": "application/json" });
  res.end(JSON.stringify(body));
}

function startEvents(res: ServerResponse): (event: unknown) => void {
  res.writeHead(200, { "content-type": "text/event-stream" });
  return (event) =>
    res.write(`data: ${typeof event === "string" ? event : JSON.stringify(event)}\n\n`);
}

const chunk = (content: string) => ({ choices: [{ index: 0, delta: { content } }], usage: null });

/** As OpenAI: usage comes only when it was asked for. */
function answerChat({ body, res }: Asked): void {
  const { stream, max_tokens: max = 100, stream_options: options } = body;
  const used = usage(10, Math.min(Number(max), 40));
  if (stream !== true) {
    sendJson(res, { choices: [{ message: { content: "Hello" } }], usage: used });
    return;
  }
  const send = startEvents(res);
  send(chunk("Hel"));
  send(chunk("lo"));
  if (JSON.stringify(options ?? {}).includes("true")) {
    send({ choices: [], usage: used });
  }
  send("[DONE]");
  res.end();
}

async function startUpstream(): Promise<number> {
  upstream = createServer((req, res) => {
    const respond = async (): Promise<void> => {
      const sent = await text(req);
      lastAsked = { body: JSON.parse(sent) as Record<string, unknown>, text: sent, req, res };
      await answer(lastAsked);
    };
    respond().catch(() => res.destroy());
  });
  const port = await findFreePort();
  upstream.listen(port, "127.0.0.1");
  await once(upstream, "listening");
  return port;
}

async function startGateway(): Promise<void> {
  product = startProduct({
    cwd: folder.path,
    env: {
      DATABASE_URL: databaseUrlOf(database),
      TURNPIKE_DATA_DIR: join(folder.path, "data"),
      TURNPIKE_LOG_LEVEL: "error",
    },
  });
  urls = await product.ready;
}

beforeAll(async () => {
  folder = await makeTempFolder();
  database = await createTestDatabase();
  const port = await startUpstream();
  const meters = "[{ meter: in, counts: [input] }, { meter: out, counts: [output] }]";
  const address = `"http://127.0.0.1:${String(port)}"`;
  await writeFile(
    join(folder.path, "turnpike.yaml"),
    [
      "upstreams:",
      `  - { name: chat, url: ${address}, tokens: { protocol: openai, bytesPerToken: 4, meters: ${meters} } }`,
      `  - { name: claude, url: ${address}, hosts: [claude.test], tokens: { protocol: anthropic, bytesPerToken: 4, modelFrom: answer, meters: ${meters} } }`,
      `  - { name: brief, url: ${address}, hosts: [brief.test], tokens: { protocol: openai, readOnSeconds: 0, meters: ${meters} } }`,
      "catalog:",
      "  meters:",
      "    - { meterId: requests, name: Requests, unit: request, aggregation: count }",
      "    - { meterId: in, name: In, unit: token, aggregation: count }",
      "    - { meterId: out, name: Out, unit: token, aggregation: count }",
      "  defaultPlanId: open",
      "  plans:",
      "    - { planId: open, name: Open }",
      "    - { planId: small, name: Small, quotas: [{ meter: out, limit: 1000, kind: hard }] }",
      "    - planId: prepaid",
      "      name: Prepaid",
      "      currency: EUR",
      "      isPrepaid: true",
      "      phases: [{ rateCards: [{ key: out, meter: out, price: { model: per_unit, unitAmount: '0.01' }, interval: { month: 1 }, timing: arrears }] }]",
    ].join("\n"),
  );
  await startGateway();
  const made = await createServiceKey(createLiveServices(database), OPERATOR_CONTEXT, {
    name: "Test",
    scopes: [...SCOPES],
  });
  serviceKey = made.key;
});

afterAll(async () => {
  product.kill("SIGTERM");
  expect(await product.ended).toMatchObject({ code: 0 });
  upstream.closeAllConnections();
  upstream.close();
  await database.close();
  await folder[Symbol.asyncDispose]();
});

async function post<Reply>(path: string, body: unknown): Promise<Reply> {
  const reply = await fetch(urls.console + path, {
    method: "POST",
    headers: { "content-type": "application/json", authorization: `Bearer ${serviceKey}` },
    body: JSON.stringify(body),
  });
  expect(reply.status).toBeLessThan(300);
  return (await reply.json()) as Reply;
}

type Customer = { tenantId: TenantId; key: string };

async function createCustomer(planId: string): Promise<Customer> {
  const { tenantId } = await post<{ tenantId: TenantId }>("/v1/tenants", { name: "C", planId });
  const { key } = await post<{ key: string }>(`/v1/tenants/${tenantId}/keys`, { name: "key" });
  return { tenantId, key };
}

/** Not fetch, which can neither set Host nor leave when it likes. */
async function ask(
  { key }: Customer,
  body: unknown,
  { host = "chat.test", path = "/v1/chat/completions" } = {},
) {
  const { port } = new URL(urls.gateway);
  const headers = { host, authorization: `Bearer ${key}`, "content-type": "application/json" };
  const req = request({ host: "127.0.0.1", port, method: "POST", path, headers, agent: false });
  req.on("error", () => undefined);
  req.end(typeof body === "string" ? body : JSON.stringify(body));
  const [res] = (await once(req, "response")) as [IncomingMessage];
  return { req, res, status: res.statusCode };
}

/** Units in the ledger, by meter. */
async function readLedger({ tenantId }: Customer): Promise<Record<string, number>> {
  const rows = await createTransact(database.sql).asOperator(
    async (tx) =>
      await tx<{ meter: string; used: number }[]>`
        select meter_id as meter, used::float8 as used from balances where tenant_id = ${tenantId}
      `,
  );
  return Object.fromEntries(rows.map(({ meter, used }) => [meter, used]));
}

async function expectLedger(customer: Customer, expected: Record<string, number>): Promise<void> {
  const last = await pollUntil("the ledger", async () => {
    const found = await readLedger(customer);
    return Object.entries(expected).every(([meter, used]) => (found[meter] ?? 0) >= used) && found;
  });
  expect(last).toEqual(expected);
}

describe("an API that answers with tokens", () => {
  it("is metered by what its answers say, whole and streamed", async () => {
    answer = answerChat;
    const customer = await createCustomer("open");
    const whole = await ask(customer, { model: "m", max_tokens: 7 });
    expect(await json(whole.res)).toMatchObject({ usage: usage(10, 7) });
    const body = { model: "m", stream: true, max_tokens: 5 };
    const stream = await ask(customer, body);
    // The client did not ask for the usage, and does not see it.
    expect(await text(stream.res)).toBe(
      [chunk("Hel"), chunk("lo"), "[DONE]"]
        .map((event) => `data: ${typeof event === "string" ? event : JSON.stringify(event)}\n\n`)
        .join(""),
    );
    expect(lastAsked?.body).toEqual({ ...body, stream_options: { include_usage: true } });
    expect(lastAsked?.req.headers["accept-encoding"]).toBe("identity");
    const asked = { ...body, stream_options: { include_usage: true } };
    const own = await ask(customer, asked);
    expect(await text(own.res)).toContain('"total_tokens":15');
    expect(lastAsked?.text).toBe(JSON.stringify(asked));

    answer = ({ res }) => {
      const send = startEvents(res);
      send({ type: "message_start", message: { usage: { input_tokens: 25, output_tokens: 1 } } });
      send({ type: "message_delta", usage: { output_tokens: 9 } });
      res.end();
    };
    const message = await ask(
      customer,
      { stream: true },
      { host: "claude.test", path: "/v1/messages" },
    );
    expect(await text(message.res)).toContain("message_delta");
    await expectLedger(customer, { requests: 4, in: 55, out: 7 + 5 + 5 + 9 });
  });

  it("is known by model: calls, tokens and recent calls, and no made-up name is kept", async () => {
    const customer = await createCustomer("small");
    answer = ({ body, res }) =>
      body["model"] === "made up" || body["model"] === "unknown"
        ? sendJson(res, { error: {} }, 404)
        : sendJson(res, {
            model: `${String(body["model"])}-2026`,
            usage: { ...usage(10, 7), prompt_tokens_details: { cached_tokens: 4 } },
          });
    const askFor = async (model: string, max = 7) => {
      const asked = await ask(customer, { model, max_tokens: max });
      await text(asked.res);
      return asked;
    };
    for (const model of ["large", "large", "small", "made up", "unknown"]) {
      await askFor(model);
    }
    // Refused for its quota: the model is known from the calls before.
    expect((await askFor("large", 5_000)).status).toBe(429);
    answer = ({ res }) => {
      const send = startEvents(res);
      send({ type: "message_start", message: { model: "opus-2026", usage: { input_tokens: 25 } } });
      send({ type: "message_delta", usage: { output_tokens: 9 } });
      res.end();
    };
    const message = { host: "claude.test", path: "/v1/messages" };
    await text((await ask(customer, { model: "opus", stream: true, max_tokens: 9 }, message)).res);
    await expectLedger(customer, { requests: 4, in: 55, out: 30 });

    const read = async <Reply>(path: string) =>
      (await (
        await fetch(`${urls.console}/v1/tenants/${customer.tenantId}/${path}`, {
          headers: { authorization: `Bearer ${serviceKey}` },
        })
      ).json()) as Reply;
    type Report = { rows: { group: { model: string }; values: Record<string, unknown> }[] };
    const measures = "requests,denied,meter:in,meter:out";
    const { rows } = await read<Report>(`usage?dimensions=model&order=model&measures=${measures}`);
    expect(
      rows.map(({ group, values }) => [
        group.model,
        values["requests"],
        values["denied"],
        values["meter:in"],
        values["meter:out"],
      ]),
    ).toEqual([
      ["large", 3, 1, "20", "14"],
      // Calls are counted before their answer names a model.
      ["opus", 1, 0, "0", "0"],
      ["opus-2026", 0, 0, "25", "9"],
      ["small", 1, 0, "10", "7"],
      ["{other}", 2, 0, "0", "0"],
    ]);
    const narrowed = await read<Report & { totals: object }>(
      "usage?measures=meter:out&model=large,small&dimensions=key",
    );
    expect(narrowed.totals).toEqual({ "meter:out": "21" });

    type Calls = { items: { model: string; status: number; tokens: unknown }[] };
    const calls = await pollUntil("the recent calls", async () => {
      const { items } = await read<Calls>("calls?limit=50");
      return items.length === 7 && items;
    });
    expect(calls.map(({ model, status, tokens }) => [model, status, tokens]).reverse()).toEqual([
      ...["large", "large", "small"].map((model) => [
        model,
        200,
        { input: 6, cacheRead: 4, cacheWrite: 0, output: 7 },
      ]),
      ["{other}", 404, null],
      ["{other}", 404, null],
      ["large", 429, null],
      ["opus", 200, { input: 25, cacheRead: 0, cacheWrite: 0, output: 9 }],
    ]);
    expect((await read<Calls>("calls?model=small")).items).toHaveLength(1);
  });

  it("costs nothing where it fails, and an estimate where it breaks off or says nothing", async () => {
    const customer = await createCustomer("open");
    answer = ({ res }) => sendJson(res, { error: {}, usage: usage(5, 5) }, 500);
    expect((await ask(customer, { max_tokens: 5 })).status).toBe(500);
    answer = ({ res }) => {
      startEvents(res)(chunk("twelve bytes"));
      res.write("data: {", () => res.destroy());
    };
    const broken = await ask(customer, { stream: true, pad: "x".repeat(40 - 25) });
    await expect(text(broken.res)).rejects.toThrow();
    answer = ({ res }) => {
      res.writeHead(200, { "content-encoding": "zstd" });
      res.end("x".repeat(8));
    };
    await text((await ask(customer, { pad: "x".repeat(40 - 10) })).res);
    await expectLedger(customer, { requests: 2, in: 10 + 10, out: 3 + 2 });
  });

  it("is billed exactly when its client leaves, or by what came when it is not read on", async () => {
    const leave = Promise.withResolvers<void>();
    answer = async ({ res }) => {
      const send = startEvents(res);
      send(chunk("four"));
      await leave.promise;
      send({ choices: [], usage: usage(11, 22) });
      res.end();
    };
    const exact = await createCustomer("open");
    const left = await ask(exact, { stream: true });
    await once(left.res, "data");
    left.req.destroy();
    leave.resolve();
    await expectLedger(exact, { requests: 1, in: 11, out: 22 });

    const closed = Promise.withResolvers<void>();
    answer = ({ res }) => {
      res.on("close", closed.resolve);
      startEvents(res)(chunk("four"));
    };
    const brief = await createCustomer("open");
    const dropped = await ask(brief, { stream: true }, { host: "brief.test" });
    await once(dropped.res, "data");
    dropped.req.destroy();
    await closed.promise;
    await expectLedger(brief, { requests: 1, in: 4, out: 1 });
  });

  it("never goes beyond a hard limit, holds what a call may cost, and gives back what it did not", async () => {
    answer = answerChat;
    const customer = await createCustomer("small");
    const statuses = await Promise.all(
      Array.from({ length: 50 }, async () => {
        const { res, status } = await ask(customer, { stream: true, max_tokens: 40 });
        await text(res);
        return status;
      }),
    );
    const passed = statuses.filter((status) => status === 200).length;
    expect(statuses.every((status) => status === 200 || status === 429)).toBe(true);
    expect(passed).toBeGreaterThan(0);
    await expectLedger(customer, { requests: passed, in: passed * 10, out: passed * 40 });
    expect(passed * 40).toBeLessThanOrEqual(1000);

    const tooMuch = await ask(customer, { max_tokens: 1001 });
    expect(tooMuch.status).toBe(429);
    expect(await json(tooMuch.res)).toMatchObject({
      error: { type: "rate_limit_error", code: "QUOTA_EXCEEDED", message: expect.any(String) },
    });
    const other = await createCustomer("small");
    answer = ({ res }) => sendJson(res, { usage: usage(1, 1) });
    for (let call = 1; call <= 5; call += 1) {
      expect((await ask(other, { max_tokens: 900 })).status).toBe(200);
    }
    // What an upstream gives beyond the bound it was asked for is recorded in full.
    answer = ({ res }) => sendJson(res, { usage: usage(1, 1_200) });
    expect((await ask(other, { max_tokens: 100 })).status).toBe(200);
    await expectLedger(other, { requests: 6, in: 6, out: 1_205 });
    expect((await ask(other, { max_tokens: 1 })).status).toBe(429);
  });

  it("stops at the credit of a prepaid plan", async () => {
    answer = answerChat;
    const customer = await createCustomer("prepaid");
    const refused = await ask(
      customer,
      { max_tokens: 1 },
      { host: "claude.test", path: "/v1/messages" },
    );
    expect(refused.status).toBe(402);
    expect(await json(refused.res)).toMatchObject({
      type: "error",
      error: { type: "billing_error" },
      request_id: refused.res.headers["x-request-id"],
    });

    // 2.00 pay for 200 tokens of output, so for five answers of 40, also when their clients leave at any event.
    await post(`/v1/tenants/${customer.tenantId}/billing/credits`, {
      kind: "promotional",
      amount: "2.00",
      reason: "A test",
    });
    await pollUntil("the credit counts", async () => {
      const { res, status } = await ask(customer, { max_tokens: 40, stream: true });
      await text(res);
      return status === 200;
    });
    const statuses = await Promise.all(
      Array.from({ length: 30 }, async (_, at) => {
        const { req, res, status } = await ask(customer, { stream: true, max_tokens: 40 });
        res.on("error", () => undefined);
        let events = at % 4;
        res.on("data", () => {
          events -= 1;
          if (events < 0) {
            req.destroy();
          }
        });
        await once(res, "close");
        return status;
      }),
    );
    const passed = 1 + statuses.filter((status) => status === 200).length;
    expect(passed).toBe(5);
    await expectLedger(customer, { requests: passed, in: passed * 10, out: 200 });
  });

  it("refuses what it could read in another way than its upstream, and paths that could be others", async () => {
    const customer = await createCustomer("open");
    lastAsked = undefined;
    expect((await ask(customer, '{"model":"a","model":"b"}')).status).toBe(400);
    expect((await ask(customer, "{}", { path: "/v1/chat/%63ompletions" })).status).toBe(400);
    expect(lastAsked).toBeUndefined();
  });

  it("loses nothing that is in the ledger to kill -9, and bills nothing of the call that it cut", async () => {
    const customer = await createCustomer("small");
    answer = answerChat;
    await text((await ask(customer, { stream: true, max_tokens: 40 })).res);
    await expectLedger(customer, { requests: 1, in: 10, out: 40 });
    answer = ({ res }) => startEvents(res)(chunk("never ends"));
    const cut = await ask(customer, { stream: true, max_tokens: 500 });
    await expectLedger(customer, { requests: 2, in: 10, out: 40 });
    product.kill("SIGKILL");
    await product.ended;
    cut.req.destroy();
    await startGateway();
    answer = answerChat;
    // What the process had leased for it stays blocked; what it had not can be used.
    expect((await ask(customer, { max_tokens: 1_000 })).status).toBe(429);
    expect((await ask(customer, { max_tokens: 20 })).status).toBe(200);
    await expectLedger(customer, { requests: 3, in: 20, out: 60 });
  });
});
