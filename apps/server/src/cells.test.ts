import { createHash } from "node:crypto";
import { once } from "node:events";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { TenantId } from "@turnpike/domain/ids/ids";
import { type FaultProxy, startFaultProxy } from "@turnpike/testkit/fault-proxy";
import { findFreePort } from "@turnpike/testkit/find-free-port";
import { pollUntil } from "@turnpike/testkit/poll-until";
import { openRawConnection } from "@turnpike/testkit/raw-http";
import { startTestApp, type TestApp } from "@turnpike/testkit/test-app";
import { createTestDatabase, type TestDatabase } from "@turnpike/testkit/test-database";
import { OPERATOR_CONTEXT } from "@turnpike/testkit/test-services";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { deriveCellsKey } from "#modules/cells/index.ts";
import { writeMarker } from "#modules/gateway/cells/forwarding-marker.ts";
import { reconcile } from "#modules/metering/index.ts";

const SECRET = "the secret that all cells of this test share";
/** The last one trusts what proxies on this machine say. */
const NAMES = ["eu", "us", "asia", "proxied"] as const;
type Name = (typeof NAMES)[number];
type Cell = { app: TestApp; database: TestDatabase; serviceKey: string };

let shared: TestDatabase;
let directory: FaultProxy;
let cells: Record<Name, Cell>;
/** What the upstream of any cell was asked and has not answered. */
const held: { req: IncomingMessage; res: ServerResponse }[] = [];

/** `/held` is answered by the test, `/echo` sends back what it gets as it comes; everything else is recorded. */
function answerAsAsked(req: IncomingMessage, res: ServerResponse): boolean {
  if (req.url === "/held") {
    req.on("error", () => undefined);
    held.push({ req, res });
    return true;
  }
  if (req.url === "/echo") {
    res.writeHead(200);
    req.pipe(res);
    return true;
  }
  return false;
}

async function startCell(name: Name): Promise<Cell> {
  const database = await createTestDatabase();
  const gatewayPort = await findFreePort();
  const { user, password, database: directoryName } = shared.target;
  const app = await startTestApp(database, {
    gatewayPort,
    configText: [
      `cell: { name: ${name}, address: "http://127.0.0.1:${String(gatewayPort)}" }`,
      ...(name === "proxied" ? ["trustedProxies: [127.0.0.1]"] : []),
    ].join("\n"),
    env: {
      TURNPIKE_DIRECTORY_URL: `postgres://${user}:${password}@127.0.0.1:${String(directory.port)}/${directoryName}`,
      TURNPIKE_CELLS_SECRET: SECRET,
    },
    upstream: { onRequest: answerAsAsked, headBytesMax: 64 * 1024 },
  });
  const serviceKey = await app.mintServiceKey(["tenants:write", "keys:write", "usage:read"]);
  return { app, database, serviceKey };
}

beforeAll(async () => {
  shared = await createTestDatabase();
  const { host, port } = shared.target;
  directory = await startFaultProxy(`${host}/.s.PGSQL.${String(port)}`);
  // One after the other: each hears of those before it at its start.
  const asia = await startCell("asia");
  const eu = await startCell("eu");
  cells = { asia, eu, us: await startCell("us"), proxied: await startCell("proxied") };
});
afterAll(async () => {
  await Promise.all(NAMES.map((name) => cells[name].app.close()));
  await directory.close();
  await Promise.all(NAMES.map((name) => cells[name].database.close()));
  await shared.close();
});

const send = (at: Name, key: string, path = "/", init: RequestInit = {}) =>
  fetch(`${cells[at].app.gatewayUrl}${path}`, { headers: { "x-api-key": key }, ...init });

async function createKey(at: Name, tenantId: TenantId, limits: object = {}): Promise<string> {
  const { app, serviceKey } = cells[at];
  const body = { name: "Key", environment: "live", ...limits };
  const reply = await app.call(serviceKey, "POST", `/v1/tenants/${tenantId}/keys`, body);
  expect(reply.status, reply.text).toBe(201);
  return reply.json.key;
}

