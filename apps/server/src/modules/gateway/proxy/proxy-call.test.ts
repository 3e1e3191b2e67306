import { once } from "node:events";
import { type AddressInfo, createServer, type Socket } from "node:net";
import { startFaultProxy } from "@turnpike/testkit/fault-proxy";
import { pollUntil } from "@turnpike/testkit/poll-until";
import { openRawConnection, sendRaw } from "@turnpike/testkit/raw-http";
import { startRecordingUpstream } from "@turnpike/testkit/recording-upstream";
import { describe, expect, it, onTestFinished } from "vitest";
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

describe("limits", () => {
  it("refuses a body that announces too much before the upstream sees anything", async () => {
    const upstream = await startUpstream();
    const gateway = await startGateway({
      upstreams: [{ name: "main", url: upstream.url, maxRequestBytes: 10 }],
    });
    const response = await sendRaw({
      port: gateway.port,
      bytes: `POST / HTTP/1.1\r\n${H}Content-Length: 11\r\n\r\nhello worl`,
    });
    expect(response.status).toBe(413);
    expect(upstream.requests).toEqual([]);
    expect(gateway.outcomes).toEqual([{ kind: "failed", code: "PAYLOAD_TOO_LARGE" }]);
  });

  it("refuses a body that turns out too large, and the upstream gets no whole request", async () => {
    const upstream = await startUpstream();
    const gateway = await startGateway({
      upstreams: [{ name: "main", url: upstream.url, maxRequestBytes: 10 }],
    });
    const connection = await openRawConnection(gateway.port);
    connection.write(
      `POST / HTTP/1.1\r\n${H}Transfer-Encoding: chunked\r\n\r\nb\r\nhello world\r\n`,
    );
    expect((await connection.readResponse()).status).toBe(413);
    connection.destroy();
    await idle(gateway);
    expect(upstream.requests).toEqual([]);
    expect(gateway.outcomes).toEqual([{ kind: "failed", code: "PAYLOAD_TOO_LARGE" }]);
  });

  it("answers 503 with Retry-After when all places are taken, and serves again when one is free", async () => {
    const upstream = await startUpstream({
      onRequest: (req, res) => {
        if (req.url === "/hold") {
          holders.push(() => res.end("held"));
          return true;
        }
        return false;
      },
    });
    const holders: (() => void)[] = [];
    const gateway = await startGateway({
      upstreams: [{ name: "main", url: upstream.url, maxConcurrent: 2 }],
    });
    const hold = () => sendRaw({ port: gateway.port, bytes: `GET /hold HTTP/1.1\r\n${H}\r\n` });
    const held = [hold(), hold()];
    await pollUntil("both are under way", () => holders.length === 2);
    const refused = await sendRaw({ port: gateway.port, bytes: `GET / HTTP/1.1\r\n${H}\r\n` });
    expect([refused.status, refused.headers.get("retry-after")]).toEqual([503, ["1"]]);
    expect(gateway.outcomes).toEqual([{ kind: "failed", code: "OVERLOADED" }]);
    for (const release of holders) {
      release();
    }
    expect((await Promise.all(held)).map(({ status }) => status)).toEqual([200, 200]);
    expect(
      (await sendRaw({ port: gateway.port, bytes: `GET / HTTP/1.1\r\n${H}\r\n` })).status,
    ).toBe(200);
  });

  it.each(["", "x"])("ends an upload that comes too slowly with 408 (after %j)", async (begun) => {
    const upstream = await startUpstream();
    const gateway = await startGateway({
      upstreams: [{ name: "main", url: upstream.url }],
      limits: { clientIdleMs: 100, minUploadBytesPerSecond: 1000 },
    });
    const connection = await openRawConnection(gateway.port);
    connection.write(`POST / HTTP/1.1\r\n${H}Content-Length: 500\r\n\r\n${begun}`);
    expect((await connection.readResponse()).status).toBe(408);
    expect(gateway.outcomes).toEqual([{ kind: "failed", code: "REQUEST_TIMEOUT" }]);
    await idle(gateway);
    expect(upstream.requests).toEqual([]);
    connection.destroy();
  });

  it("does not blame the client when it is the upstream that takes nothing", async () => {
    const upstream = await startUpstream({ onRequest: (req) => req.pause() !== undefined });
    const gateway = await startGateway({
      upstreams: [
        { name: "main", url: upstream.url, timeouts: TIMEOUTS, maxRequestBytes: 100_000_000 },
      ],
      limits: { clientIdleMs: 100, minUploadBytesPerSecond: 1000 },
    });
    const connection = await openRawConnection(gateway.port);
    const head = `POST / HTTP/1.1\r\n${H}Content-Length: 50000000\r\n\r\n`;
    // In one write, so that nothing but the upstream makes the gateway wait.
    connection.write(Buffer.concat([Buffer.from(head), Buffer.alloc(50_000_000)]));
    expect((await connection.readResponse()).status).toBe(504);
    connection.destroy();
  });

  it("drops a client that does not read its answer", async () => {
    const upstream = await startUpstream({
      onRequest: (_req, res) => {
        res.end(Buffer.alloc(50_000_000));
        return true;
      },
    });
    const gateway = await startGateway({
      upstreams: [{ name: "main", url: upstream.url }],
      limits: { clientIdleMs: 100 },
    });
    const connection = await openRawConnection(gateway.port);
    connection.socket.pause();
    connection.write(`GET / HTTP/1.1\r\n${H}\r\n`);
    await pollUntil("the call is over", () => gateway.traffic.length === 1);
    expect(gateway.traffic[0]?.responseBytes).toBeLessThan(50_000_000);
    connection.destroy();
  });
});

