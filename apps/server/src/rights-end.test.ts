import { randomUUID } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { isDeepStrictEqual } from "node:util";
import { SCOPES } from "@turnpike/domain/access/scopes";
import type { Standing } from "@turnpike/domain/entitlements/standing";
import type { TenantId, UserId } from "@turnpike/domain/ids/ids";
import { pollUntil } from "@turnpike/testkit/poll-until";
import { openRawConnection } from "@turnpike/testkit/raw-http";
import { type ApiReply, startTestApp, type TestApp } from "@turnpike/testkit/test-app";
import { createTestDatabase, type TestDatabase } from "@turnpike/testkit/test-database";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  type ModelStandIn,
  startModelStandIn,
} from "#modules/agents/model/testing/model-stand-in.fixture.ts";

/** A tenant with a key, and a member who has signed in. */
type Customer = {
  tenantId: TenantId;
  name: string;
  keyId: string;
  key: string;
  keyPath: string;
  member: { token: string; userId: UserId };
};

/** Something that is open on both sides, until it is not. */
type Opened = { isOver(): boolean; close(): void };

type Kind = {
  /** Whose rights carry it, beside those of the tenant. */
  by: "key" | "member";
  /**
   * What the ledger has of it when its rights end: its answer, billed already, or the reason of the end, billed if the upstream
   * was working on it. Undefined: no call.
   */
  metered?: "answered" | "worked-on" | "refused";
  open(customer: Customer): Promise<Opened>;
};

/** A way in which rights end. */
type End = {
  of: Kind["by"] | "tenant";
  /** The outcome of a call that has no answer yet. */
  outcome?: string;
  /** What stays open all the same. */
  spares?: readonly string[];
  end(customer: Customer): Promise<ApiReply | undefined>;
};

let database: TestDatabase;
let app: TestApp;
/** Takes questions and never answers. */
let silentModel: ModelStandIn;
let serviceKey: string;
/** What the product's wall clock is ahead by. */
let aheadMs = 0;
const HOUR_MS = 60 * 60_000;

/** Which exchanges the upstream has seen, and which are over there, by their number in the path. */
const seenUpstream = new Set<string>();
const overUpstream = new Set<string>();
let exchanges = 0;

/** Answers as the path asks: `/drip/7` sends a few bytes now and then, `/flood/7` as many as fit, `/wait/7` nothing. */
function answerAsAsked(req: IncomingMessage, res: ServerResponse): boolean {
  const [, how, exchange = ""] = (req.url ?? "").split("/");
  if (how !== "drip" && how !== "flood" && how !== "wait") {
    return false;
  }
  req.on("error", () => undefined);
  req.resume();
  seenUpstream.add(exchange);
  res.on("close", () => overUpstream.add(exchange));
  if (how !== "wait") {
    res.writeHead(200, { "content-type": "text/plain" });
  }
  if (how === "drip") {
    const timer = setInterval(() => res.write("drop"), 20);
    res.on("close", () => clearInterval(timer));
  }
  if (how === "flood") {
    const fill = (): void => {
      while (!res.destroyed && res.write(Buffer.alloc(64 * 1024))) {
        // As much as the other side takes.
      }
    };
    res.on("drain", fill);
    fill();
  }
  return true;
}

function acceptWebSocket(req: IncomingMessage, socket: Socket): void {
  socket.on("error", () => undefined);
  socket.on("close", () => overUpstream.add((req.url ?? "").split("/").at(-1) ?? ""));
  socket.write(
    "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n",
  );
  socket.pipe(socket);
}

async function openCall(
  customer: Customer,
  how: "drip" | "flood" | "wait" | "socket",
  options: { head?: string; body?: string; waitsFor?: string; reads?: boolean } = {},
): Promise<Opened> {
  const { head = "", body, waitsFor, reads = true } = options;
  exchanges += 1;
  const exchange = String(exchanges);
  const connection = await openRawConnection(Number(new URL(app.gatewayUrl).port));
  const method = body === undefined ? "GET" : "POST";
  connection.write(
    `${method} /${how}/${exchange} HTTP/1.1\r\nHost: api\r\nX-Api-Key: ${customer.key}\r\n${head}\r\n${body ?? ""}`,
  );
  if (waitsFor !== undefined) {
    await connection.readUntil(waitsFor);
  } else {
    await pollUntil("the upstream has it", () => seenUpstream.has(exchange));
  }
  if (!reads) {
    connection.socket.pause();
  }
  const timer = body === undefined ? undefined : setInterval(() => connection.write(body), 20);
  return {
    isOver: () => {
      if (overUpstream.has(exchange)) {
        connection.socket.resume();
      }
      return overUpstream.has(exchange) && connection.socket.closed;
    },
    close: () => {
      clearInterval(timer);
      connection.destroy();
    },
  };
}

