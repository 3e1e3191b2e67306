import { createHash } from "node:crypto";
import { once } from "node:events";
import { connect } from "node:net";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type ApiFixture, serveModule } from "./api-server.fixture.ts";
import { readBody, readQuery, sendJson } from "./raw-route.ts";

const BYTES_MAX = 100_000;

let api: ApiFixture;
const failures: unknown[] = [];

beforeAll(async () => {
  api = await serveModule({
    router: {},
    actors: {},
    rawRoutes: [
      {
        method: "POST",
        path: "/v1/body",
        handle: async ({ req, res }) => {
          const body = await readBody(req, BYTES_MAX).catch((error: unknown) => {
            failures.push(error);
            throw error;
          });
          const sha256 = createHash("sha256").update(body).digest("hex");
          sendJson(res, 200, { bytes: body.length, sha256, tag: readQuery(req).get("tag") });
        },
      },
    ],
  });
});

afterAll(() => api.close());

/** Writes raw bytes and reads until the server closes. */
async function exchange(text: string): Promise<string> {
  const socket = connect(Number(new URL(api.url).port), "127.0.0.1");
  const chunks: Buffer[] = [];
  socket.on("data", (chunk) => chunks.push(chunk));
  socket.write(text);
  await once(socket, "close");
  return Buffer.concat(chunks).toString("latin1");
}

describe("readBody", () => {
  it("reads a body that arrives in many pieces byte for byte, beside the query", async () => {
    const body = Buffer.alloc(BYTES_MAX, "turnpike ");
    const pieces = new ReadableStream({
      start(controller) {
        for (let at = 0; at < body.length; at += 7_001) {
          controller.enqueue(body.subarray(at, at + 7_001));
        }
        controller.close();
      },
    });
    const answer = await fetch(`${api.url}/v1/body?tag=a%20b`, {
      method: "POST",
      body: pieces,
      duplex: "half",
    });
    expect(await answer.json()).toEqual({
      bytes: BYTES_MAX,
      sha256: createHash("sha256").update(body).digest("hex"),
      tag: "a b",
    });
  });

  it("reads an empty body as no bytes", async () => {
    const answer = await fetch(`${api.url}/v1/body`, { method: "POST" });
    expect(await answer.json()).toMatchObject({ bytes: 0 });
  });

  it("refuses a body announced as too large without reading it, and the client gets to read why", async () => {
    const answer = await exchange(
      `POST /v1/body HTTP/1.1\r\nHost: a\r\nContent-Length: ${String(BYTES_MAX + 1)}\r\n\r\n`,
    );
    expect(answer).toMatch(/^HTTP\/1\.1 413 /);
    expect(answer).toContain("PAYLOAD_TOO_LARGE");
  });

  it("refuses a body in chunks when it grows too large, and the client gets to read why", async () => {
    const chunk = `${(60_000).toString(16)}\r\n${"x".repeat(60_000)}\r\n`;
    const answer = await exchange(
      `POST /v1/body HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n${chunk}${chunk}`,
    );
    expect(answer).toMatch(/^HTTP\/1\.1 413 /);
    expect(answer).toContain("PAYLOAD_TOO_LARGE");
  });

  it("fails when the client leaves before the end, so that no half body is taken for a whole one", async () => {
    const before = failures.length;
    const socket = connect(Number(new URL(api.url).port), "127.0.0.1");
    socket.write("POST /v1/body HTTP/1.1\r\nHost: a\r\nContent-Length: 10\r\n\r\nhalf");
    await once(socket, "connect");
    socket.end();
    await expect.poll(() => failures.length).toBe(before + 1);
    socket.destroy();
  });
});
