import { createServer } from "node:http";
import { reportPort } from "../rig/report-port.ts";

/** The API behind the proxies: bare node:http with two JSON documents, of some 60 bytes and of 10 kB. */
const small = Buffer.from(JSON.stringify({ ok: true, item: { id: 42, name: "A small document" } }));
const large = Buffer.from(
  JSON.stringify({
    ok: true,
    items: Array.from({ length: 128 }, (_, id) => ({ id, name: "x".repeat(50), price: 1299 })),
  }),
);

reportPort(
  createServer({ noDelay: true, keepAliveTimeout: 65_000 }, (req, res) => {
    const body = req.url?.startsWith("/large") === true ? large : small;
    res.writeHead(200, { "content-type": "application/json", "content-length": body.length });
    res.end(body);
  }),
);