async function openStream(path: string, credential: string, body?: object): Promise<Opened> {
  const abort = new AbortController();
  const reply = await fetch(app.url + path, {
    headers: { authorization: `Bearer ${credential}`, "content-type": "application/json" },
    ...(body === undefined ? {} : { method: "POST", body: JSON.stringify(body) }),
    signal: abort.signal,
  });
  expect(reply.status).toBe(200);
  let isOver = false;
  const read = async (): Promise<void> => {
    for await (const _ of reply.body ?? []) {
      // Only its end matters.
    }
  };
  void read()
    .catch(() => undefined)
    .finally(() => {
      isOver = true;
    });
  return { isOver: () => isOver, close: () => abort.abort() };
}

const documents = ({ tenantId }: Customer) => `/v1/tenants/${tenantId}/documents/views/changes`;
const news = ({ tenantId }: Customer) => `/v1/tenants/${tenantId}/news`;
const live = ({ tenantId }: Customer) => `/v1/tenants/${tenantId}/usage/live`;
const model = ({ tenantId }: Customer) => `/v1/tenants/${tenantId}/questions/model`;
const MODEL_QUESTION = { question: "requests yesterday" };

const UPGRADE =
  "Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n";

/** Everything that stays open. A stream of the API begins with the id of its operation; the first test looks for new ones. */
const KINDS: Readonly<Record<string, Kind>> = {
  "a call that waits for its answer": {
    by: "key",
    metered: "worked-on",
    open: (customer) => openCall(customer, "wait"),
  },
  "an upload": {
    by: "key",
    metered: "refused",
    open: (customer) =>
      openCall(customer, "wait", {
        head: "Transfer-Encoding: chunked\r\n",
        body: "4\r\nbyte\r\n",
      }),
  },
  "an answer that drips": {
    by: "key",
    metered: "answered",
    open: (customer) => openCall(customer, "drip", { waitsFor: "drop" }),
  },
  "an upload beside an answer that drips": {
    by: "key",
    metered: "answered",
    open: (customer) =>
      openCall(customer, "drip", {
        head: "Transfer-Encoding: chunked\r\n",
        body: "4\r\nbyte\r\n",
        waitsFor: "drop",
      }),
  },
  "a download that its client does not read": {
    by: "key",
    metered: "answered",
    open: (customer) => openCall(customer, "flood", { waitsFor: "200 OK", reads: false }),
  },
  "a WebSocket": {
    by: "key",
    metered: "answered",
    open: (customer) => openCall(customer, "socket", { head: UPGRADE, waitsFor: "101 " }),
  },
  "documents.changes with a key": {
    by: "key",
    open: (customer) => openStream(documents(customer), customer.key),
  },
  "documents.changes with a session": {
    by: "member",
    open: (customer) => openStream(documents(customer), customer.member.token),
  },
  "documents.news with a key": {
    by: "key",
    open: (customer) => openStream(news(customer), customer.key),
  },
  "documents.news with a session": {
    by: "member",
    open: (customer) => openStream(news(customer), customer.member.token),
  },
  "usage.live with a key": {
    by: "key",
    open: (customer) => openStream(live(customer), customer.key),
  },
  "usage.live with a session": {
    by: "member",
    open: (customer) => openStream(live(customer), customer.member.token),
  },
  "modelAnswers.ask with a key": {
    by: "key",
    open: (customer) => openStream(model(customer), customer.key, MODEL_QUESTION),
  },
  "modelAnswers.ask with a session": {
    by: "member",
    open: (customer) => openStream(model(customer), customer.member.token, MODEL_QUESTION),
  },
};

const changeKey = ({ keyPath }: Customer, body: object) =>
  app.call(serviceKey, "PATCH", keyPath, body);
const inAnHour = () => new Date(Date.now() + HOUR_MS).toISOString();

async function setStanding(tenantId: TenantId, standing: Standing): Promise<undefined> {
  await database.sql`
    update tenant_entitlements set standing = ${standing} where tenant_id = ${tenantId}`;
  await database.sql`select record_change('tenant', ${tenantId}, ${tenantId})`;
}

