import type { EventReceipt } from "@turnpike/contract/events";
import type { TenantId } from "@turnpike/domain/ids/ids";
import { pollUntil } from "@turnpike/testkit/poll-until";
import { startTestApp, type TestApp } from "@turnpike/testkit/test-app";
import { createTestDatabase, type TestDatabase } from "@turnpike/testkit/test-database";
import { OPERATOR_CONTEXT } from "@turnpike/testkit/test-services";
import { CloudEvent, emitterFor, HTTP, httpTransport, Mode } from "cloudevents";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { applyCatalog } from "#modules/catalog/index.ts";

let database: TestDatabase;
let app: TestApp;
let tenantId: TenantId;
let program: string;
let reader: string;
beforeAll(async () => {
  database = await createTestDatabase();
  app = await startTestApp(database);
  tenantId = await app.mintTenant("Acme");
  program = await app.mintServiceKey(["events:write"]);
  reader = await app.mintServiceKey(["usage:read", "catalog:write", "catalog:read"]);
  const made = await app.call(reader, "POST", "/v1/meters", {
    meterId: "tokens",
    name: "Tokens",
    unit: "token",
    aggregation: "sum",
    eventType: "llm.call",
    valuePointer: "/tokens",
  });
  expect(made.status, made.text).toBe(200);
});
afterAll(async () => {
  await app.close();
  await database.close();
});

let serial = 0;
function cloudEvent(fields: object = {}): CloudEvent<unknown> {
  serial += 1;
  return new CloudEvent(
    {
      id: `e-${String(serial)}`,
      source: "/llm-proxy",
      type: "llm.call",
      subject: tenantId,
      data: { tokens: 1 },
      ...fields,
    },
    false,
  );
}

type Answer = { status: number; headers: Headers; json: EventReceipt & { code?: string } };

async function post(
  body: string | Buffer | ReadableStream,
  headers: Record<string, string>,
  credential = program,
): Promise<Answer> {
  const reply = await fetch(`${app.url}/v1/events`, {
    method: "POST",
    headers: { authorization: `Bearer ${credential}`, ...headers },
    body,
    ...(body instanceof ReadableStream ? { duplex: "half" } : {}),
  } as RequestInit);
  return {
    status: reply.status,
    headers: reply.headers,
    json: (await reply.json()) as Answer["json"],
  };
}

const postBatch = (events: unknown, headers: Record<string, string> = {}) =>
  post(JSON.stringify(events), {
    "content-type": "application/cloudevents-batch+json",
    ...headers,
  });

async function sumOf(): Promise<number> {
  const [row] = await database.sql<{ used: number }[]>`
    select coalesce(sum(quantity), 0)::float8 as used from ledger_entries where meter_id = 'tokens'`;
  return row?.used ?? 0;
}

