import { SCOPES } from "@turnpike/domain/access/scopes";
import type { TenantId } from "@turnpike/domain/ids/ids";
import { type ClickHouseServer, startClickHouse } from "@turnpike/testkit/clickhouse-server";
import { PeerUnavailableError } from "@turnpike/testkit/install-peer";
import { pollUntil } from "@turnpike/testkit/poll-until";
import { startTestApp, type TestApp } from "@turnpike/testkit/test-app";
import { createTestDatabase, type TestDatabase } from "@turnpike/testkit/test-database";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

const CALLERS = 8;

const server: ClickHouseServer | undefined = await startClickHouse().catch((error: unknown) => {
  if (error instanceof PeerUnavailableError) {
    return undefined;
  }
  throw error;
});

let database: TestDatabase;
let app: TestApp;
let service: string;
let tenantId: TenantId;
let key: string;
beforeAll(async () => {
  database = await createTestDatabase();
  const { url, user, password } = server?.settings ?? {
    url: "http://127.0.0.1:9",
    user: "x",
    password: "x",
  };
  app = await startTestApp(database, {
    configText: `clickhouse: { url: "${url}", user: ${user}, callsDays: 30 }\n`,
    env: { TURNPIKE_CLICKHOUSE_PASSWORD: password },
  });
  service = await app.mintServiceKey(SCOPES);
  tenantId = await app.mintTenant("Acme");
  key = await app.mintKey(tenantId, ["usage:read"]);
  await app.hearChanges();
});
afterAll(async () => {
  await app.close();
  await database.close();
  await server?.[Symbol.asyncDispose]();
});

/** @returns Status and id of the request. */
async function call(path: string, credential = key): Promise<{ status: number; id: string }> {
  const reply = await fetch(`${app.gatewayUrl}${path}`, {
    headers: { authorization: `Bearer ${credential}` },
  });
  await reply.arrayBuffer();
  return { status: reply.status, id: reply.headers.get("x-request-id") ?? "" };
}

const search = (query: string, credential = service) =>
  app.call(credential, "GET", `/v1/calls?${query}`);

/** Ids of all calls that a search finds. */
async function findIds(query: string): Promise<string[]> {
  const ids: string[] = [];
  let cursor: string | null = null;
  do {
    const more: string = cursor === null ? "" : `&cursor=${cursor}`;
    const { json } = await search(`${query}&limit=100${more}`);
    ids.push(...json.items.map(({ requestId }: { requestId: string }) => requestId));
    cursor = json.nextCursor;
  } while (cursor !== null);
  return ids;
}

describe.skipIf(server === undefined)("calls of all tenants, for the operator", () => {
  it("are found by the id that the caller got, refused ones included, and by operators alone", async () => {
    const served = await call("/v1/cities/berlin");
    const suspended = await app.mintTenant("Suspended");
    const theirs = await app.mintKey(suspended, []);
    await app.call(service, "PATCH", `/v1/tenants/${suspended}`, { suspended: true });
    await app.hearChanges();
    const refused = await call("/v1/cities/rome", theirs);
    expect([served.status, refused.status]).toEqual([200, 403]);
    const { json } = await pollUntil("it is found", async () => {
      const found = await search(`requestId=${served.id}`);
      return found.json.items.length === 1 && found;
    });
    expect(json).toMatchObject({
      items: [
        {
          requestId: served.id,
          tenantId,
          tenantName: "Acme",
          status: 200,
          outcome: "VALID",
          method: "GET",
          bytesIn: 0,
          meterId: "requests",
          units: 1,
        },
      ],
      nextCursor: null,
      omitted: 0,
    });
    await pollUntil("the refused one is found", async () => {
      const { items } = (await search(`tenant=${suspended}&outcome=TENANT_SUSPENDED`)).json;
      return items.length === 1 && items[0].requestId === refused.id;
    });
    const { status, json: problem } = await search("limit=1", key);
    expect([status, problem.code]).toEqual([403, "INSUFFICIENT_SCOPE"]);
  });

  it("go on while ClickHouse is killed under load, and are all there once afterwards", async () => {
    const sent: { status: number; id: string }[] = [];
    let isOver = false;
    const load = Array.from({ length: CALLERS }, async (_, caller) => {
      while (!isOver) {
        sent.push(await call(`/load/${String(caller)}`));
      }
    });
    await pollUntil("calls flow", () => sent.length > 200);
    await server?.kill();
    const atKill = sent.length;
    const part = async () => (await app.call(undefined, "GET", "/health/ready")).json.parts.callLog;
    await pollUntil("the health says so", async () => (await part())?.status === "degraded");
    const { status, json } = await search("limit=1");
    expect([status, json.code]).toEqual([503, "CLICKHOUSE_UNAVAILABLE"]);
    await pollUntil("calls still flow", () => sent.length > atKill + 200);
    await server?.start();
    isOver = true;
    await Promise.all(load);
    // Served, or refused by the plan's own rate limit.
    expect(sent.filter(({ status: got }) => got !== 200 && got !== 429)).toEqual([]);
    await pollUntil("it works again", async () => (await part())?.status === "ok");
    const ids = await pollUntil("all are found", async () => {
      const found = await findIds(`tenant=${tenantId}`);
      return found.length > sent.length && found;
    });
    expect(new Set(ids).size).toBe(ids.length);
    const found = new Set(ids);
    expect(sent.filter(({ id }) => !found.has(id))).toEqual([]);
    expect((await part()).detail).toContain("left out since the start: 0");
  });
});
