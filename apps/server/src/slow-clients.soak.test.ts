import { once } from "node:events";
import { connect, type Socket } from "node:net";
import {
  type Customer,
  FAULT_IN_LOG,
  type MeteredProduct,
  startMeteredProduct,
} from "@turnpike/testkit/metered-product";
import { pollUntil } from "@turnpike/testkit/poll-until";
import {
  type RecordingUpstream,
  startRecordingUpstream,
} from "@turnpike/testkit/recording-upstream";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

/** Clients of each kind at once. */
const CLIENTS = 200;
/** Each of them fills some megabytes of the system's own buffers, of which there are not many. */
const UNREAD_CLIENTS = 40;
const ABORTS = 5_000;
/** The head of a request may take 10 s and is looked at every 2 s; a body 60 s, an unread answer 60 to 120 s. */
const HEAD_MS_MAX = 60_000;
const BODY_MS_MAX = 240_000;
const DRIP_MS = 500;

let upstream: RecordingUpstream;
let product: MeteredProduct;
let caller: Customer;

beforeAll(async () => {
  upstream = await startRecordingUpstream({
    onRequest: (req, res) => {
      if (req.url !== "/endless") {
        return false;
      }
      const piece = Buffer.alloc(64 * 1024, "x");
      res.writeHead(200);
      const write = (): void => {
        while (res.write(piece)) {
          // As fast as it is read.
        }
      };
      res.on("drain", write);
      write();
      return true;
    },
  });
  product = await startMeteredProduct({
    config: `trustedProxies: [127.0.0.1]\nupstreams:\n  - { name: api, url: "${upstream.url}" }`,
  });
  caller = await product.createCustomer("capped");
});
afterAll(async () => {
  const { code, stderr, stdout } = await product.close();
  await upstream.close();
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  expect(stdout).not.toMatch(FAULT_IN_LOG);
});

type SlowClient = { socket: Socket; received: () => string; closed: Promise<void> };

async function openSlowClient(port: number, first: string): Promise<SlowClient> {
  const socket = connect({ port, host: "127.0.0.1" });
  let received = "";
  socket.on("error", () => undefined);
  const closed = new Promise<void>((resolve) => socket.once("close", () => resolve()));
  await once(socket, "connect");
  socket.on("data", (chunk: Buffer) => {
    received = (received + chunk.toString("latin1")).slice(0, 1_000);
  });
  socket.write(first);
  return { socket, received: () => received, closed };
}

/** Sends a piece again and again until the other side has had enough. */
function drip({ socket }: SlowClient, piece: string): void {
  const timer = setInterval(() => socket.write(piece), DRIP_MS);
  socket.on("close", () => clearInterval(timer));
}

const portsOf = () => [product.peoplePort, product.gatewayPort];

/** They get what they ask for while all the others dawdle. */
async function expectService(): Promise<void> {
  await pollUntil("others are served", async () => {
    const verified = await product.verify(caller.key, 0);
    const { valid } = (await verified.json()) as { valid?: boolean };
    return valid === true && (await product.call(caller.key, "/meanwhile")).status === 200;
  });
}

