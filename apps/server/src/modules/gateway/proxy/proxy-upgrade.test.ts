import { createHash } from "node:crypto";
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { pollUntil } from "@turnpike/testkit/poll-until";
import { openRawConnection } from "@turnpike/testkit/raw-http";
import { beforeEach, describe, expect, it, onTestFinished } from "vitest";
import {
  type BareGateway,
  type BareGatewayOptions,
  startBareGateway,
} from "../testing/bare-gateway.fixture.ts";

const HANDSHAKE =
  "GET /socket HTTP/1.1\r\nHost: api.example.com\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n";

type Upstream = {
  requests: IncomingMessage[];
  sockets: Socket[];
  url: string;
};

/** A server that accepts WebSockets and hands their bytes to `serve`; it refuses `/refused` with 401. */
async function startWebSocketUpstream(serve: (socket: Socket) => void): Promise<Upstream> {
  const server = createServer((_req, res) => res.end("plain"));
  const upstream: Upstream = { requests: [], sockets: [], url: "" };
  server.on("upgrade", (req, socket: Socket, head) => {
    socket.on("error", () => undefined);
    upstream.requests.push(req);
    upstream.sockets.push(socket);
    if (req.url === "/refused") {
      socket.end("HTTP/1.1 401 Unauthorized\r\nContent-Length: 2\r\nConnection: close\r\n\r\nno");
      return;
    }
    const accept = createHash("sha1")
      .update(`${req.headers["sec-websocket-key"]}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`)
      .digest("base64");
    socket.write(
      `HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: ${accept}\r\nX-Turnpike-Cost: 4\r\n\r\n`,
    );
    if (head.length > 0) {
      socket.unshift(head);
    }
    serve(socket);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  upstream.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  onTestFinished(async () => {
    for (const socket of upstream.sockets) {
      socket.destroy();
    }
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  return upstream;
}

/** Answers each small masked text frame with the same text, unmasked. */
function echoFrames(socket: Socket): void {
  socket.on("data", (bytes: Buffer) => {
    if ((bytes[0] ?? 0) === 0x88) {
      socket.end(Buffer.from([0x88, 0]));
      return;
    }
    const length = (bytes[1] ?? 0) & 0x7f;
    const mask = bytes.subarray(2, 6);
    const text = Buffer.from(
      bytes.subarray(6, 6 + length).map((byte, i) => byte ^ (mask[i % 4] ?? 0)),
    );
    socket.write(Buffer.concat([Buffer.from([0x81, length]), text]));
  });
}

const echoBytes = (socket: Socket): void => void socket.pipe(socket);

const PATIENT = { connectMs: 120_000, headersMs: 120_000, idleMs: 120_000 };

async function startGateway(
  upstream: { url: string },
  { idleMs = PATIENT.idleMs, ...options }: Partial<BareGatewayOptions> & { idleMs?: number } = {},
): Promise<BareGateway> {
  const gateway = await startBareGateway({
    upstreams: [
      {
        name: "main",
        url: upstream.url,
        timeouts: { ...PATIENT, idleMs },
      },
    ],
    ...options,
  });
  onTestFinished(() => gateway.close());
  return gateway;
}

describe("a WebSocket through the gateway", () => {
  let upstream: Upstream;
  beforeEach(async () => {
    upstream = await startWebSocketUpstream(echoFrames);
  });

  it("carries messages of a real client both ways, and counts once, when it is accepted", async () => {
    const gateway = await startGateway(upstream);
    const socket = new WebSocket(`ws://127.0.0.1:${gateway.port}/socket?a=1`);
    const messages: string[] = [];
    socket.addEventListener("open", () => socket.send("hello"));
    await new Promise<void>((resolve, reject) => {
      socket.addEventListener("message", ({ data }) => {
        messages.push(String(data));
        if (messages.length === 1) {
          socket.send("again");
        } else {
          socket.close();
        }
      });
      socket.addEventListener("close", () => resolve());
      socket.addEventListener("error", reject);
    });
    expect(messages).toEqual(["hello", "again"]);
    expect(gateway.outcomes).toEqual([
      expect.objectContaining({ kind: "status", status: 101, cost: "4" }),
    ]);
    expect(upstream.requests[0]?.url).toBe("/socket?a=1");
    expect(upstream.requests[0]?.headers["x-forwarded-for"]).toBe("127.0.0.1");
    await pollUntil("the place is free again", () => gateway.proxy.activeCalls().get("main") === 0);
    expect(gateway.traffic).toHaveLength(1);
  });

  it("gets the upstream's refusal as it is", async () => {
    const gateway = await startGateway(upstream);
    const connection = await openRawConnection(gateway.port);
    connection.write(HANDSHAKE.replace("/socket", "/refused"));
    const response = await connection.readResponse();
    expect([response.status, response.body.toString()]).toEqual([401, "no"]);
    expect(gateway.outcomes).toEqual([expect.objectContaining({ kind: "status", status: 401 })]);
    await connection.readToEnd();
  });

  it("is refused by the gate like any call", async () => {
    const gateway = await startGateway(upstream);
    const connection = await openRawConnection(gateway.port);
    connection.write(HANDSHAKE.replace("\r\n\r\n", "\r\nX_Turnpike_Tenant: ten_1\r\n\r\n"));
    expect((await connection.readResponse()).status).toBe(400);
    await connection.readToEnd();
    expect(upstream.requests).toEqual([]);
  });

  it("gets 502 when the upstream is away", async () => {
    const gateway = await startGateway({ url: "http://127.0.0.1:9" });
    const connection = await openRawConnection(gateway.port);
    connection.write(HANDSHAKE);
    expect((await connection.readResponse()).status).toBe(502);
    expect(gateway.outcomes).toEqual([{ kind: "failed", code: "UPSTREAM_UNREACHABLE" }]);
    await connection.readToEnd();
  });

  it("waits for the outcome to be recorded before it is open", async () => {
    const gateway = await startGateway(upstream, {
      onOutcome: () => Promise.reject(new Error("the journal is full")),
    });
    const connection = await openRawConnection(gateway.port);
    connection.write(HANDSHAKE);
    expect((await connection.readResponse()).status).toBe(500);
    await pollUntil("the upstream is let go", () => upstream.sockets[0]?.readableEnded);
  });
});

describe("the bytes behind the handshake", () => {
  it("reach the upstream even when they came together with it", async () => {
    const gateway = await startGateway(await startWebSocketUpstream(echoBytes));
    const connection = await openRawConnection(gateway.port);
    connection.write(`${HANDSHAKE}early bytes`);
    const answer = await connection.readUntil("early bytes");
    expect(answer).toMatch(/^HTTP\/1\.1 101 Switching Protocols\r\n/);
    expect(answer).not.toMatch(/x-turnpike-cost/i);
    connection.destroy();
  });

  it("still come from the upstream after the client has ended its side", async () => {
    const upstream = await startWebSocketUpstream((socket) => {
      socket.resume();
      socket.on("end", () => socket.end("the rest"));
    });
    const gateway = await startGateway(upstream);
    const connection = await openRawConnection(gateway.port);
    connection.write(HANDSHAKE);
    await connection.readUntil("\r\n\r\n");
    connection.socket.end();
    expect((await connection.readToEnd()).bytes.toString()).toBe("the rest");
  });

  it("are carried under backpressure, whole", async () => {
    const gateway = await startGateway(await startWebSocketUpstream(echoBytes));
    const connection = await openRawConnection(gateway.port);
    connection.write(HANDSHAKE);
    await connection.readUntil("\r\n\r\n");
    const total = 20_000_000;
    const before = connection.socket.bytesRead;
    connection.write(Buffer.alloc(total, 1));
    await pollUntil("all is back", () => connection.socket.bytesRead - before === total, 120_000);
    connection.destroy();
    await pollUntil("the traffic is known", () => gateway.traffic.length === 1);
    expect(gateway.traffic[0]?.requestBytes).toBe(total);
  });

  it.each(["client", "upstream"])("end on both sides when the %s breaks off", async (side) => {
    const upstream = await startWebSocketUpstream(() => undefined);
    const gateway = await startGateway(upstream);
    const connection = await openRawConnection(gateway.port);
    connection.write(HANDSHAKE);
    await connection.readUntil("\r\n\r\n");
    if (side === "client") {
      // A plain end would only be its half of the connection.
      connection.socket.resetAndDestroy();
    } else {
      upstream.sockets[0]?.resetAndDestroy();
      await connection.readToEnd();
    }
    await pollUntil("both are closed", () => gateway.traffic.length === 1);
    await pollUntil("the place is free", () => gateway.proxy.activeCalls().get("main") === 0);
  });

  it("are dropped when the client's side is closed and the upstream does not read them", async () => {
    const upstream = await startWebSocketUpstream((socket) => socket.pause());
    const gateway = await startGateway(upstream, { idleMs: 300 });
    const connection = await openRawConnection(gateway.port);
    connection.write(HANDSHAKE);
    await connection.readUntil("\r\n\r\n");
    connection.write(Buffer.alloc(50_000_000));
    await pollUntil("the client's side is closed", () => gateway.traffic.length === 1);
    connection.destroy();
    await pollUntil("the upstream's side is closed", () => {
      // One that does not read learns of the end only by writing.
      upstream.sockets[0]?.write("x");
      return upstream.sockets[0]?.destroyed;
    });
  });

  it("end when nothing moves for too long", async () => {
    const upstream = await startWebSocketUpstream(() => undefined);
    const gateway = await startGateway(upstream, { idleMs: 300 });
    const connection = await openRawConnection(gateway.port);
    connection.write(HANDSHAKE);
    await connection.readUntil("\r\n\r\n");
    await connection.readToEnd();
    expect(gateway.outcomes).toHaveLength(1);
  });
});
