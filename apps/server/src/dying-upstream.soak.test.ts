import { findFreePort } from "@turnpike/testkit/find-free-port";
import {
  type Customer,
  FAULT_IN_LOG,
  type MeteredProduct,
  startMeteredProduct,
} from "@turnpike/testkit/metered-product";
import { pollUntil } from "@turnpike/testkit/poll-until";
import { openRawConnection, type RawConnection } from "@turnpike/testkit/raw-http";
import { type SpawnedScript, spawnScript } from "@turnpike/testkit/spawn-script";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

const DEATHS = 20;
/** Calls of each kind that are under way when it dies; all of them fit into the connections to one upstream. */
const CALLS = 60;
const WHOLE_BYTES = 1_000_000;

/** Begins an answer and never ends it, begins none, or reads a body and never answers; says each time that it is there. */
const UPSTREAM = `
import { createServer } from "node:http";
createServer((req, res) => {
  const begin = (headers) => {
    res.writeHead(200, headers);
    res.write("a part of it", () => console.log("begun"));
  };
  switch (req.url) {
    case "/chunked":
      begin({});
      return;
    case "/length":
      begin({ "content-length": "${String(WHOLE_BYTES)}" });
      return;
    case "/silent":
      console.log("begun");
      return;
    case "/upload":
      req.once("data", () => console.log("begun"));
      return;
    default:
      req.resume();
      res.end("whole");
  }
}).listen(Number(process.argv[1]), "127.0.0.1", () => console.log("ready"));
`;

let port: number;
let upstream: SpawnedScript;
let product: MeteredProduct;
let customer: Customer;

async function startUpstream(): Promise<SpawnedScript> {
  const script = spawnScript(UPSTREAM, String(port));
  expect(await script.nextLine()).toBe("ready");
  return script;
}

beforeAll(async () => {
  port = await findFreePort();
  upstream = await startUpstream();
  product = await startMeteredProduct({
    config: `upstreams:\n  - { name: api, url: "http://127.0.0.1:${String(port)}" }`,
  });
  customer = await product.createCustomer("capped");
});
afterAll(async () => {
  const { code, stderr, stdout } = await product.close();
  await upstream.kill();
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  expect(stdout).not.toMatch(FAULT_IN_LOG);
});

const KINDS = ["chunked", "length", "silent", "upload"] as const;
type Kind = (typeof KINDS)[number];

async function begin(kind: Kind): Promise<RawConnection> {
  const connection = await openRawConnection(product.gatewayPort);
  const head = `Host: a.test\r\nX-Api-Key: ${customer.key}\r\n`;
  connection.write(
    kind === "upload"
      ? `POST /upload HTTP/1.1\r\n${head}Content-Length: ${String(WHOLE_BYTES)}\r\n\r\nthe beginning`
      : `GET /${kind} HTTP/1.1\r\n${head}\r\n`,
  );
  return connection;
}

/** What the client of a call is left with. */
async function readRest(kind: Kind, connection: RawConnection): Promise<void> {
  if (kind === "silent" || kind === "upload") {
    // Nothing was begun, so there is an answer: that there is none.
    expect((await connection.readResponse({ timeoutMs: 20_000 })).status).toBe(502);
    connection.destroy();
    return;
  }
  const { bytes } = await connection.readToEnd(20_000);
  const text = bytes.toString("latin1");
  expect(text).toMatch(/^HTTP\/1\.1 200 /);
  expect(text).toContain("a part of it");
  if (kind === "chunked") {
    // The last chunk would make it look whole.
    expect(text).toMatch(/transfer-encoding: chunked/i);
    expect(text).not.toContain("\r\n0\r\n");
  } else {
    expect(text).toMatch(new RegExp(`content-length: ${String(WHOLE_BYTES)}`, "i"));
    expect(text.length).toBeLessThan(WHOLE_BYTES);
  }
}

describe("an upstream that is killed in the middle of calls", () => {
  it("leaves every client with a broken or a failed call, billed once by its status line, and is used again when it is back", async () => {
    const connectionsBefore = await product.countConnections();
    let billed = 0;
    let calls = 0;
    for (let death = 1; death <= DEATHS; death += 1) {
      const underWay = await Promise.all(
        KINDS.flatMap((kind) =>
          Array.from({ length: CALLS }, async () => ({ kind, connection: await begin(kind) })),
        ),
      );
      for (const _ of underWay) {
        expect(await upstream.nextLine()).toBe("begun");
      }
      // Those whose answer has begun have seen it begin.
      await Promise.all(
        underWay
          .filter(({ kind }) => kind === "chunked" || kind === "length")
          .map(({ connection }) =>
            pollUntil("the answer begins", () => connection.socket.bytesRead > 0),
          ),
      );
      await upstream.kill();
      await Promise.all(underWay.map(({ kind, connection }) => readRest(kind, connection)));
      billed += 2 * CALLS;
      calls += 4 * CALLS;

      // While it is away: 502, at once.
      expect((await product.call(customer.key, "/away")).status).toBe(502);
      calls += 1;

      upstream = await startUpstream();
      await pollUntil("calls get through again", async () => {
        const reply = await product.call(customer.key, "/back");
        calls += 1;
        return reply.status === 200 && (await reply.text()) === "whole";
      });
      billed += 1;
    }
    expect(await product.countOnce(customer, { calls })).toEqual({ calls, billed });
    await pollUntil("the quota lacks what was billed, and no more", async () => {
      const reply = await product.verify(customer.key, 0);
      const { limits } = (await reply.json()) as { limits: { remaining: number }[] };
      return limits[0]?.remaining === 100_000 - billed;
    });
    await pollUntil(
      "connections are let go",
      async () => (await product.countConnections()) <= connectionsBefore + 4,
    );
    expect(await product.reconcile()).toMatchObject({ drift: 0 });
  });
});