describe("Expect: 100-continue", () => {
  const EXPECTING = `POST / HTTP/1.1\r\n${H}Expect: 100-continue\r\nContent-Length: 5\r\n\r\n`;

  it("asks for the body once the upstream is ready for it, and keeps the connection", async () => {
    const upstream = await startUpstream();
    const gateway = await startGateway({ upstreams: [{ name: "main", url: upstream.url }] });
    const connection = await openRawConnection(gateway.port);
    for (let round = 0; round < 2; round++) {
      connection.write(EXPECTING);
      expect(await connection.readUntil("\r\n\r\n")).toBe("HTTP/1.1 100 Continue\r\n\r\n");
      connection.write("hello");
      expect((await connection.readResponse()).status).toBe(200);
    }
    expect(upstream.requests.map(({ body }) => body.toString())).toEqual(["hello", "hello"]);
    connection.destroy();
  });

  it("is passed over in HTTP/1.0, which knows no interim answer", async () => {
    const upstream = await startUpstream();
    const gateway = await startGateway({ upstreams: [{ name: "main", url: upstream.url }] });
    const connection = await openRawConnection(gateway.port);
    connection.write(`${EXPECTING.replace("HTTP/1.1", "HTTP/1.0")}hello`);
    const { bytes } = await connection.readToEnd();
    expect(bytes.toString()).toMatch(/^HTTP\/1\.1 200 OK\r\n/);
    expect(bytes.toString()).toMatch(/\r\n\r\nok$/);
  });

  it("refuses without asking for the body, and closes", async () => {
    const gateway = await startGateway({
      upstreams: [{ name: "main", url: "http://127.0.0.1:9", maxRequestBytes: 1 }],
    });
    const connection = await openRawConnection(gateway.port);
    connection.write(EXPECTING);
    const answer = await connection.readResponse();
    expect([answer.status, answer.headers.get("connection")]).toEqual([413, ["close"]]);
    connection.destroy();
  });
});