describe("POST /v1/events", () => {
  it.each([Mode.BINARY, Mode.STRUCTURED])(
    "accepts events of the CloudEvents SDK, %s",
    async (mode) => {
      const before = await sumOf();
      const emit = emitterFor(httpTransport(`${app.url}/v1/events`), { mode });
      const sent = cloudEvent({
        data: { tokens: 12 },
        time: new Date().toISOString(),
        extension: "x",
      });
      const options = { headers: { authorization: `Bearer ${program}` } };
      const first = (await emit(sent, options)) as { body: string };
      expect(JSON.parse(first.body)).toEqual({
        accepted: 1,
        duplicates: 0,
        rejected: 0,
        results: [{ source: sent.source, id: sent.id, status: "accepted" }],
      });
      const again = (await emit(sent, options)) as { body: string };
      expect(JSON.parse(again.body)).toMatchObject({ accepted: 0, duplicates: 1 });
      expect(await sumOf()).toBe(before + 12);
    },
  );

  it("accepts a batch of the SDK, and recognises the same event in any mode", async () => {
    const before = await sumOf();
    const sent = [cloudEvent(), cloudEvent(), cloudEvent({ data: { tokens: 5 } })];
    expect(await postBatch(sent)).toMatchObject({ status: 200, json: { accepted: 3 } });
    for (const event of sent) {
      for (const { headers, body } of [HTTP.binary(event), HTTP.structured(event)]) {
        const answer = await post(String(body), headers as Record<string, string>);
        expect(answer).toMatchObject({ status: 200, json: { duplicates: 1 } });
      }
    }
    expect(await sumOf()).toBe(before + 7);
    expect(await postBatch([])).toMatchObject({
      status: 200,
      json: { accepted: 0, duplicates: 0, rejected: 0, results: [] },
    });
  });

  it.each([
    ["a text", "text/plain", "hello"],
    ["bytes", "application/octet-stream", new Uint8Array([0, 255, 1])],
    ["JSON in bytes", "application/json", new TextEncoder().encode('{"tokens":4}')],
  ])(
    "accepts %s as data, from the SDK in every mode, and with an extension in Latin-1",
    async (_, datacontenttype, data) => {
      const type = `file.${String(cloudEvent().id)}`;
      const made = await app.call(reader, "POST", "/v1/meters", {
        meterId: `files-${type.slice("file.".length)}`,
        name: "Files",
        unit: "file",
        aggregation: "count",
        eventType: type,
      });
      expect(made.status, made.text).toBe(200);
      const sent = cloudEvent({
        type,
        datacontenttype,
        data,
        city: "Zürich",
      });
      const options = { headers: { authorization: `Bearer ${program}` } };
      const answers: unknown[] = [];
      for (const mode of [Mode.BINARY, Mode.STRUCTURED]) {
        const emit = emitterFor(httpTransport(`${app.url}/v1/events`), { mode });
        const { body } = (await emit(sent, options)) as { body: string };
        answers.push(JSON.parse(body));
      }
      expect(answers).toMatchObject([{ accepted: 1 }, { duplicates: 1 }]);
    },
  );

  it("answers 200 when some are rejected, and 422 with the same fields when all are", async () => {
    const good = cloudEvent();
    const bad = cloudEvent({ type: "no.such" });
    expect(await postBatch([bad, good])).toMatchObject({
      status: 200,
      json: {
        accepted: 1,
        rejected: 1,
        results: [{ status: "rejected", code: "UNKNOWN_TYPE" }, { status: "accepted" }],
      },
    });
    const refused = await postBatch([bad]);
    expect(refused).toMatchObject({
      status: 422,
      json: { code: "EVENTS_REJECTED", rejected: 1, results: [{ code: "UNKNOWN_TYPE" }] },
    });
    expect(refused.headers.get("content-type")).toBe("application/problem+json");
    const list = await app.call(reader, "GET", `/v1/tenants/${tenantId}/rejected-events?limit=1`);
    expect(list.json.items[0]).toMatchObject({ code: "UNKNOWN_TYPE", type: "no.such", id: bad.id });
    const next = await app.call(
      reader,
      "GET",
      `/v1/tenants/${tenantId}/rejected-events?limit=1&cursor=${list.json.nextCursor}`,
    );
    expect(next.json.items).toHaveLength(1);
  });

  it("leaves out accepted events when the client asks for less", async () => {
    const answer = await postBatch([cloudEvent(), cloudEvent({ type: "no.such" })], {
      prefer: "return=minimal",
    });
    expect(answer.headers.get("preference-applied")).toBe("return=minimal");
    expect(answer.json.results.map(({ status }) => status)).toEqual(["rejected"]);
  });

  it("accepts a tenant's key with the scope, for its own tenant", async () => {
    const key = await app.mintKey(tenantId, ["events:write"]);
    const other = await app.mintKey(tenantId, ["usage:read"]);
    const { subject: _, ...anonymous } = cloudEvent().toJSON() as Record<string, unknown>;
    const headers = { "content-type": "application/cloudevents+json" };
    const sent = JSON.stringify({ ...anonymous, specversion: "1.0" });
    expect(await post(sent, headers, key)).toMatchObject({ status: 200, json: { accepted: 1 } });
    expect(await post(sent, headers, other)).toMatchObject({
      status: 403,
      json: { code: "INSUFFICIENT_SCOPE" },
    });
  });

  it.each<[string, number, string, string | Buffer, Record<string, string>]>([
    ["no CloudEvent", 415, "UNSUPPORTED_MEDIA_TYPE", "{}", { "content-type": "application/json" }],
    [
      "XML",
      415,
      "UNSUPPORTED_MEDIA_TYPE",
      "<e/>",
      { "content-type": "application/cloudevents+xml" },
    ],
    [
      "compressed",
      415,
      "UNSUPPORTED_MEDIA_TYPE",
      "{}",
      { "content-type": "application/cloudevents+json", "content-encoding": "gzip" },
    ],
    [
      "cut off",
      400,
      "INVALID_REQUEST",
      '[{"a":',
      { "content-type": "application/cloudevents-batch+json" },
    ],
    [
      "not UTF-8",
      400,
      "INVALID_REQUEST",
      Buffer.from([0x22, 0xff, 0x22]),
      { "content-type": "application/cloudevents+json" },
    ],
    [
      "no array",
      400,
      "INVALID_REQUEST",
      "{}",
      { "content-type": "application/cloudevents-batch+json" },
    ],
    [
      "a header that is not UTF-8",
      400,
      "INVALID_REQUEST",
      "{}",
      { "content-type": "application/json", "ce-specversion": "1.0", "ce-id": "%C0%A0" },
    ],
    [
      "too many",
      413,
      "PAYLOAD_TOO_LARGE",
      `[${"0,".repeat(10_000)}0]`,
      { "content-type": "application/cloudevents-batch+json" },
    ],
    [
      "too large",
      413,
      "PAYLOAD_TOO_LARGE",
      `"${"x".repeat(4 * 1024 * 1024)}"`,
      { "content-type": "application/cloudevents+json" },
    ],
    [
      "nested too deeply",
      400,
      "INVALID_REQUEST",
      `${"[".repeat(100_000)}${"]".repeat(100_000)}`,
      { "content-type": "application/cloudevents+json" },
    ],
    [
      "a prototype",
      422,
      "EVENTS_REJECTED",
      '{"__proto__":{"specversion":"1.0"},"constructor":{}}',
      { "content-type": "application/cloudevents+json" },
    ],
  ])("refuses the whole body if it is %s", async (_what, status, code, body, headers) => {
    const before = await sumOf();
    expect(await post(body, headers)).toMatchObject({ status, json: { code } });
    expect(await sumOf()).toBe(before);
  });

  it("refuses a batch with data that is nested too deeply, and takes what comes after it", async () => {
    const deep = `${'{"a":'.repeat(50_000)}1${"}".repeat(50_000)}`;
    const event = { ...(cloudEvent().toJSON() as object), data: 0 };
    const body = JSON.stringify([event]).replace('"data":0', `"data":${deep}`);
    const answer = await post(body, { "content-type": "application/cloudevents-batch+json" });
    expect(answer.status).toBe(400);
    expect(await postBatch([cloudEvent()])).toMatchObject({ status: 200 });
  });
});