/** Calls of a tenant in the ledger of a cell, once it has that many; they are committed in a moment. */
async function countCalls(at: Name, tenantId: TenantId, expected: number): Promise<void> {
  const read = async () => {
    const [row] = await cells[at].database.sql<{ calls: number }[]>`
      select coalesce(sum(calls), 0)::int as calls from ledger_entries where tenant_id = ${tenantId}`;
    return row?.calls;
  };
  await pollUntil(
    `${String(expected)} calls are in the ledger`,
    async () => (await read()) === expected,
  );
}

/** The code of a refusal; undefined for the answer of the upstream. */
async function codeOf(reply: Response): Promise<string | undefined> {
  const text = await reply.text();
  return text.startsWith("{") ? JSON.parse(text).code : undefined;
}

describe("a key of one cell used at another", () => {
  it("works there as soon as it exists, and is metered once, in its own cell", async () => {
    const tenantId = await cells.eu.app.mintTenant("Traveller");
    const key = await createKey("eu", tenantId);
    const reply = await send("us", key, "/v1/things?page=2", {
      method: "POST",
      body: "a body",
      headers: { authorization: `Bearer ${key}`, "x-turnpike-tenant": "forged" },
    });
    expect([reply.status, await reply.text()]).toEqual([200, "ok"]);
    const seen = cells.eu.app.upstream.requests.at(-1);
    expect(seen).toMatchObject({ method: "POST", target: "/v1/things?page=2" });
    expect(seen?.body.toString()).toBe("a body");
    expect(seen?.header("x-turnpike-tenant")).toBe(tenantId);
    expect(seen?.header("x-turnpike-forwarded")).toBeUndefined();
    expect(seen?.header("authorization")).toBeUndefined();
    // As if the client had come here: neither cell adds a hop.
    expect(seen?.header("x-forwarded-for")).toBe("127.0.0.1");
    expect(seen?.header("host")).toBe(new URL(cells.eu.app.upstream.url).host);
    expect(seen?.header("x-forwarded-host")).toBe(new URL(cells.us.app.gatewayUrl).host);
    expect(reply.headers.get("x-request-id")).toBe(seen?.header("x-request-id"));
    expect(cells.us.app.upstream.requests).toEqual([]);
    await countCalls("eu", tenantId, 1);
    for (const name of ["eu", "us"] as const) {
      expect((await reconcile(cells[name].app.services, OPERATOR_CONTEXT)).drift).toBe(0);
    }
    const [own] = await cells.us.database.sql`select count(*)::int as rows from ledger_entries`;
    expect(own).toEqual({ rows: 0 });
  });

  it("has its limits over all entrances together", async () => {
    const tenantId = await cells.eu.app.mintTenant("Limited");
    const key = await createKey("eu", tenantId, { quotas: [{ meter: "requests", limit: 7 }] });
    const replies = await Promise.all(
      Array.from({ length: 20 }, (_, index) => send(NAMES[index % 3] ?? "eu", key)),
    );
    const statuses = replies.map(({ status }) => status);
    expect(statuses.filter((status) => status === 200)).toHaveLength(7);
    expect(statuses.filter((status) => status === 429)).toHaveLength(13);
    expect(await codeOf(replies.find(({ status }) => status === 429) ?? new Response("{}"))).toBe(
      "QUOTA_EXCEEDED",
    );
    await countCalls("eu", tenantId, 20);
  });

  it("may be bound to networks: the address is that of the client", async () => {
    const tenantId = await cells.eu.app.mintTenant("Bound");
    const [near, far] = [
      await createKey("eu", tenantId, { allowedNetworks: ["127.0.0.1"] }),
      await createKey("eu", tenantId, { allowedNetworks: ["192.0.2.0/24"] }),
    ];
    expect((await send("us", near)).status).toBe(200);
    const refused = await send("us", far, "/", {
      headers: { "x-api-key": far, "x-forwarded-for": "192.0.2.7" },
    });
    expect([refused.status, await codeOf(refused)]).toEqual([403, "FORBIDDEN_NETWORK"]);
  });

  it("carries both directions at once", async () => {
    const key = await createKey("eu", await cells.eu.app.mintTenant("Streamer"));
    const connection = await openRawConnection(Number(new URL(cells.us.app.gatewayUrl).port));
    connection.write(
      `POST /echo HTTP/1.1\r\nHost: api\r\nX-Api-Key: ${key}\r\nTransfer-Encoding: chunked\r\n\r\n`,
    );
    for (const word of ["one", "two", "three"]) {
      connection.write(`${word.length.toString(16)}\r\n${word}\r\n`);
      expect(await connection.readUntil(word)).toContain(word);
    }
    connection.write("0\r\n\r\n");
    await connection.readUntil("0\r\n\r\n");
    connection.destroy();
  });

  it("ends at the upstream when its client leaves, and counts once", async () => {
    const tenantId = await cells.eu.app.mintTenant("Leaver");
    const key = await createKey("eu", tenantId);
    const connection = await openRawConnection(Number(new URL(cells.us.app.gatewayUrl).port));
    connection.write(`GET /held HTTP/1.1\r\nHost: api\r\nX-Api-Key: ${key}\r\n\r\n`);
    await pollUntil("the upstream has the call", () => held.length === 1);
    const call = held.pop();
    call?.res.writeHead(200);
    call?.res.write("a beginning");
    await connection.readUntil("a beginning");
    const closed = call === undefined ? undefined : once(call.res, "close");
    connection.destroy();
    await closed;
    await countCalls("eu", tenantId, 1);
  });

  it("becomes a WebSocket", async () => {
    const key = await createKey("eu", await cells.eu.app.mintTenant("Socket"));
    cells.eu.app.upstream.server.once("upgrade", (_req, socket) => {
      socket.on("error", () => undefined);
      socket.write(
        "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n",
      );
      socket.pipe(socket);
    });
    const connection = await openRawConnection(Number(new URL(cells.us.app.gatewayUrl).port));
    connection.write(
      `GET /socket HTTP/1.1\r\nHost: api\r\nX-Api-Key: ${key}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n`,
    );
    await connection.readUntil("\r\n\r\n");
    connection.write("through two gateways");
    expect(await connection.readUntil("through two gateways")).toContain("through two gateways");
    connection.destroy();
  });

  it("may come with as large a head as in its own cell, through a proxy too", async () => {
    const key = await createKey("eu", await cells.eu.app.mintTenant("Large"));
    // The marker repeats what a trusted proxy says, and doubles each quote. The values leave room in 16 kB for the rest of the head.
    const heads: Record<string, [string, string][]> = {
      "many bytes": [["X-Padding", "x".repeat(16_000)]],
      "as many headers as may be": Array.from({ length: 96 }, (_, index) => [
        `X-Padding-${String(index)}`,
        "x",
      ]),
      "all of it repeated": [
        ["Via", '"'.repeat(8_000)],
        ["X-Forwarded-For", `${'"'.repeat(7_900)}, 192.0.2.7`],
      ],
    };
    const port = Number(new URL(cells.proxied.app.gatewayUrl).port);
    for (const [what, headers] of Object.entries(heads)) {
      const connection = await openRawConnection(port);
      const lines = headers.map(([name, value]) => `${name}: ${value}\r\n`).join("");
      connection.write(`GET / HTTP/1.1\r\nHost: api\r\nX-Api-Key: ${key}\r\n${lines}\r\n`);
      const reply = await connection.readResponse();
      expect([what, reply.status, reply.body.toString()]).toEqual([what, 200, "ok"]);
      connection.destroy();
      const seen = cells.eu.app.upstream.requests.at(-1);
      expect(seen?.header(headers[0]?.[0].toLowerCase() ?? "")).toContain(headers[0]?.[1]);
    }
    // A client that only pretends to forward has no such room.
    const forged = await send("eu", key, "/", {
      headers: { "x-api-key": key, "x-turnpike-forwarded": "x".repeat(20_000) },
    });
    expect([forged.status, await codeOf(forged)]).toEqual([403, "FORWARDED_CALL_REFUSED"]);
    const plain = await send("eu", key, "/", {
      headers: { "x-api-key": key, "x-padding": "x".repeat(17_000) },
    });
    expect([plain.status, await codeOf(plain)]).toEqual([431, "HEADERS_TOO_LARGE"]);
  });

  it("is refused like any unknown key where no cell has it", async () => {
    const unknown = await send("us", "a key that was never made");
    expect([unknown.status, await codeOf(unknown)]).toEqual([401, "INVALID_KEY"]);
  });

  it("is refused as in its own cell once it is revoked", async () => {
    const tenantId = await cells.eu.app.mintTenant("Revoker");
    const { app, serviceKey } = cells.eu;
    const made = await app.call(serviceKey, "POST", `/v1/tenants/${tenantId}/keys`, {
      name: "Key",
      environment: "live",
    });
    const { keyId, key } = made.json;
    expect((await send("us", key)).status).toBe(200);
    await app.call(serviceKey, "POST", `/v1/tenants/${tenantId}/keys/${keyId}/revoke`, {});
    await pollUntil(
      "it is refused",
      async () => (await codeOf(await send("us", key))) === "REVOKED",
    );
  });
});

