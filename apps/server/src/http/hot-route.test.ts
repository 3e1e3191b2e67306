import { once } from "node:events";
import type { ServerResponse } from "node:http";
import { connect, Socket } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import { AppError } from "@turnpike/domain/errors/app-error";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { createLogger } from "#platform/logger.ts";
import { type ApiFixture, serveModule } from "./api-server.fixture.ts";
import { HotRequest, withHotBody } from "./hot-body.ts";
import { sendHotJson } from "./hot-json.ts";
import { ClientLeftError } from "./raw-route.ts";

const BYTES_MAX = 100_000;
/** More than the system takes in for a client that does not read. */
const LARGE_BYTES = 50_000_000;
const PAGE = "https://page.example";

let api: ApiFixture;
const logged: string[] = [];
/** Bodies that the route got, and failures of those that it did not. */
let bodies: string[] = [];
let failures: unknown[] = [];

/** The words `throw`, `reject`, `slow` and `created` are what to do; all else is sent back. */
function work(
  text: string,
  res: ServerResponse,
  send: (text: string) => void,
): Promise<void> | void {
  switch (text) {
    case "throw":
      throw refused();
    case "reject":
      return Promise.reject(refused());
    case "slow":
      return delay(50).then(() => send(text));
    case "created": {
      const extra = ["location", "/v1/hot/1"];
      return sendHotJson(res, { status: 201, requestId: "req_1", text: "{}", extra });
    }
    default:
      return send(text);
  }
}

function refused(): AppError {
  return new AppError({ code: "INVALID_REQUEST", publicMessage: "Refused." });
}

beforeAll(async () => {
  api = await serveModule({
    router: {},
    actors: {},
    corsOrigins: [PAGE],
    logger: createLogger({
      level: "error",
      destination: { write: (line) => logged.push(line) },
    }),
    rawRoutes: [
      {
        method: "GET",
        path: "/v1/large",
        handle: ({ res }) => void res.end(Buffer.alloc(LARGE_BYTES)),
      },
      {
        method: "POST",
        path: "/v1/hot",
        isHot: true,
        handle: async ({ req, res, context, fail }) => {
          if (req.headers["x-late"] !== undefined) {
            await delay(50);
          }
          const { requestId } = context;
          const send = (text: string) =>
            sendHotJson(res, { status: 200, requestId, text: JSON.stringify(text) });
          const take = (body: Buffer) => {
            const text = body.toString("utf8");
            bodies.push(text);
            return work(text, res, send);
          };
          withHotBody(req, BYTES_MAX, take, (error) => {
            failures.push(error);
            fail(error);
          });
        },
      },
    ],
  });
});

afterAll(() => api.close());

function request(body: string, headers = ""): string {
  return `POST /v1/hot HTTP/1.1\r\nHost: a\r\n${headers}Content-Length: ${String(Buffer.byteLength(body))}\r\n\r\n${body}`;
}

type Connection = { socket: Socket; received(): string };

async function open(): Promise<Connection> {
  const socket = connect(Number(new URL(api.url).port), "127.0.0.1");
  onTestFinished(() => {
    socket.destroy();
  });
  const chunks: Buffer[] = [];
  socket.on("data", (chunk) => chunks.push(chunk));
  await once(socket, "connect");
  return { socket, received: () => Buffer.concat(chunks).toString("utf8") };
}

/** Sends, and reads until the server closes. */
async function exchange(text: string): Promise<string> {
  const { socket, received } = await open();
  const closed = once(socket, "close");
  socket.write(text);
  await closed;
  return received();
}