describe("meters over HTTP", () => {
  it("are created, changed by version, and tried", async () => {
    const definition = {
      meterId: "renders",
      name: "Renders",
      unit: "second",
      aggregation: "avg",
      eventType: "render.done",
      valuePointer: "/seconds",
    };
    expect(await app.call(reader, "POST", "/v1/meters", definition)).toMatchObject({
      status: 200,
      json: { ...definition, version: 1 },
    });
    expect((await app.call(reader, "POST", "/v1/meters", definition)).status).toBe(409);
    const change = {
      valuePointer: "/time/seconds",
      dimensions: [{ name: "kind", pointer: "/kind" }],
    };
    expect(await app.call(reader, "PATCH", "/v1/meters/renders", change)).toMatchObject({
      status: 200,
      json: { version: 2, ...change },
    });
    // A change that changes nothing creates no version.
    expect(await app.call(reader, "PATCH", "/v1/meters/renders", change)).toMatchObject({
      json: { version: 2 },
    });
    const versions = await app.call(reader, "GET", "/v1/meters/renders/versions");
    expect(versions.json.items.map((item: { version: number }) => item.version)).toEqual([2, 1]);
    expect(versions.json.items[1]).toMatchObject({ valuePointer: "/seconds" });
    const shown = await app.call(undefined, "GET", "/v1/meters");
    expect(shown.text).not.toContain("render.done");
    const preview = await app.call(reader, "POST", "/v1/meters/preview", {
      meter: { ...definition, eventType: "llm.call", valuePointer: "/tokens" },
    });
    expect(preview).toMatchObject({ status: 200, json: { uncounted: 0 } });
    expect(preview.json.tried).toBeGreaterThan(0);
  });

  it.each([
    ["another aggregation, which no version can have", { aggregation: "max" }, "/aggregation"],
    ["no pointer", { valuePointer: "tokens" }, "/valuePointer"],
  ])("refuse %s", async (_what, change, pointer) => {
    const reply = await app.call(reader, "PATCH", "/v1/meters/tokens", change);
    expect(reply.status).toBe(400);
    expect(reply.json.errors[0].pointer).toBe(pointer);
  });

  it("that count events are not counted by verification, which can still ask what is left", async () => {
    const verifier = await app.mintServiceKey(["keys:verify"]);
    const key = await app.mintKey(tenantId, []);
    const verify = (cost: number) =>
      app.call(verifier, "POST", "/v1/keys/verify", { key, meter: "tokens", cost });
    expect(await verify(1)).toMatchObject({
      status: 400,
      json: { errors: [{ pointer: "/meter" }] },
    });
    expect(await verify(0)).toMatchObject({ status: 200, json: { valid: true } });
  });

  it("close their quota to verification once events have used it up, even if it was known before", async () => {
    await applyCatalog(app.services, OPERATOR_CONTEXT, {
      meters: [],
      plans: [
        {
          planId: "capped",
          name: "Capped",
          description: "",
          currency: "EUR",
          pricePerMonth: "5",
          visibility: "public",
          rateLimits: [],
          quotas: [{ meter: "tokens", limit: 100, kind: "hard" }],
        },
      ],
    });
    const capped = await app.mintTenant("Capped");
    const operator = await app.mintServiceKey(["tenants:write", "keys:verify"]);
    await app.call(operator, "PATCH", `/v1/tenants/${capped}`, { planId: "capped" });
    const key = await app.mintKey(capped, []);
    const verify = async () =>
      (await app.call(operator, "POST", "/v1/keys/verify", { key, meter: "tokens", cost: 0 })).json;
    await pollUntil("the plan is heard of", async () => (await verify()).limits?.length === 1);
    expect(await verify()).toMatchObject({ valid: true, limits: [{ remaining: 100 }] });
    expect(await postBatch([cloudEvent({ subject: capped, data: { tokens: 99 } })])).toMatchObject({
      status: 200,
    });
    await pollUntil("one unit is left", async () => (await verify()).limits[0].remaining === 1);
    expect(await verify()).toMatchObject({ valid: true });
    // The event that exceeds the quota has already happened, so it is counted.
    expect(await postBatch([cloudEvent({ subject: capped, data: { tokens: 5 } })])).toMatchObject({
      json: { accepted: 1 },
    });
    await pollUntil("the quota is closed", async () => !(await verify()).valid);
    expect(await verify()).toMatchObject({ code: "QUOTA_EXCEEDED" });
  });
});