describe("the marker of a forwarded call", () => {
  const markerKey = deriveCellsKey(SECRET, "forwarded calls");
  const facts = {
    from: "us",
    to: "eu",
    requestId: "req_forged",
    sentAt: Math.floor(Date.now() / 1_000),
    client: "192.0.2.7",
    peer: "192.0.2.7",
    isPeerTrusted: false,
    host: "api",
    kept: [],
  };

  it("is refused unless a cell has signed it for this very call, this cell and now", async () => {
    const tenantId = await cells.eu.app.mintTenant("Forger");
    const key = await createKey("eu", tenantId, { allowedNetworks: ["192.0.2.0/24"] });
    const call = { method: "GET", rawTarget: "/", keyText: key };
    const another = deriveCellsKey("a secret that is not that of the cells", "forwarded calls");
    const markers: Record<string, string> = {
      garbage: "yes",
      unsigned: writeMarker(markerKey, facts, call).replace(/\..*/, "."),
      "signed with another secret": writeMarker(another, facts, call),
      "for another path": writeMarker(markerKey, facts, { ...call, rawTarget: "/other" }),
      "for another key": writeMarker(markerKey, facts, { ...call, keyText: "another" }),
      "for another cell": writeMarker(markerKey, { ...facts, to: "asia" }, call),
      old: writeMarker(markerKey, { ...facts, sentAt: facts.sentAt - 3_600 }, call),
    };
    for (const [what, marker] of Object.entries(markers)) {
      const reply = await send("eu", key, "/", {
        headers: { "x-api-key": key, "x-turnpike-forwarded": marker },
      });
      expect([what, reply.status, await codeOf(reply)]).toEqual([
        what,
        403,
        "FORWARDED_CALL_REFUSED",
      ]);
    }
    const genuine = await send("eu", key, "/", {
      headers: { "x-api-key": key, "x-turnpike-forwarded": writeMarker(markerKey, facts, call) },
    });
    expect(genuine.status).toBe(200);
  });

  it("keeps a call from being forwarded once more, also where two cells each say the other has the key", async () => {
    const tenantId = await cells.us.app.mintTenant("Loop");
    const key = await createKey("us", tenantId);
    const call = { method: "GET", rawTarget: "/", keyText: key };
    const reply = await send("eu", key, "/", {
      headers: { "x-api-key": key, "x-turnpike-forwarded": writeMarker(markerKey, facts, call) },
    });
    expect([reply.status, await codeOf(reply)]).toEqual([421, "CALL_MISDIRECTED"]);
    expect(reply.headers.get("x-turnpike-elsewhere")).toBe("1");
    await countCalls("us", tenantId, 0);
  });

  it("cannot be spoken by an upstream", async () => {
    const tenantId = await cells.eu.app.mintTenant("Liar");
    const key = await createKey("eu", tenantId);
    // Not by fetch(), which repeats a call that is answered with 421.
    const connection = await openRawConnection(Number(new URL(cells.us.app.gatewayUrl).port));
    connection.write(`GET /held HTTP/1.1\r\nHost: api\r\nX-Api-Key: ${key}\r\n\r\n`);
    await pollUntil("the upstream has the call", () => held.length === 1);
    held.pop()?.res.writeHead(421, { "X-Turnpike-Elsewhere": "1" }).end("not me");
    const reply = await connection.readResponse();
    expect([reply.status, reply.body.toString()]).toEqual([421, "not me"]);
    connection.destroy();
    await countCalls("eu", tenantId, 1);
  });
});

