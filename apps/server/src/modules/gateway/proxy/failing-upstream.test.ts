import {
  type EvilBehaviour,
  type EvilUpstream,
  startEvilUpstream,
} from "@turnpike/testkit/evil-upstream";
import { startFaultProxy } from "@turnpike/testkit/fault-proxy";
import { pollUntil } from "@turnpike/testkit/poll-until";
import { openRawConnection, sendRaw } from "@turnpike/testkit/raw-http";
import { startRecordingUpstream } from "@turnpike/testkit/recording-upstream";
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from "vitest";
import {
  type BareGateway,
  type BareGatewayOptions,
  startBareGateway,
} from "../testing/bare-gateway.fixture.ts";

const TIMEOUTS = { connectMs: 500, headersMs: 300, idleMs: 300 };
const H = "Host: api.example.com\r\n";

async function startGateway(options: BareGatewayOptions): Promise<BareGateway> {
  const gateway = await startBareGateway(options);
  onTestFinished(() => gateway.close());
  return gateway;
}

async function startUpstream(options?: Parameters<typeof startRecordingUpstream>[0]) {
  const upstream = await startRecordingUpstream(options);
  onTestFinished(() => upstream.close());
  return upstream;
}

const idle = (gateway: BareGateway, name = "main") =>
  pollUntil("no call is under way", () => gateway.proxy.activeCalls().get(name) === 0);

describe("an upstream that misbehaves", () => {
  let evil: EvilUpstream;
  let gateway: BareGateway;
  let impatient: BareGateway;
  beforeAll(async () => {
    evil = await startEvilUpstream();
    gateway = await startBareGateway({ upstreams: [{ name: "main", url: evil.url }] });
    impatient = await startBareGateway({
      upstreams: [{ name: "main", url: evil.url, timeouts: TIMEOUTS }],
    });
  });
  afterAll(async () => {
    await gateway.close();
    await impatient.close();
    await evil.close();
  });
  beforeEach(() => {
    gateway.outcomes.length = 0;
    impatient.outcomes.length = 0;
  });

  const get = (behaviour: EvilBehaviour, { port } = gateway) =>
    sendRaw({ port, bytes: `GET /${behaviour} HTTP/1.1\r\n${H}\r\n` });

  it.each<[EvilBehaviour, number, string]>([
    ["few-interim", 200, "ok"],
    ["unasked-continue", 200, "ok"],
    ["extra-response", 200, "ok"],
    ["body-too-long", 200, "ok"],
    ["slow-body", 200, "hello"],
    ["early-answer", 403, "no"],
    ["length-with-204", 204, ""],
  ])("passes on what is sound of it: %s", async (behaviour, status, body) => {
    const response = await get(behaviour);
    expect([response.status, response.body.toString()]).toEqual([status, body]);
    expect(gateway.outcomes).toEqual([expect.objectContaining({ kind: "status", status })]);
    expect((await get("answers")).body.toString()).toBe("ok");
  });

  it.each<[EvilBehaviour]>([
    ["unasked-upgrade"],
    ["splits-response"],
    ["two-lengths"],
    ["length-and-chunked"],
    ["huge-headers"],
    ["not-http"],
    ["resets-before-answer"],
    ["closes-before-answer"],
    ["resets-in-head"],
    ["interim-flood"],
  ])("answers 502 and bills nothing: %s", async (behaviour) => {
    const response = await get(behaviour);
    expect(response.status).toBe(502);
    expect(response.body.toString()).toContain("UPSTREAM_UNREACHABLE");
    expect(gateway.outcomes).toEqual([{ kind: "failed", code: "UPSTREAM_UNREACHABLE" }]);
    expect((await get("answers")).body.toString()).toBe("ok");
  });

  it.each<[EvilBehaviour]>([["never-answers"], ["slow-interim-flood"]])(
    "answers 504 in time and bills nothing: %s",
    async (behaviour) => {
      expect((await get(behaviour, impatient)).status).toBe(504);
      expect(impatient.outcomes).toEqual([{ kind: "failed", code: "UPSTREAM_TIMEOUT" }]);
    },
  );

  it.each<[EvilBehaviour]>([
    ["body-too-short"],
    ["chunks-cut-off"],
    ["resets-in-body"],
    ["stalls-in-body"],
  ])(
    "breaks the client's connection, so that half an answer never looks whole: %s",
    async (behaviour) => {
      const { port, outcomes } = behaviour === "stalls-in-body" ? impatient : gateway;
      const connection = await openRawConnection(port);
      connection.write(`GET /${behaviour} HTTP/1.1\r\n${H}\r\n`);
      const { bytes } = await connection.readToEnd();
      expect(bytes.toString()).not.toMatch(/\r\n0\r\n\r\n$/);
      expect(outcomes).toHaveLength(1);
    },
  );

  it("resets the connection of an HTTP/1.0 client, for which a close is a clean end", async () => {
    const connection = await openRawConnection(gateway.port);
    connection.write(`GET /chunks-cut-off HTTP/1.0\r\n${H}\r\n`);
    expect((await connection.readToEnd()).wasReset).toBe(true);
  });

  it("never gives one caller the answer to another", async () => {
    for (let round = 0; round < 20; round++) {
      const responses = await Promise.all([get("extra-response"), get("answers"), get("answers")]);
      for (const response of responses) {
        expect(response.body.toString()).toBe("ok");
        expect(response.headers.has("x-smuggled")).toBe(false);
      }
    }
  });

  it("keeps what is the gateway's to say", async () => {
    const { headers } = await get("speaks-for-gateway");
    expect([...headers.keys()].filter((name) => /turnpike|secret|proxy/.test(name))).toEqual([]);
    expect(headers.get("set-cookie")).toEqual(["a=1", "b=2"]);
    expect(gateway.outcomes).toEqual([expect.objectContaining({ status: 200, cost: "3" })]);
  });

  it("passes trailers to a client that asked for them, and no cookies in them", async () => {
    const asked = await sendRaw({
      port: gateway.port,
      bytes: `GET /trailers HTTP/1.1\r\n${H}TE: trailers\r\nConnection: TE\r\n\r\n`,
    });
    expect([...asked.trailers]).toEqual([["x-checksum", ["abc"]]]);
    expect([...(await get("trailers")).trailers]).toEqual([]);
  });

  it("stops an endless answer when the client leaves", async () => {
    const connection = await openRawConnection(gateway.port);
    connection.write(`GET /never-ends HTTP/1.1\r\n${H}\r\n`);
    await connection.readUntil("200 OK");
    connection.destroy();
    await idle(gateway);
    expect(gateway.outcomes).toHaveLength(1);
  });
});

