import { createServer } from "node:http";
import { reportPort } from "../rig/report-port.ts";

/**
 * The limit of the machine for verification: node:http alone, which reads the body, parses the JSON, and writes an answer of
 * the product's own shape and size, given as the first argument. It knows no key, counts nothing and stores nothing.
 */
const sample: unknown = JSON.parse(process.argv[2] ?? "{}");
const template = typeof sample === "object" && sample !== null ? sample : {};

reportPort(
  createServer({ noDelay: true, keepAliveTimeout: 65_000 }, (req, res) => {
    const chunks: Buffer[] = [];
    req.on("data", (chunk: Buffer) => chunks.push(chunk));
    req.on("end", () => {
      const input: unknown = JSON.parse(Buffer.concat(chunks).toString("utf8"));
      const hasKey = typeof input === "object" && input !== null && "key" in input;
      const text = JSON.stringify({ valid: hasKey, ...template });
      res.writeHead(200, {
        "content-type": "application/json",
        "content-length": Buffer.byteLength(text),
      });
      res.end(text);
    });
  }),
);