describe("slow clients, on both listeners", () => {
  it(
    "that say nothing, or drip a head, are cut",
    async () => {
      const starts = ["", "GET / HT", "GET / HTTP/1.1\r\nHost: a.test\r\nX-A: "];
      const clients = await Promise.all(
        portsOf().flatMap((port) =>
          starts.flatMap((start) =>
            Array.from({ length: CLIENTS }, () => openSlowClient(port, start)),
          ),
        ),
      );
      for (const client of clients) {
        drip(client, "x");
      }
      await expectService();
      await Promise.race([
        Promise.all(clients.map((client) => client.closed)),
        new Promise((_resolve, reject) => {
          setTimeout(() => reject(new Error("Some are still connected.")), HEAD_MS_MAX).unref();
        }),
      ]);
      await expectService();
    },
    HEAD_MS_MAX * 2,
  );

  it(
    "that drip a body, or never read their answer, are cut",
    async () => {
      const before = await product.countConnections();
      const auth = `Host: a.test\r\nAuthorization: Bearer ${product.serviceKey}\r\n`;
      const bodies = [
        [
          product.peoplePort,
          `POST /v1/keys/verify HTTP/1.1\r\n${auth}Content-Length: 4000\r\n\r\n`,
        ],
        [product.peoplePort, `PUT /v1/catalog HTTP/1.1\r\n${auth}Content-Length: 4000\r\n\r\n`],
        [
          product.gatewayPort,
          `POST /a HTTP/1.1\r\nHost: a.test\r\nX-Api-Key: ${caller.key}\r\nContent-Length: 4000\r\n\r\n`,
        ],
      ] as const;
      const dripping = await Promise.all(
        bodies.flatMap(([port, head]) =>
          Array.from({ length: CLIENTS }, () => openSlowClient(port, head)),
        ),
      );
      for (const client of dripping) {
        drip(client, " ");
      }
      const pages = `GET /v1/openapi.json HTTP/1.1\r\n${auth}\r\n`.repeat(400);
      const endless = `GET /endless HTTP/1.1\r\nHost: a.test\r\nX-Api-Key: ${caller.key}\r\n\r\n`;
      const unread = await Promise.all(
        [[product.peoplePort, pages] as const, [product.gatewayPort, endless] as const].flatMap(
          ([port, ask]) =>
            Array.from({ length: UNREAD_CLIENTS }, async () => {
              const client = await openSlowClient(port, ask);
              client.socket.pause();
              return client;
            }),
        ),
      );
      await expectService();
      await Promise.race([
        Promise.all(dripping.map((client) => client.closed)),
        new Promise((_resolve, reject) => {
          setTimeout(() => reject(new Error("Some still drip.")), BODY_MS_MAX).unref();
        }),
      ]);
      // These clients do not read, so only the server knows that they were cut.
      await pollUntil(
        "those who do not read are cut",
        async () => (await product.countConnections()) <= before + 4,
        BODY_MS_MAX,
      );
      console.info(
        `slow clients: ${String(dripping.length + unread.length)} cut, ${((await product.residentBytes()) / 1e6).toFixed(0)} MB resident`,
      );
      unread.forEach((client) => void client.socket.destroy());
      await expectService();
    },
    BODY_MS_MAX * 3,
  );
});

describe("bodies that break off, on both listeners", () => {
  it("free their connections, bill nothing, and strand nothing of a quota", async () => {
    const customer = await product.createCustomer("capped");
    await product.verify(customer.key);
    const before = await product.countConnections();
    const half = "Content-Length: 5000\r\n\r\nhalf of it";
    const starts = [
      [
        product.gatewayPort,
        `POST /a HTTP/1.1\r\nHost: a.test\r\nX-Api-Key: ${customer.key}\r\n${half}`,
      ],
      [
        product.gatewayPort,
        `POST /a HTTP/1.1\r\nHost: a.test\r\nX-Api-Key: ${customer.key}\r\nTransfer-Encoding: chunked\r\n\r\nff\r\nabc`,
      ],
      [
        product.peoplePort,
        `POST /v1/keys/verify HTTP/1.1\r\nHost: a.test\r\nAuthorization: Bearer ${product.serviceKey}\r\n${half}`,
      ],
      [
        product.peoplePort,
        `PUT /v1/catalog HTTP/1.1\r\nHost: a.test\r\nAuthorization: Bearer ${product.serviceKey}\r\nContent-Type: application/json\r\n${half}`,
      ],
    ] as const;
    const openAtOnce = 50;
    for (let done = 0; done < ABORTS; done += openAtOnce) {
      await Promise.all(
        Array.from({ length: openAtOnce }, async (_, index) => {
          const [port, bytes] = starts[index % starts.length] ?? starts[0];
          const client = await openSlowClient(port, bytes);
          await new Promise((resolve) => setTimeout(resolve, index));
          if (index % 3 === 0) {
            client.socket.resetAndDestroy();
          } else {
            client.socket.destroy();
          }
        }),
      );
    }
    await pollUntil(
      "connections are let go",
      async () => (await product.countConnections()) <= before + 4,
    );
    // Only the first took something: what the others held came back.
    await pollUntil("the quota is whole again", async () => {
      const reply = await product.verify(customer.key, 0);
      const { limits } = (await reply.json()) as { limits: { remaining: number }[] };
      return limits[0]?.remaining === 100_000 - 1;
    });
    expect(await product.countOnce(customer, { billed: 1 })).toMatchObject({ billed: 1 });
    expect(await product.reconcile()).toMatchObject({ drift: 0 });
    await expectService();
  });
});
