import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { pipeline, Readable } from "node:stream";

const small = Buffer.from(JSON.stringify({ ok: true, item: { id: 42, name: "A small document" } }));
const large = Buffer.from(
  JSON.stringify({
    ok: true,
    items: Array.from({ length: 128 }, (_, id) => ({ id, name: "x".repeat(50), price: 1299 })),
  }),
);

const GIB = 1024 ** 3;
const piece = Buffer.alloc(64 * 1024, "x");

function* gigabyte(): Generator<Buffer> {
  for (let sent = 0; sent < GIB; sent += piece.length) {
    yield piece;
  }
}

function sendGigabyte(res: ServerResponse): void {
  res.writeHead(200, { "content-type": "application/octet-stream", "content-length": GIB });
  pipeline(Readable.from(gigabyte()), res, () => undefined);
}

function countBody(req: IncomingMessage, res: ServerResponse): void {
  let bytes = 0;
  req.on("data", (chunk: Buffer) => {
    bytes += chunk.length;
  });
  req.on("end", () => res.end(String(bytes)));
}

/**
 * The API behind the proxies: bare node:http with two JSON documents, of some 60 bytes and of 10 kB. `/gigabyte` answers
 * with a body of 1 GiB, as fast as it is read; what is posted is read to its end and answered by its length.
 */
export function createBareUpstream(): Server {
  return createServer({ noDelay: true, keepAliveTimeout: 65_000 }, (req, res) => {
    if (req.method === "POST") {
      countBody(req, res);
      return;
    }
    if (req.url === "/gigabyte") {
      sendGigabyte(res);
      return;
    }
    const body = req.url?.startsWith("/large") === true ? large : small;
    res.writeHead(200, { "content-type": "application/json", "content-length": body.length });
    res.end(body);
  });
}
