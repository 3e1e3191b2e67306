import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";
import { openRawConnection } from "@turnpike/testkit/raw-http";
import { describe, expect, it, onTestFinished } from "vitest";
import { startBareGateway } from "../testing/bare-gateway.fixture.ts";

const FINAL = "HTTP/1.1 200 Fine\r\nContent-Length: 2\r\n\r\nok";
const CONTINUE = "HTTP/1.1 100 Continue\r\n\r\n";
const HINTS = "HTTP/1.1 103 Early Hints\r\nLink: </a>; rel=preload\r\n\r\n";

/** A gateway before an upstream that answers each request with the same bytes, in pieces of `pieceBytes`. */
async function startGatewayTo(answer: string, pieceBytes = answer.length) {
  const server = createServer({ noDelay: true }, (socket) => {
    socket.on("error", () => undefined);
    socket.on("data", async () => {
      for (let at = 0; at < answer.length; at += pieceBytes) {
        socket.write(answer.slice(at, at + pieceBytes));
        await new Promise((resolve) => setImmediate(resolve));
      }
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const gateway = await startBareGateway({
    upstreams: [{ name: "main", url: `http://127.0.0.1:${String(port)}` }],
  });
  onTestFinished(async () => {
    await gateway.close();
    server.close();
  });
  return gateway;
}

describe("interim answers of an upstream", () => {
  it.each([
    ["an unasked 100 Continue", CONTINUE],
    ["several", CONTINUE + CONTINUE],
    ["102 and 103", `HTTP/1.1 102 Processing\r\n\r\n${HINTS}`],
    ["100 between others", HINTS + CONTINUE + HINTS],
    ["100 with headers", "HTTP/1.1 100 Continue\r\nX-A: 1\r\nContent-Length: 7\r\n\r\n"],
    ["a status of no meaning", "HTTP/1.1 199 Something\r\n\r\n"],
  ])("are passed over: %s", async (_what, interim) => {
    for (const pieceBytes of [interim.length + FINAL.length, 1]) {
      const gateway = await startGatewayTo(interim + FINAL, pieceBytes);
      const connection = await openRawConnection(gateway.port);
      // Twice, on one connection to the upstream.
      for (let round = 0; round < 2; round++) {
        connection.write("GET / HTTP/1.1\r\nHost: a\r\n\r\n");
        const answer = await connection.readUntil("\r\n\r\nok");
        expect(answer).toMatch(/^HTTP\/1\.1 200 Fine\r\n/);
        expect(answer).not.toMatch(/HTTP\/1\.1 1|X-A|Link/);
      }
      connection.destroy();
      expect(gateway.outcomes.map((outcome) => outcome.kind)).toEqual(["status", "status"]);
    }
  });

  it("are passed over before the answer to a body and to a handshake of WebSocket", async () => {
    const gateway = await startGatewayTo(CONTINUE + FINAL);
    for (const head of [
      "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\n\r\nx",
      "HEAD / HTTP/1.1\r\nHost: a\r\n\r\n",
      "GET / HTTP/1.0\r\nHost: a\r\n\r\n",
      "GET / HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n",
    ]) {
      const connection = await openRawConnection(gateway.port);
      connection.write(head);
      expect(await connection.readUntil("\r\n\r\n")).toMatch(/^HTTP\/1\.1 200 Fine\r\n/);
      connection.destroy();
    }
  });
});