const ENDS: Readonly<Record<string, End>> = {
  "its key is revoked": {
    of: "key",
    outcome: "REVOKED",
    end: ({ keyPath }) => app.call(serviceKey, "POST", `${keyPath}/revoke`),
  },
  "its key is disabled": {
    of: "key",
    outcome: "DISABLED",
    end: (customer) => changeKey(customer, { disabled: true }),
  },
  "its key is bound to other networks": {
    of: "key",
    outcome: "FORBIDDEN_NETWORK",
    end: (customer) => changeKey(customer, { allowedNetworks: ["192.0.2.0/24"] }),
  },
  "its key expires": {
    of: "key",
    outcome: "EXPIRED",
    end: async (customer) => {
      const reply = await changeKey(customer, { expiresAt: inAnHour() });
      aheadMs = 2 * HOUR_MS;
      return reply;
    },
  },
  "its key was rolled and the grace is over": {
    of: "key",
    outcome: "EXPIRED",
    end: async ({ keyPath }) => {
      const reply = await app.call(serviceKey, "POST", `${keyPath}/roll`, { graceSeconds: 3_600 });
      aheadMs = 2 * HOUR_MS;
      return reply;
    },
  },
  "its key was rolled without grace": {
    of: "key",
    outcome: "REVOKED",
    end: ({ keyPath }) => app.call(serviceKey, "POST", `${keyPath}/roll`, { graceSeconds: 0 }),
  },
  "the tenant is suspended": {
    of: "tenant",
    outcome: "TENANT_SUSPENDED",
    // Its people may still open the console, which keeps their preferences there.
    spares: ["documents.changes with a session", "documents.news with a session"],
    end: ({ tenantId }) =>
      app.call(serviceKey, "PATCH", `/v1/tenants/${tenantId}`, { suspended: true }),
  },
  "the tenant is deleted": {
    of: "tenant",
    outcome: "INVALID_KEY",
    end: ({ tenantId, name }) =>
      app.call(serviceKey, "POST", `/v1/tenants/${tenantId}/delete`, { name }),
  },
  "the member is removed": {
    of: "member",
    end: ({ tenantId, member }) =>
      app.call(serviceKey, "DELETE", `/v1/tenants/${tenantId}/members/${member.userId}`),
  },
  "the session's token expires": {
    of: "member",
    end: () => {
      aheadMs = 24 * HOUR_MS;
      return Promise.resolve(undefined);
    },
  },
};

/** Ends of what the API's own streams do not depend on: a tenant may look at its usage while its calls are blocked. */
const ENDS_OF_CALLS: Readonly<Record<string, End>> = {
  "the tenant is blocked for an overdue invoice": {
    of: "tenant",
    outcome: "PAYMENT_REQUIRED",
    end: ({ tenantId }) => setStanding(tenantId, "blocked"),
  },
  "the tenant reaches its spend cap": {
    of: "tenant",
    outcome: "SPEND_CAP_REACHED",
    end: ({ tenantId }) => setStanding(tenantId, "capped"),
  },
};

beforeAll(async () => {
  database = await createTestDatabase();
  silentModel = await startModelStandIn();
  silentModel.answer({ hangs: true });
  app = await startTestApp(database, {
    configText: `intelligence: { model: { url: "${silentModel.url}", name: silent, timeoutSeconds: 600 } }`,
    clock: {
      now: () => new Date(Date.now() + aheadMs),
      monotonicMs: () => performance.now(),
    },
    // How soon a stream of the API sees that a credential has expired; changes are heard at once.
    streamHeartbeatMs: 100,
    upstream: { onRequest: answerAsAsked },
  });
  app.upstream.server.on("upgrade", acceptWebSocket);
  serviceKey = await app.mintServiceKey(SCOPES);
});
afterAll(async () => {
  await app.close();
  await silentModel.close();
  await database.close();
});

async function createCustomer(): Promise<Customer> {
  const name = randomUUID();
  const tenantId = await app.mintTenant(name);
  const keys = `/v1/tenants/${tenantId}/keys`;
  const scopes = ["documents:read", "usage:read"];
  const { json } = await app.call(serviceKey, "POST", keys, { name: "Key", scopes });
  return {
    tenantId,
    name,
    keyId: json.keyId,
    key: json.key,
    keyPath: `${keys}/${String(json.keyId)}`,
    member: await app.mintMember(tenantId, "admin"),
  };
}