describe("a tenant that has moved while a node remembers where it was", () => {
  /** Gives the key to a tenant of another cell without a word to the nodes that know where it was. */
  async function moveQuietly(text: string): Promise<TenantId> {
    const hash = createHash("sha256").update(text).digest("hex");
    const { eu, asia } = cells;
    const [key] = await eu.database.sql<{ tenant_id: TenantId; key_id: string }[]>`
      delete from api_keys where key_hash = decode(${hash}, 'hex') returning tenant_id, key_id`;
    await eu.database
      .sql`select record_change('key', ${key?.tenant_id ?? ""}, ${key?.key_id ?? ""})`;
    await eu.app.hearChanges();
    await shared.sql`delete from turnpike_directory.keys where tenant_id = ${key?.tenant_id ?? ""}`;
    const tenantId = await asia.app.mintTenant("Arrived");
    const path = `/v1/tenants/${tenantId}/keys/import`;
    const rows = [{ hash, name: "Moved" }];
    const imported = await asia.app.call(asia.serviceKey, "POST", path, { rows });
    expect(imported.json.imported, imported.text).toBe(1);
    return tenantId;
  }

  async function importKey(text: string): Promise<void> {
    const { app, serviceKey } = cells.eu;
    const path = `/v1/tenants/${await app.mintTenant("Leaving")}/keys/import`;
    const imported = await app.call(serviceKey, "POST", path, {
      rows: [{ hash: createHash("sha256").update(text).digest("hex"), name: "Here" }],
    });
    expect(imported.json.imported, imported.text).toBe(1);
  }

  it("is served where it is now, by the same call", async () => {
    const text = "an imported key that moves without a body";
    await importKey(text);
    expect((await send("us", text)).status).toBe(200);
    const tenantId = await moveQuietly(text);
    expect((await send("us", text)).status).toBe(200);
    await countCalls("asia", tenantId, 1);
  });

  it("is asked to call again when some of the body was sent, and then served", async () => {
    const text = "an imported key that moves with a body";
    await importKey(text);
    expect((await send("us", text)).status).toBe(200);
    const tenantId = await moveQuietly(text);
    const post = { method: "POST", body: "a body" };
    const refused = await send("us", text, "/", { ...post, headers: { "x-api-key": text } });
    expect([refused.status, await codeOf(refused)]).toEqual([503, "TENANT_MOVING"]);
    expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(0);
    expect((await send("us", text, "/", { ...post, headers: { "x-api-key": text } })).status).toBe(
      200,
    );
    await countCalls("asia", tenantId, 1);
  });

  it("is refused at every cell while the directory says that it moves", async () => {
    const tenantId = await cells.eu.app.mintTenant("Moving");
    const key = await createKey("eu", tenantId);
    await shared.sql`
      update turnpike_directory.tenants set state = 'moving', version = 2 where tenant_id = ${tenantId}`;
    const reply = await send("us", key);
    expect([reply.status, await codeOf(reply)]).toEqual([503, "TENANT_MOVING"]);
  });
});