describe("a client that leaves", () => {
  it("before the status line: the call goes on until it, and its outcome is known", async () => {
    let answer: (() => void) | undefined;
    const upstream = await startUpstream({
      onRequest: (_req, res) => {
        answer = () => res.end("late");
        return true;
      },
    });
    const gateway = await startGateway({ upstreams: [{ name: "main", url: upstream.url }] });
    const connection = await openRawConnection(gateway.port);
    connection.write(`GET / HTTP/1.1\r\n${H}\r\n`);
    await pollUntil("the upstream has the call", () => answer !== undefined);
    connection.destroy();
    await pollUntil("the gateway saw the client leave", async () => {
      const open = await new Promise<number>((resolve) =>
        gateway.server.getConnections((_e, n) => resolve(n)),
      );
      return open === 0;
    });
    expect(gateway.outcomes).toEqual([]);
    answer?.();
    await pollUntil("the outcome", () => gateway.outcomes.length === 1);
    expect(gateway.outcomes[0]).toMatchObject({ kind: "status", status: 200 });
    await idle(gateway);
  });

  it("before the status line of an upstream that never answers: bounded, nothing billed", async () => {
    const upstream = await startUpstream({ onRequest: () => true });
    const gateway = await startGateway({
      upstreams: [{ name: "main", url: upstream.url, timeouts: TIMEOUTS }],
    });
    const connection = await openRawConnection(gateway.port);
    connection.write(`GET / HTTP/1.1\r\n${H}\r\n`);
    await pollUntil("the call is under way", () => gateway.proxy.activeCalls().get("main") === 1);
    connection.destroy();
    await idle(gateway);
    expect(gateway.outcomes).toEqual([{ kind: "failed", code: "UPSTREAM_TIMEOUT" }]);
  });

  it("while the call is decided on: the upstream does not hear of it", async () => {
    const upstream = await startUpstream();
    let decided: (() => void) | undefined;
    const gateway = await startGateway({
      upstreams: [{ name: "main", url: upstream.url }],
      decide: () =>
        new Promise((resolve) => {
          decided = resolve;
        }),
    });
    const connection = await openRawConnection(gateway.port);
    connection.write(`POST / HTTP/1.1\r\n${H}Content-Length: 10\r\n\r\nhello`);
    await pollUntil("the call is being decided on", () => decided !== undefined);
    connection.destroy();
    await pollUntil("the gateway saw the client leave", async () => {
      const open = await new Promise<number>((resolve) =>
        gateway.server.getConnections((_error, count) => resolve(count)),
      );
      return open === 0;
    });
    decided?.();
    await pollUntil("the call is over", () => gateway.traffic.length === 1);
    expect(gateway.outcomes).toEqual([{ kind: "failed", code: "CLIENT_ABORTED" }]);
    expect(upstream.requests).toEqual([]);
  });

  it("behind its whole body, before the upstream took it: the call ends as soon as it is seen", async () => {
    const connecting: Socket[] = [];
    // It never shakes hands, so that the connection to it is not open while the client leaves.
    const server = createServer((socket) => connecting.push(socket.on("error", () => undefined)));
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    onTestFinished(() => void server.close());
    const { port } = server.address() as AddressInfo;
    const gateway = await startGateway({
      upstreams: [{ name: "main", url: `https://127.0.0.1:${port}` }],
    });
    const connection = await openRawConnection(gateway.port);
    connection.write(`POST / HTTP/1.1\r\n${H}Content-Length: 5\r\n\r\nhello`);
    await pollUntil("the gateway is connecting", () => connecting.length === 1);
    connection.destroy();
    await pollUntil("the gateway saw the client leave", async () => {
      const open = await new Promise<number>((resolve) =>
        gateway.server.getConnections((_error, count) => resolve(count)),
      );
      return open === 0;
    });
    connecting[0]?.destroy();
    await pollUntil("the call is over", () => gateway.traffic.length === 1);
    expect(gateway.outcomes).toEqual([{ kind: "failed", code: "CLIENT_ABORTED" }]);
  });

  it("in the middle of its body: the upstream gets no whole request", async () => {
    const upstream = await startUpstream();
    const gateway = await startGateway({ upstreams: [{ name: "main", url: upstream.url }] });
    const connection = await openRawConnection(gateway.port);
    connection.write(`POST / HTTP/1.1\r\n${H}Content-Length: 10\r\n\r\nhello`);
    await pollUntil("the call is under way", () => gateway.proxy.activeCalls().get("main") === 1);
    connection.destroy();
    await pollUntil("the call is over", () => gateway.traffic.length === 1);
    expect(gateway.outcomes).toEqual([{ kind: "failed", code: "CLIENT_ABORTED" }]);
    expect(upstream.requests).toEqual([]);
  });
});