type Metered = { calls: number; billed: number };

/** Outcomes in the ledger so far. */
async function countOutcomes(tenantId: TenantId): Promise<Record<string, Metered>> {
  const rows = await database.sql<({ outcome: string } & Metered)[]>`
    select outcome, sum(calls)::int as calls, sum(quantity)::int as billed
    from usage_by_minute where tenant_id = ${tenantId} group by 1`;
  return Object.fromEntries(rows.map(({ outcome, ...metered }) => [outcome, metered]));
}

function kindsThat(isConcerned: (kind: Kind) => boolean): [string, Kind][] {
  return Object.entries(KINDS).filter(([, kind]) => isConcerned(kind));
}

/** Opens every kind for a customer and for a neighbour, ends the rights of the one, and waits for what must be over. */
async function expectCut(end: End, kinds: readonly [string, Kind][]): Promise<void> {
  const [customer, neighbour] = [await createCustomer(), await createCustomer()];
  const opened = new Map<string, Opened>();
  const others = new Map<string, Opened>();
  try {
    await Promise.all(
      kinds.map(async ([name, kind]) => {
        opened.set(name, await kind.open(customer));
        others.set(name, await kind.open(neighbour));
      }),
    );
    const listOpen = () => [...opened].filter(([, each]) => !each.isOver()).map(([name]) => name);
    expect(listOpen()).toHaveLength(kinds.length);
    const reply = await end.end(customer);
    expect(reply?.status ?? 200, reply?.text).toBeLessThan(300);
    await pollUntil("everything is over", () => listOpen().length === 0).catch(() => undefined);
    expect(listOpen()).toEqual([]);
    const isOfClock = aheadMs > 0 && end.of === "member";
    const cut = [...others].filter(([, each]) => each.isOver()).map(([name]) => name);
    expect(isOfClock ? [] : cut).toEqual([]);
    await expectMetered(customer, end, kinds);
  } finally {
    aheadMs = 0;
    for (const each of [...opened.values(), ...others.values()]) {
      each.close();
    }
  }
}

async function expectMetered(
  { tenantId }: Customer,
  { outcome = "" }: End,
  kinds: readonly [string, Kind][],
): Promise<void> {
  const count = (metered: Kind["metered"]) =>
    kinds.filter(([, kind]) => kind.metered === metered).length;
  const [answered, workedOn] = [count("answered"), count("worked-on")];
  const ended = { calls: workedOn + count("refused"), billed: workedOn };
  const expected = Object.fromEntries(
    Object.entries({ VALID: { calls: answered, billed: answered }, [outcome]: ended }).filter(
      ([, { calls }]) => calls > 0,
    ),
  );
  await pollUntil("each call is recorded", async () =>
    isDeepStrictEqual(await countOutcomes(tenantId), expected),
  ).catch(() => undefined);
  expect(await countOutcomes(tenantId)).toEqual(expected);
}

describe("what is open when rights end", () => {
  it("is listed here: every stream that the API has", async () => {
    const { json } = await app.call(undefined, "GET", "/v1/openapi.json");
    const operations = Object.values(json.paths).flatMap((path) =>
      Object.values(path as Record<string, { operationId?: string; responses?: object }>),
    );
    const streams = operations
      .filter(({ responses }) => JSON.stringify(responses ?? {}).includes("text/event-stream"))
      .map(({ operationId }) => operationId ?? "");
    const listed = (name: string, by: Kind["by"]) =>
      kindsThat((kind) => kind.by === by).some(([kind]) => kind.startsWith(`${name} `));
    expect(streams.length).toBeGreaterThan(1);
    expect(streams.filter((name) => !listed(name, "key") || !listed(name, "member"))).toEqual([]);
  });

  it.each(Object.entries(ENDS))("is cut when %s, and nothing of a neighbour is", async (_, end) => {
    await expectCut(
      end,
      kindsThat(({ by }) => end.of === "tenant" || end.of === by).filter(
        ([name]) => end.spares?.includes(name) !== true,
      ),
    );
  });

  it.each(Object.entries(ENDS_OF_CALLS))(
    "is cut when %s, as far as it is a call",
    async (_, end) => {
      await expectCut(
        end,
        kindsThat(({ metered }) => metered !== undefined),
      );
    },
  );
});