describe("a tenant of another cell", () => {
  const elsewhere = { code: "TENANT_ELSEWHERE", cell: "eu", consoleUrl: "http://console.test" };

  it("is named with its address to its own keys, to operators and to their programs", async () => {
    const { us, eu } = cells;
    const tenantId = await eu.app.mintTenant("Elsewhere");
    const key = await eu.app.mintKey(tenantId, ["tenants:read"]);
    const path = `/v1/tenants/${tenantId}`;
    const reader = await us.app.mintServiceKey(["tenants:read", "keys:verify"]);
    const operator = await us.app.mintOperatorToken();
    for (const credential of [key, reader, operator]) {
      const reply = await us.app.call(credential, "GET", path);
      expect(reply.status, reply.text).toBe(409);
      expect(reply.json).toMatchObject(elsewhere);
    }
    const verdict = await us.app.call(reader, "POST", "/v1/keys/verify", { key });
    expect(verdict.json).toMatchObject(elsewhere);
    expect(
      (await us.app.call(reader, "POST", "/v1/keys/verify", { key: "none" })).json,
    ).toMatchObject({
      valid: false,
      code: "INVALID_KEY",
    });
  });

  it("does not exist for anyone else", async () => {
    const { us, eu } = cells;
    const tenantId = await eu.app.mintTenant("Hidden");
    const own = await us.app.mintTenant("Own");
    const member = await us.app.mintMember(own, "owner");
    const strangers = [
      member.token,
      await us.app.mintKey(own, ["tenants:read"]),
      await us.app.mintServiceKey(["keys:write"]),
    ];
    for (const credential of strangers) {
      const reply = await us.app.call(credential, "GET", `/v1/tenants/${tenantId}`);
      expect(reply.json.code, reply.text).not.toBe("TENANT_ELSEWHERE");
      expect(reply.text).not.toContain("eu");
    }
  });
});

