import { once } from "node:events";
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { openRawConnection } from "@turnpike/testkit/raw-http";
import {
  type RecordingUpstream,
  startRecordingUpstream,
} from "@turnpike/testkit/recording-upstream";
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { type BareGateway, startBareGateway } from "../testing/bare-gateway.fixture.ts";

const H = "Host: api.example.com\r\n";
const SETTINGS = "HTTP2-Settings: AAEAAEAAAAIAAAABAAMAAABkAAQBAAAAAAUAAEAA\r\n";

let upstream: RecordingUpstream;
let gateway: BareGateway;
beforeAll(async () => {
  upstream = await startRecordingUpstream();
  gateway = await startBareGateway({ upstreams: [{ name: "main", url: upstream.url }] });
});
afterAll(async () => {
  await gateway.close();
  await upstream.close();
});
beforeEach(() => {
  upstream.requests.length = 0;
});

/** Offers that no gateway has to take up, as clients send them. */
const OFFERS: readonly [who: string, headers: string][] = [
  ["Java's HttpClient", `Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\n${SETTINGS}`],
  [
    "curl --http2",
    `User-Agent: curl/8.5.0\r\nAccept: */*\r\nConnection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\n${SETTINGS}`,
  ],
  ["a printer's IPP client", "Connection: Upgrade\r\nUpgrade: TLS/1.0\r\n"],
  ["a list without WebSocket", "Connection: upgrade\r\nUpgrade: h2c, TLS/1.2, irc/6.9\r\n"],
  ["several headers", "Connection: upgrade\r\nUpgrade: h2c\r\nUpgrade: TLS/1.2\r\n"],
  ["a protocol that only looks like WebSocket", "Connection: Upgrade\r\nUpgrade: websocket/2\r\n"],
  ["an empty offer", "Connection: Upgrade\r\nUpgrade:\r\n"],
  ["one that Connection does not name", "Upgrade: websocket\r\n"],
];
const BODIES: readonly [how: string, method: string, framing: string, body: string][] = [
  ["no body", "GET", "", ""],
  ["a length", "POST", "Content-Length: 5\r\n", "hello"],
  ["chunks", "POST", "Transfer-Encoding: chunked\r\n", "5\r\nhello\r\n0\r\n\r\n"],
];

describe("an offer of another protocol", () => {
  it.each(OFFERS)(
    "is ignored and not passed on, and the call is served: %s",
    async (_who, headers) => {
      for (const [, method, framing, body] of BODIES) {
        const connection = await openRawConnection(gateway.port);
        // A second request on the connection shows that the first one was read to its end, and no further.
        connection.write(`${method} /a HTTP/1.1\r\n${H}${headers}${framing}\r\n${body}`);
        expect((await connection.readResponse()).status).toBe(200);
        connection.write(`GET /b HTTP/1.1\r\n${H}\r\n`);
        expect((await connection.readResponse()).status).toBe(200);
        connection.destroy();
        const [first, second] = upstream.requests.splice(0);
        expect([first?.target, first?.body.toString(), second?.target]).toEqual([
          "/a",
          body === "" ? "" : "hello",
          "/b",
        ]);
        for (const name of ["upgrade", "http2-settings"]) {
          expect(first?.header(name)).toBeUndefined();
        }
        expect(first?.header("connection")).toBe("keep-alive");
      }
    },
  );

  it("costs no request that is pipelined behind it, and no listener", async () => {
    const warnings: Error[] = [];
    const onWarning = (warning: Error): void => void warnings.push(warning);
    process.on("warning", onWarning);
    onTestFinished(() => void process.off("warning", onWarning));
    const connection = await openRawConnection(gateway.port);
    const [, offer] = OFFERS[0] ?? ["", ""];
    for (let round = 0; round < 20; round++) {
      connection.write(
        `POST /a HTTP/1.1\r\n${H}${offer}Content-Length: 5\r\n\r\nhelloGET /b HTTP/1.1\r\n${H}\r\n`,
      );
      expect((await connection.readResponse()).status).toBe(200);
      expect((await connection.readResponse()).status).toBe(200);
    }
    connection.destroy();
    const seen = upstream.requests.map(({ target, body }) => `${target} ${body.toString()}`);
    expect(seen.sort()).toEqual([...Array(20).fill("/a hello"), ...Array(20).fill("/b ")]);
    expect(warnings).toEqual([]);
  });

  it("ends the connection behind another call, and nothing after it is served", async () => {
    const connection = await openRawConnection(gateway.port);
    const [, offer] = OFFERS[0] ?? ["", ""];
    connection.write(`GET /a HTTP/1.1\r\n${H}\r\nGET /b HTTP/1.1\r\n${H}${offer}\r\n`);
    for (let n = 0; n < 2; n++) {
      connection.write(`GET /c HTTP/1.1\r\n${H}\r\n`);
    }
    const answers = [await connection.readResponse(), await connection.readResponse()];
    expect(answers.map(({ status }) => status)).toEqual([200, 200]);
    expect(answers[1]?.headers.get("connection")).toEqual(["close"]);
    expect((await connection.readToEnd()).bytes.toString()).toBe("");
    expect(upstream.requests.map(({ target }) => target).sort()).toEqual(["/a", "/b"]);
  });

  it.each([
    ["by POST", "POST /a HTTP/1.1", ""],
    ["with a body", "GET /a HTTP/1.1", "Content-Length: 5\r\n"],
    ["in HTTP/1.0", "GET /a HTTP/1.0", ""],
  ])("is ignored when it is of WebSocket, but no handshake: %s", async (_why, line, framing) => {
    const connection = await openRawConnection(gateway.port);
    const body = framing === "" ? "" : "hello";
    connection.write(
      `${line}\r\n${H}Connection: Upgrade\r\nUpgrade: websocket\r\n${framing}\r\n${body}`,
    );
    expect((await connection.readResponse()).status).toBe(200);
    connection.destroy();
    expect(upstream.requests.map(({ header }) => header("upgrade"))).toEqual([undefined]);
  });
});

describe("WebSocket", () => {
  it.each([
    "websocket",
    "WebSocket",
    "h2c, websocket",
    "websocket, h2c",
    "h2c,websocket\r\nUpgrade: TLS/1.2",
  ])("is taken up beside other offers, and alone passed on: %s", async (offer) => {
    const asked: IncomingMessage[] = [];
    const server = createServer();
    server.on("upgrade", (req, socket) => {
      asked.push(req);
      socket.end(
        "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\nhi",
      );
    });
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    onTestFinished(() => void server.close());
    const { port } = server.address() as AddressInfo;
    const behind = await startBareGateway({
      upstreams: [{ name: "main", url: `http://127.0.0.1:${String(port)}` }],
    });
    onTestFinished(() => behind.close());
    const connection = await openRawConnection(behind.port);
    connection.write(
      `GET /s HTTP/1.1\r\n${H}Connection: Upgrade, HTTP2-Settings\r\nUpgrade: ${offer}\r\n${SETTINGS}Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n`,
    );
    const { bytes } = await connection.readToEnd();
    expect(bytes.toString()).toBe(
      "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\nhi",
    );
    expect(asked.map(({ headers }) => [headers.upgrade, headers["http2-settings"]])).toEqual([
      ["websocket", undefined],
    ]);
  });
});
