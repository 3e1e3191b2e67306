import { createHash, type Hash, randomBytes } from "node:crypto";
import { once } from "node:events";
import type { IncomingMessage, ServerResponse } from "node:http";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { pollUntil } from "@turnpike/testkit/poll-until";
import { openRawConnection } from "@turnpike/testkit/raw-http";
import { startRecordingUpstream } from "@turnpike/testkit/recording-upstream";
import { Client } from "undici";
import { describe, expect, it, onTestFinished } from "vitest";
import { type BareGateway, startBareGateway } from "../testing/bare-gateway.fixture.ts";

const MEGABYTE = 1_000_000;
const STREAMED_BYTES = 100 * MEGABYTE;
/**
 * Client, gateway and upstream of the test share this process: what each of them has in its sockets is counted, and when
 * buffers are let go is the collector's to say. What holds a fifth of the stream has not kept it.
 */
const BUFFERED_BYTES_MAX = STREAMED_BYTES / 5;
const PIECE = randomBytes(MEGABYTE);
const H = "Host: api.example.com\r\n";

/** Starts a gateway in front of a server that does `answer`. */
async function startGatewayTo(
  answer: (req: IncomingMessage, res: ServerResponse) => void,
): Promise<BareGateway> {
  const upstream = await startRecordingUpstream({
    onRequest: (req, res) => {
      answer(req, res);
      return true;
    },
  });
  const gateway = await startBareGateway({
    upstreams: [{ name: "main", url: upstream.url, maxRequestBytes: 2 * STREAMED_BYTES }],
  });
  onTestFinished(async () => {
    await gateway.close();
    await upstream.close();
  });
  return gateway;
}

async function* pieces(bytes: number): AsyncGenerator<Buffer> {
  for (let sent = 0; sent < bytes; sent += PIECE.length) {
    yield PIECE;
  }
}

async function* hashed(source: AsyncIterable<Buffer>, hash: Hash): AsyncGenerator<Buffer> {
  for await (const piece of source) {
    hash.update(piece);
    yield piece;
  }
}

setFlagsFromString("--expose-gc");
const collectGarbage: unknown = runInNewContext("gc");

/**
 * The most memory that buffers held while `work` ran, above what they held before. Garbage is only collected when it would
 * make a difference: a collection takes longer than the stream does between two looks.
 */
async function peakBufferGrowth(work: () => Promise<void>): Promise<number> {
  const measure = (): number => process.memoryUsage().arrayBuffers;
  const collect = (): number => {
    if (typeof collectGarbage === "function") {
      // The buffers that one collection finds are let go in the background, at the latest when the next one begins.
      collectGarbage();
      collectGarbage();
    }
    return measure();
  };
  const before = collect();
  let peak = 0;
  const timer = setInterval(() => {
    const growth = measure() - before;
    peak = Math.max(peak, growth < BUFFERED_BYTES_MAX ? growth : collect() - before);
  }, 10);
  await work();
  clearInterval(timer);
  return peak;
}

describe("streaming", () => {
  it("carries a large answer in little memory, whole, to a reader slower than the writer", async () => {
    const gateway = await startGatewayTo((_req, res) => {
      res.writeHead(200, { "Content-Length": STREAMED_BYTES });
      void pipeline(pieces(STREAMED_BYTES), res);
    });
    let received = 0;
    const growth = await peakBufferGrowth(async () => {
      const client = new Client(`http://127.0.0.1:${gateway.port}`);
      const { body } = await client.request({ path: "/", method: "GET" });
      for await (const chunk of body) {
        received += chunk.length;
        if (received % 50 === 0) {
          await new Promise((resolve) => setImmediate(resolve));
        }
      }
      await client.close();
    });
    expect(received).toBe(STREAMED_BYTES);
    expect(growth).toBeLessThan(BUFFERED_BYTES_MAX);
    await pollUntil("the traffic is known", () => gateway.traffic.length === 1);
    expect(gateway.traffic).toEqual([{ requestBytes: 0, responseBytes: STREAMED_BYTES }]);
  });

  it("carries a large upload in little memory, whole and unchanged", async () => {
    const sent = createHash("sha256");
    const growth = await peakBufferGrowth(async () => {
      const gateway = await startGatewayTo((req, res) => {
        const received = createHash("sha256");
        void pipeline(req, received).then(() => res.end(received.digest("hex")));
      });
      const client = new Client(`http://127.0.0.1:${gateway.port}`);
      const { body } = await client.request({
        path: "/",
        method: "POST",
        body: Readable.from(hashed(pieces(STREAMED_BYTES), sent)),
      });
      expect(await body.text()).toBe(sent.digest("hex"));
      await client.close();
    });
    expect(growth).toBeLessThan(BUFFERED_BYTES_MAX);
  });

  it("stops reading from the upstream while the client does not read", async () => {
    let written = 0;
    const gateway = await startGatewayTo((_req, res) => {
      const fill = (): void => {
        do {
          written += PIECE.length;
        } while (written < STREAMED_BYTES && res.write(PIECE));
      };
      res.on("drain", fill);
      fill();
    });
    const connection = await openRawConnection(gateway.port);
    connection.socket.pause();
    connection.write(`GET / HTTP/1.1\r\n${H}\r\n`);
    let last = -1;
    await pollUntil("nothing moves any more", () => {
      const isStill = last === written && written > 0;
      last = written;
      return isStill;
    });
    expect(written).toBeLessThan(STREAMED_BYTES / 4);
    connection.destroy();
  });

  it("hands an event over before the stream ends, and the head before the first event", async () => {
    const streams: ServerResponse[] = [];
    const gateway = await startGatewayTo((_req, res) => {
      res.writeHead(200, { "Content-Type": "text/event-stream" });
      res.flushHeaders();
      streams.push(res);
    });
    const connection = await openRawConnection(gateway.port);
    connection.write(`GET /events HTTP/1.1\r\n${H}\r\n`);
    expect(await connection.readUntil("\r\n\r\n")).toContain("text/event-stream");
    for (const event of ["data: 1\n\n", "data: 2\n\n"]) {
      streams[0]?.write(event);
      expect(await connection.readUntil(event)).toContain(event);
    }
    expect(gateway.outcomes).toEqual([expect.objectContaining({ kind: "status", status: 200 })]);
    const closed = streams[0] === undefined ? undefined : once(streams[0], "close");
    connection.destroy();
    await closed;
  });

  it("carries both directions at once", async () => {
    const gateway = await startGatewayTo((req, res) => {
      res.writeHead(200);
      req.pipe(res);
    });
    const connection = await openRawConnection(gateway.port);
    connection.write(`POST / HTTP/1.1\r\n${H}Transfer-Encoding: chunked\r\n\r\n`);
    for (const word of ["one", "two", "three"]) {
      connection.write(`${word.length.toString(16)}\r\n${word}\r\n`);
      expect(await connection.readUntil(word)).toContain(word);
    }
    connection.write("0\r\n\r\n");
    await connection.readUntil("0\r\n\r\n");
    connection.destroy();
  });

  it("ends an upload that is no longer read once its early answer is out", async () => {
    const gateway = await startGatewayTo((_req, res) => {
      res.writeHead(401, { "Content-Length": 2 });
      res.end("no");
    });
    const connection = await openRawConnection(gateway.port);
    connection.write(`POST / HTTP/1.1\r\n${H}Content-Length: 100000000\r\n\r\nabc`);
    expect((await connection.readResponse()).status).toBe(401);
    await connection.readToEnd();
  });
});