describe("without the directory", () => {
  it("calls with keys of the own cell and with remembered keys pass, and others get an answer that says why", async () => {
    const tenantId = await cells.eu.app.mintTenant("Cut off");
    const [known, unknown] = [await createKey("eu", tenantId), await createKey("eu", tenantId)];
    expect((await send("us", known)).status).toBe(200);
    const there = directory.targetPort;
    directory.targetPort = 1;
    directory.resetAll();
    try {
      expect((await send("eu", unknown)).status).toBe(200);
      expect((await send("us", known)).status).toBe(200);
      const refused = await send("us", unknown);
      expect([refused.status, await codeOf(refused)]).toEqual([503, "DIRECTORY_UNAVAILABLE"]);
      const { app, serviceKey } = cells.eu;
      const input = { name: "Key", environment: "live" };
      const made = await app.call(serviceKey, "POST", `/v1/tenants/${tenantId}/keys`, input);
      expect([made.status, made.json.code]).toEqual([503, "DIRECTORY_UNAVAILABLE"]);
      await pollUntil("the health says so", async () => {
        const { json } = await app.call(undefined, "GET", "/health/ready");
        return json.parts.directory.status === "degraded";
      });
    } finally {
      directory.targetPort = there;
    }
    await pollUntil("the key works again", async () => (await send("us", unknown)).status === 200);
    await pollUntil("the health says so", async () => {
      const { json } = await cells.eu.app.call(undefined, "GET", "/health/ready");
      return json.parts.directory.status === "ok";
    });
  });
});