describe("an upstream that is away", () => {
  it("answers 502 and bills nothing", async () => {
    const away = await startRecordingUpstream();
    await away.close();
    const gateway = await startGateway({ upstreams: [{ name: "main", url: away.url }] });
    for (let i = 0; i < 8; i++) {
      const { status } = await sendRaw({ port: gateway.port, bytes: `GET / HTTP/1.1\r\n${H}\r\n` });
      expect(status).toBe(502);
    }
    expect(gateway.outcomes).toEqual(
      Array.from({ length: 8 }, () => ({ kind: "failed", code: "UPSTREAM_UNREACHABLE" })),
    );
  });

  it("comes back by itself once the upstream does", async () => {
    const upstream = await startUpstream();
    const faults = await startFaultProxy(upstream.port, { resetAfterBytes: 1 });
    onTestFinished(() => faults.close());
    const gateway = await startGateway({ upstreams: [{ name: "main", url: faults.url }] });
    const get = () => sendRaw({ port: gateway.port, bytes: `GET / HTTP/1.1\r\n${H}\r\n` });
    expect((await get()).status).toBe(502);
    faults.faults = {};
    expect((await get()).status).toBe(200);
  });

  it("gives up on a network that swallows packets", async () => {
    const upstream = await startUpstream();
    const faults = await startFaultProxy(upstream.port, { halfOpen: true });
    onTestFinished(() => faults.close());
    const gateway = await startGateway({
      upstreams: [{ name: "main", url: faults.url, timeouts: TIMEOUTS }],
    });
    expect(
      (await sendRaw({ port: gateway.port, bytes: `GET / HTTP/1.1\r\n${H}\r\n` })).status,
    ).toBe(504);
    expect(gateway.outcomes).toEqual([{ kind: "failed", code: "UPSTREAM_TIMEOUT" }]);
  });

  it("reads requests and answers that arrive byte by byte", async () => {
    const upstream = await startUpstream();
    const faults = await startFaultProxy(upstream.port, { splitBytes: 1 });
    onTestFinished(() => faults.close());
    const gateway = await startGateway({ upstreams: [{ name: "main", url: faults.url }] });
    const response = await sendRaw({
      port: gateway.port,
      bytes: `POST /x HTTP/1.1\r\n${H}Content-Length: 5\r\n\r\nhello`,
    });
    expect(response.body.toString()).toBe("ok");
    expect(upstream.requests[0]?.body.toString()).toBe("hello");
  });
});

describe("a connection the upstream closes while idle", () => {
  it("costs a safe call nothing: it is sent again, once", async () => {
    let connections = 0;
    const upstream = await startUpstream({
      onRequest: (req) => {
        // The first connection dies at its second request, as if it had been timed out just then.
        const served = (Reflect.get(req.socket, "served") ?? 0) + 1;
        Reflect.set(req.socket, "served", served);
        if (connections === 1 && served === 2) {
          req.socket.destroy();
          return true;
        }
        return false;
      },
    });
    upstream.server.on("connection", () => {
      connections += 1;
    });
    const gateway = await startGateway({ upstreams: [{ name: "main", url: upstream.url }] });
    const send = (method: string) =>
      sendRaw({ port: gateway.port, method, bytes: `${method} / HTTP/1.1\r\n${H}\r\n` });
    expect((await send("GET")).status).toBe(200);
    expect((await send("GET")).status).toBe(200);
    expect(gateway.outcomes.map((outcome) => outcome.kind)).toEqual(["status", "status"]);
    connections = 1;
    expect((await send("POST")).status).toBe(502);
  });
});