/** The bodies of the answers of a connection, in their order. */
function readBodies(received: string): unknown[] {
  return [...received.matchAll(/\r\n\r\n("[^"]*")/g)].map(([, json]) => JSON.parse(json ?? ""));
}

async function post(body: string | ReadableStream, headers: Record<string, string> = {}) {
  return await fetch(`${api.url}/v1/hot`, { method: "POST", body, headers, duplex: "half" });
}

function inPieces(text: string, length: number): ReadableStream {
  const bytes = Buffer.from(text);
  return new ReadableStream({
    start(controller) {
      for (let at = 0; at < bytes.length; at += length) {
        controller.enqueue(bytes.subarray(at, at + length));
      }
      controller.close();
    },
  });
}

describe("the body of a hot route", () => {
  it.each([
    ["in one piece", () => "turnpike"],
    ["of no bytes", () => ""],
    ["that is as large as may be, in many pieces", () => inPieces("x".repeat(BYTES_MAX), 7_001)],
    ["whose characters are torn", () => inPieces("für 5 € 💶".repeat(50), 1)],
  ])("is whole when it comes %s", async (_, make) => {
    const expected = await new Response(make()).text();
    const answer = await post(make());
    expect(answer.status).toBe(200);
    expect(await answer.json()).toBe(expected);
  });

  it("is whole when it came before anybody asked for it", async () => {
    for (const body of ["turnpike", "", "x".repeat(BYTES_MAX)]) {
      const answer = await post(body, { "x-late": "1" });
      expect(await answer.json()).toBe(body);
    }
  });

  it.each([
    ["announced", `Content-Length: ${String(BYTES_MAX + 1)}\r\n\r\n`],
    [
      "in chunks",
      `Transfer-Encoding: chunked\r\n\r\n${`ea60\r\n${"x".repeat(60_000)}\r\n`.repeat(2)}0\r\n\r\n`,
    ],
  ])("is refused when it is too large, %s, and the client gets to read why", async (_, rest) => {
    bodies = [];
    failures = [];
    const answer = await exchange(`POST /v1/hot HTTP/1.1\r\nHost: a\r\n${rest}`);
    expect(answer).toMatch(/^HTTP\/1\.1 413 /);
    expect(answer).toContain("PAYLOAD_TOO_LARGE");
    expect([bodies, failures.length]).toEqual([[], 1]);
  });

  it("is refused once when it is too large, also when more of it comes", () => {
    const told: unknown[] = [];
    const req = new HotRequest(new Socket());
    withHotBody(
      req,
      10,
      () => {
        told.push("work");
      },
      (error) => told.push(error),
    );
    for (let pieces = 0; pieces < 4; pieces += 1) {
      req.push(Buffer.alloc(8));
    }
    req.destroy();
    expect(told).toEqual([expect.objectContaining({ code: "PAYLOAD_TOO_LARGE" })]);
    req.push(null);
    expect(told).toHaveLength(1);
  });

  const ways: [string, (socket: Socket) => void][] = [
    ["is cut off", (socket) => socket.resetAndDestroy()],
    ["closes", (socket) => socket.destroy()],
    ["ends its side", (socket) => socket.end()],
  ];
  it.each(ways.flatMap((way) => [["", ...way] as const, ["x-late: 1\r\n", ...way] as const]))(
    "is no body when its client leaves before the end (%j, %s)",
    async (headers, _, leave) => {
      bodies = [];
      failures = [];
      const { socket } = await open();
      socket.write(`POST /v1/hot HTTP/1.1\r\nHost: a\r\n${headers}Content-Length: 10\r\n\r\nhalf`);
      await delay(20);
      leave(socket);
      await expect.poll(() => failures.length).toBe(1);
      expect(bodies).toEqual([]);
      // Nothing went wrong here.
      expect(failures[0]).toBeInstanceOf(ClientLeftError);
      expect(logged).toEqual([]);
    },
  );

  it.each([
    "gzip",
    "chunked, chunked",
    "gzip, chunked",
    "chunked\r\nTransfer-Encoding: x",
    "L\xfbT",
  ])(
    "is refused in a coding that is not understood (%j), and nothing is done for it",
    async (coding) => {
      bodies = [];
      failures = [];
      for (const late of ["", "x-late: 1\r\n"]) {
        const answer = await exchange(
          `POST /v1/hot HTTP/1.1\r\nHost: a\r\n${late}Transfer-Encoding: ${coding}\r\n\r\n0\r\n\r\n`,
        );
        expect(answer.match(/HTTP\/1\.1 \d+/g)).toEqual(["HTTP/1.1 400"]);
        expect(answer).toContain("MALFORMED_REQUEST");
      }
      await delay(80);
      expect([bodies, failures]).toEqual([[], []]);
    },
  );

  it.each(["throw", "reject"])("may be refused by its handler (%s)", async (body) => {
    const answer = await post(body);
    expect(answer.status).toBe(400);
    expect(await answer.json()).toMatchObject({ code: "INVALID_REQUEST", detail: "Refused." });
  });
});

describe("the answer of a hot route", () => {
  const comparable = (head: string) =>
    head
      .split("\r\n")
      .filter((line) => !/^(connection|keep-alive|x-request-id|date):/i.test(line))
      .map((line) => line.toLowerCase())
      .sort();

  it("has the head that node gives to the last one of a connection", async () => {
    const startedAtMs = Date.now();
    const [first = "", last = ""] = (
      await exchange(request("same") + request("same", "Connection: close\r\n"))
    ).split(/(?<=\r\n\r\n"same")/);
    expect(comparable(first)).toEqual(comparable(last));
    expect(first).toMatch(/\r\nConnection: keep-alive\r\n/);
    expect(first).toMatch(/\r\nkeep-alive: timeout=60\r\n/);
    expect(first).toMatch(/\r\nx-request-id: req_[0-9a-f]+\r\n/);
    expect(last).toMatch(/\r\nConnection: close\r\n/);
    const date = Date.parse(/\r\nDate: ([^\r]+)/.exec(first)?.[1] ?? "");
    // In whole seconds, and no older than the request.
    expect(date).toBeGreaterThan(startedAtMs - 2_000);
    expect(date).toBeLessThanOrEqual(Date.now());
  });

  it("is whole when it has characters of several bytes", async () => {
    const text = "für 5 € 💶";
    const answer = await post(text);
    expect(await answer.json()).toBe(text);
    expect(Number(answer.headers.get("content-length"))).toBe(Buffer.byteLength(`"${text}"`));
  });

  it("may have another status and further headers", async () => {
    const answer = await post("created");
    expect(answer.status).toBe(201);
    expect(answer.headers.get("location")).toBe("/v1/hot/1");
  });

  it("keeps the headers for pages that may read it", async () => {
    const answer = await post("page", { origin: PAGE });
    expect(await answer.json()).toBe("page");
    expect(answer.headers.get("access-control-allow-origin")).toBe(PAGE);
    expect(answer.headers.get("vary")).toBe("Origin");
  });

  it("comes in the order of the requests, also when a later one is ready first", async () => {
    const { socket, received } = await open();
    const asked = ["a", "slow", "b", "slow", "c", "d"];
    socket.write(asked.map((body) => request(body)).join(""));
    await expect.poll(() => readBodies(received())).toEqual(asked);
  });

  it("comes as often as it is asked for on one connection, which can be closed then", async () => {
    const { socket, received } = await open();
    const asked = Array.from({ length: 500 }, (_, at) => String(at));
    for (const body of asked) {
      socket.write(request(body));
      if (Number(body) % 7 === 0) {
        await delay(0);
      }
    }
    await expect.poll(() => readBodies(received())).toEqual(asked);
    socket.write(request("end", "Connection: close\r\n"));
    await once(socket, "close");
    expect(readBodies(received()).at(-1)).toBe("end");
  });

  it("comes after 100 Continue, and to a client of HTTP/1.0", async () => {
    expect(
      await exchange(request("wait", "Expect: 100-continue\r\nConnection: close\r\n")),
    ).toMatch(/^HTTP\/1\.1 100 Continue\r\n\r\nHTTP\/1\.1 200 OK\r\n/);
    const { socket, received } = await open();
    socket.write(request("wait", "Expect: 100-continue\r\n") + request("next"));
    await expect.poll(() => readBodies(received())).toEqual(["wait", "next"]);
    const old = request("old").replace("HTTP/1.1", "HTTP/1.0");
    expect(readBodies(await exchange(old))).toEqual(["old"]);
  });

  const NO_HTTP: [string, string][] = [
    ["is no HTTP", "no http\r\n\r\n"],
    ["has a bad head", "GET / HTTP/1.1\r\nHost : a\r\n\r\n"],
    [
      "has a bad body",
      "POST /v1/hot HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\nxyz\r\n",
    ],
    [
      "has an unknown body",
      "POST /v1/hot HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: x\r\n\r\nxyz\r\n",
    ],
  ];
  it.each(
    NO_HTTP.flatMap(([name, behind]) =>
      [["at once"], ["slow"], ["slow", "at once", "slow"]].map(
        (asked) => [name, asked, behind] as const,
      ),
    ),
  )("is every good request's own when what comes behind %s (%j)", async (_, asked, behind) => {
    for (const isTogether of [true, false]) {
      bodies = [];
      const { socket, received } = await open();
      const closed = once(socket, "close");
      const requests = asked.map((body) => request(body)).join("");
      socket.write(requests + (isTogether ? behind : ""));
      if (!isTogether) {
        await delay(10);
        socket.write(behind);
      }
      await closed;
      expect(readBodies(received())).toEqual(asked);
      expect(bodies).toEqual(asked);
      const statuses = received()
        .match(/HTTP\/1\.1 \d+/g)
        ?.slice(asked.length);
      // Their turn comes last, if it comes.
      expect([[], ["HTTP/1.1 400"]]).toContainEqual(statuses);
    }
  });

  it("is the last one on its connection when bytes behind it are no HTTP, also when they go on as HTTP", async () => {
    bodies = [];
    const { socket, received } = await open();
    const closed = once(socket, "close");
    socket.write(`${request("slow")}no http\r\n\r\n`);
    await delay(10);
    socket.write(request("never"));
    await closed;
    expect([bodies, readBodies(received())]).toEqual([["slow"], ["slow"]]);
  });

  it("drops a connection whose client does not read, also when it goes on sending", async () => {
    const { socket } = await open();
    const cut = new Promise((resolve) => socket.once("close", resolve));
    socket.on("error", () => undefined);
    socket.pause();
    socket.write("GET /v1/large HTTP/1.1\r\nHost: a\r\n\r\n");
    await delay(50);
    const drip = setInterval(() => socket.write("no http\r\n\r\n"), 20);
    onTestFinished(() => clearInterval(drip));
    await cut;
  });

  it("of bytes that are no HTTP is a problem like any other", async () => {
    const answer = await exchange("no http\r\n\r\n");
    expect(answer).toMatch(
      /^HTTP\/1\.1 400 Bad Request\r\nContent-Type: application\/problem\+json\r\n/,
    );
    const nowhere = await exchange("GET / HTTP/1.1\r\n\r\n");
    expect(nowhere.match(/HTTP\/1\.1 \d+/g)).toEqual(["HTTP/1.1 400"]);
    expect(nowhere).toContain("MALFORMED_REQUEST");
    const large = await exchange(`GET / HTTP/1.1\r\nHost: a\r\nA: ${"a".repeat(20_000)}\r\n\r\n`);
    expect(large).toContain("HEADERS_TOO_LARGE");
  });

  it("harms no other client when its own has left", async () => {
    const { socket } = await open();
    socket.write(request("slow"));
    await delay(20);
    socket.resetAndDestroy();
    await delay(80);
    expect(await (await post("still there")).json()).toBe("still there");
  });
});