describe("the moment of the outcome", () => {
  it("is before the client has a byte, for as long as the recorder takes", async () => {
    let release: (() => void) | undefined;
    const upstream = await startUpstream({ answer: "x".repeat(200_000) });
    const gateway = await startGateway({
      upstreams: [{ name: "main", url: upstream.url }],
      onOutcome: () =>
        new Promise((resolve) => {
          release = () => resolve({ headers: [["X-Turnpike-Remaining", "7"]] });
        }),
    });
    for (const method of ["GET", "HEAD"]) {
      const connection = await openRawConnection(gateway.port);
      connection.write(`${method} / HTTP/1.1\r\n${H}\r\n`);
      await pollUntil("the outcome is being recorded", () => release !== undefined);
      expect(connection.socket.bytesRead).toBe(0);
      release?.();
      release = undefined;
      const response = await connection.readResponse({ method });
      expect(response.headers.get("x-turnpike-remaining")).toEqual(["7"]);
      expect(response.body.length).toBe(method === "GET" ? 200_000 : 0);
      connection.destroy();
    }
  });

  it("waits for a slow recorder longer than for anything of the upstream", async () => {
    const released = Promise.withResolvers<void>();
    const upstream = await startUpstream({ onRequest: (req) => req.url === "/never" });
    const gateway = await startGateway({
      upstreams: [{ name: "main", url: upstream.url, timeouts: TIMEOUTS }],
      onOutcome: ({ kind }) =>
        kind === "status" ? released.promise.then(() => undefined) : undefined,
    });
    const get = (path: string) =>
      sendRaw({ port: gateway.port, bytes: `GET ${path} HTTP/1.1\r\n${H}\r\n` });
    const answer = get("/");
    await pollUntil("its outcome is being recorded", () => gateway.outcomes.length === 1);
    // Each lasts as long as the upstream is waited for.
    for (let round = 0; round < 3; round++) {
      expect((await get("/never")).status).toBe(504);
    }
    released.resolve();
    expect((await answer).status).toBe(200);
    await idle(gateway);
  });

  it("decides the answer: what cannot be recorded is not served", async () => {
    const upstream = await startUpstream();
    const gateway = await startGateway({
      upstreams: [{ name: "main", url: upstream.url }],
      onOutcome: () => Promise.reject(new Error("the journal is full")),
    });
    const response = await sendRaw({ port: gateway.port, bytes: `GET / HTTP/1.1\r\n${H}\r\n` });
    expect([response.status, response.body.includes("ok")]).toEqual([500, false]);
    await idle(gateway);
  });
});

describe("what the upstream sees", () => {
  it("is never what a client says about itself in the gateway's name", async () => {
    const upstream = await startUpstream();
    const gateway = await startGateway({
      upstreams: [{ name: "main", url: upstream.url }],
      identityHeaders: [["X-Turnpike-Tenant", "ten_1"]],
      signingSecret: "s",
    });
    await sendRaw({
      port: gateway.port,
      bytes: `GET / HTTP/1.1\r\n${H}x-turnpike-tenant: ten_forged\r\nX-Turnpike-Signature: t=1,v1=00\r\nX-Api-Key: tp_live_x\r\nX-Forwarded-For: 1.2.3.4\r\n\r\n`,
    });
    const [request] = upstream.requests;
    const ours = request?.rawHeaders.filter((_, i, all) =>
      /^x-turnpike-tenant$/i.test(all[i - 1] ?? ""),
    );
    expect(ours).toEqual(["ten_1"]);
    expect(request?.header("x-turnpike-signature")).toMatch(/^t=\d{10},v1=[0-9a-f]{64}$/);
    expect(request?.header("x-api-key")).toBeUndefined();
    expect(request?.header("x-forwarded-for")).toBe("127.0.0.1");
    expect(request?.header("host")).toBe(`127.0.0.1:${upstream.port}`);
    expect(request?.header("via")).toBe("1.1 turnpike-bare");
  });

  it.each(["[abc", "[::1]:80", "a:b:c", ":80"])(
    "is the client's Host where it is preserved: %s",
    async (host) => {
      const upstream = await startUpstream();
      const gateway = await startGateway({
        upstreams: [{ name: "main", url: upstream.url, preserveHost: true }],
      });
      const bytes = `GET / HTTP/1.1\r\nHost: ${host}\r\n\r\n`;
      expect((await sendRaw({ port: gateway.port, bytes })).status).toBe(200);
      expect(upstream.requests[0]?.header("host")).toBe(host);
    },
  );

  it("is refused when the gateway is its own upstream", async () => {
    const mirror = await startFaultProxy(1);
    onTestFinished(() => mirror.close());
    const gateway = await startGateway({ upstreams: [{ name: "main", url: mirror.url }] });
    mirror.targetPort = gateway.port;
    const response = await sendRaw({ port: gateway.port, bytes: `GET / HTTP/1.1\r\n${H}\r\n` });
    expect(response.status).toBe(508);
    // The one call is the one that went out; it was refused where it came back in.
    expect(gateway.outcomes).toEqual([expect.objectContaining({ kind: "status", status: 508 })]);
  });
});
