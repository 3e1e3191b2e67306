import { openRawConnection } from "@turnpike/testkit/raw-http";
import { describe, expect, it, onTestFinished } from "vitest";
import { serveModule } from "./api-server.fixture.ts";
import { readBody } from "./raw-route.ts";

const OFFERS = [
  "Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAEAAEAA",
  "Connection: Upgrade\r\nUpgrade: TLS/1.0",
  "Connection: Upgrade\r\nUpgrade: h2c, websocket",
  "Upgrade: h2c",
];

async function startEcho(): Promise<number> {
  const api = await serveModule({
    router: {},
    rawRoutes: [
      {
        method: "POST",
        path: "/v1/echo",
        handle: async ({ req, res }) => void res.end(await readBody(req, 100)),
      },
    ],
    actors: {},
  });
  onTestFinished(() => api.close());
  return Number(new URL(api.url).port);
}

const request = (offer: string, body: string): string =>
  `POST /v1/echo HTTP/1.1\r\nHost: a\r\n${offer}\r\nContent-Length: ${String(body.length)}\r\n\r\n${body}`;

describe("the listener for people", () => {
  it.each(OFFERS)(
    "serves a request that offers another protocol as HTTP/1.1: %s",
    async (offer) => {
      const connection = await openRawConnection(await startEcho());
      for (let round = 0; round < 3; round++) {
        connection.write(request(offer, "first") + request("X-A: 1", "second"));
        for (const body of ["first", "second"]) {
          const answer = await connection.readResponse();
          expect([answer.status, answer.body.toString()]).toEqual([200, body]);
          expect(answer.headers.has("upgrade")).toBe(false);
        }
      }
      connection.destroy();
    },
  );
});
