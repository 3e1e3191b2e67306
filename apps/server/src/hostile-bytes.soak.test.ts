import {
  FAULT_IN_LOG,
  type MeteredProduct,
  startMeteredProduct,
  type TestKey,
} from "@turnpike/testkit/metered-product";
import { pollUntil } from "@turnpike/testkit/poll-until";
import { openRawConnection } from "@turnpike/testkit/raw-http";
import {
  type RecordingUpstream,
  startRecordingUpstream,
} from "@turnpike/testkit/recording-upstream";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

const BATCHES = 1_500;
/** Requests at once, each on a connection of its own. */
const BATCH_SIZE = 20;
/** Keys that are used in turn, each at most once in a batch: what each of them is billed for tells who was. */
const KEYS = 100;
/** Characters of a request and of its answer that a failure shows. */
const SHOWN_MAX = 600;
/** A client that has nothing more to say ends its side after this much silence. */
const SILENCE_MS = 400;
/** Nothing of what follows may keep a connection for as long as this: a slow machine, not a bound of the product. */
const HANG_MS = 30_000;
/** Heap and buffers of a process that was busy for a while; a leak of what was sent would be gigabytes in the long run. */
const MEMORY_BYTES_MAX = 600_000_000;
/** Stand for keys that work, in what is generated before there are any; as long as these, for the lengths of bodies. */
const GOOD_KEY = "good-key".padEnd("tp_live_".length + 38, "-");
const SERVICE_KEY = "service-key".padEnd("tp_svc_".length + 38, "-");

let upstream: RecordingUpstream;
let product: MeteredProduct;

beforeAll(async () => {
  upstream = await startRecordingUpstream();
  product = await startMeteredProduct({
    config: `trustedProxies: [127.0.0.1]\nupstreams:\n  - { name: api, url: "${upstream.url}" }`,
  });
});
afterAll(async () => {
  // After all that was sent, it ends in order, and no fault of its own was written down.
  const { code, stderr, stdout } = await product.close();
  await upstream.close();
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  expect(stdout).not.toMatch(FAULT_IN_LOG);
});

type HostileRequest = { listener: "gateway" | "people"; bytes: string };

/** As the bytes that a socket sends: UTF-8, one character for each byte. */
const asBytes = (text: string): string => Buffer.from(text).toString("latin1");

const anyBytes = fc
  .array(fc.nat(255), { maxLength: 60 })
  .map((codes) => String.fromCharCode(...codes));
const anyText = fc.oneof(
  { weight: 3, arbitrary: anyBytes },
  { weight: 3, arbitrary: fc.string({ unit: "binary", maxLength: 40 }).map(asBytes) },
  {
    weight: 3,
    arbitrary: fc.constantFrom(
      GOOD_KEY,
      SERVICE_KEY,
      `${GOOD_KEY}\u0000`,
      `${GOOD_KEY} `,
      `${GOOD_KEY},${GOOD_KEY}`,
      `tp_live_${"0".repeat(38)}`,
      "tp_live_",
      "__proto__",
      "constructor",
      "",
      "\u0000",
      "%00",
      "' or 1=1 --",
      "<!--#exec cmd=ls-->",
      "../../../etc/passwd",
      "a".repeat(10_000),
      "a".repeat(100_000),
    ),
  },
);
const headerName = fc.oneof(
  fc.constantFrom(
    "X-Api-Key",
    "Authorization",
    "Content-Type",
    "Content-Encoding",
    "Accept-Encoding",
    "Transfer-Encoding",
    "Content-Length",
    "Connection",
    "Expect",
    "Upgrade",
    "Host",
    "Cookie",
    "Origin",
    "Range",
    "Idempotency-Key",
    "X-Request-Id",
    "X-Forwarded-For",
    "X-Forwarded-Uri",
    "X-Forwarded-Method",
    "Forwarded",
    "X-Turnpike-Tenant",
    "X_Turnpike_Tenant",
    "__proto__",
    "constructor",
    "Last-Event-ID",
  ),
  anyBytes,
);
const header = fc.tuple(headerName, anyText).map(([name, value]) => `${name}: ${value}\r\n`);
const headers = fc.oneof(
  { weight: 8, arbitrary: fc.array(header, { maxLength: 4 }).map((lines) => lines.join("")) },
  {
    weight: 1,
    arbitrary: fc.integer({ min: 90, max: 3_000 }).map((count) => "A: b\r\n".repeat(count)),
  },
);

const json = fc.oneof(
  anyText.map((text) => JSON.stringify({ key: text })),
  fc.string({ unit: "binary", maxLength: 30 }).map((text) => JSON.stringify({ key: text })),
  fc.json().map(asBytes),
  fc.json().map((text) => `{"key":"${GOOD_KEY}","cost":${asBytes(text)}}`),
  fc.constantFrom(
    `{"key":"${GOOD_KEY}"}`,
    `{"key":"${GOOD_KEY}"`,
    `{"key":"a","key":"b"}`,
    `{"key":"${GOOD_KEY}","__proto__":{"polluted":true}}`,
    `{"__proto__":{"key":"${GOOD_KEY}"}}`,
    `{"constructor":{"prototype":{"polluted":true}},"key":"a"}`,
    `{"key":"\\ud800"}`,
    `{"key":"\\u0000"}`,
    `{"key":"\xff\xfe\xfa"}`,
    `{"key":"${GOOD_KEY}","cost":1e400}`,
    `{"key":"${GOOD_KEY}","cost":-1}`,
    `{"key":"${GOOD_KEY}","cost":9007199254740993}`,
    `{"key":"${GOOD_KEY}","scopes":"${"(".repeat(2_000)}"}`,
    `{"key":"${GOOD_KEY}","scopes":"a ${"and a ".repeat(400)}"}`,
    `{"key":"${GOOD_KEY}","address":"::ffff:%"}`,
    "\xef\xbb\xbf{}",
    "[".repeat(4_000),
    '{"a":'.repeat(800),
    "[".repeat(1_000_000),
    `{"key":"${"a".repeat(2_000_000)}"}`,
  ),
  anyBytes,
);

/** A body as its sender frames it, honestly or not. */
const framed = fc
  .record({
    body: json,
    framing: fc.constantFrom(
      "exact",
      "exact",
      "exact",
      "chunked",
      "chunked",
      "short",
      "long",
      "both",
      "none",
      "negative",
      "list",
      "bad size",
      "endless size",
      "no last chunk",
      "trailers",
    ),
  })
  .map(({ body, framing }) => {
    const chunk = `${body.length.toString(16)}\r\n${body}\r\n`;
    const chunked = "Transfer-Encoding: chunked\r\n";
    const length = (value: number | string) => `Content-Length: ${String(value)}\r\n`;
    switch (framing) {
      case "chunked":
        return { lines: chunked, body: `${chunk}0\r\n\r\n` };
      case "short":
        return { lines: length(Math.floor(body.length / 2)), body };
      case "long":
        return { lines: length(body.length + 7), body };
      case "both":
        return { lines: chunked + length(body.length), body: `${chunk}0\r\n\r\n` };
      case "none":
        return { lines: "", body };
      case "negative":
        return { lines: length(-body.length), body };
      case "list":
        return { lines: length(`${String(body.length)}, ${String(body.length)}`), body };
      case "bad size":
        return { lines: chunked, body: `xyz\r\n${body}\r\n0\r\n\r\n` };
      case "endless size":
        return { lines: chunked, body: `${"f".repeat(40)}\r\n${body}` };
      case "no last chunk":
        return { lines: chunked, body: chunk };
      case "trailers":
        return { lines: chunked, body: `${chunk}0\r\n__proto__: x\r\nHost: y\r\n\r\n` };
      default:
        return { lines: length(body.length), body };
    }
  });

const HOST = "Host: api.example.com\r\nConnection: close\r\n";
const method = fc.constantFrom("GET", "POST", "PUT", "DELETE", "OPTIONS", "HEAD", "PATCH", "TRACE");
const target = fc.oneof(
  fc.constantFrom("/", "/a?b=%zz", "//x", "/v1/keys/verify", "*", "http://other.example/", "/%00"),
  anyBytes.map((text) => `/${text}`),
  fc
    .string({ unit: "binary", maxLength: 30 })
    .map((text) => `/${encodeURIComponent(toWell(text))}`),
);
const dialect = fc.constantFrom("nginx", "caddy", "traefik", "envoy", "envoy/a/b", "__proto__");

function toWell(text: string): string {
  return Buffer.from(text).toString();
}

const hostileRequest: fc.Arbitrary<HostileRequest> = fc.oneof(
  // The gateway, by a key of any text.
  fc.tuple(method, target, anyText, headers, framed).map(([verb, path, key, more, body]) => ({
    listener: "gateway" as const,
    bytes: `${verb} ${path} HTTP/1.1\r\n${HOST}X-Api-Key: ${key}\r\n${more}${body.lines}\r\n${body.body}`,
  })),
  fc.tuple(target, anyText, headers).map(([path, key, more]) => ({
    listener: "gateway" as const,
    bytes: `GET ${path} HTTP/1.1\r\n${HOST}Authorization: Bearer ${key}\r\n${more}\r\n`,
  })),
  // Verification, by a program that may, with any body.
  fc.tuple(headers, framed).map(([more, body]) => ({
    listener: "people" as const,
    bytes: `POST /v1/keys/verify HTTP/1.1\r\n${HOST}Authorization: Bearer ${SERVICE_KEY}\r\n${more}${body.lines}\r\n${body.body}`,
  })),
  fc.tuple(anyText, framed).map(([key, body]) => ({
    listener: "people" as const,
    bytes: `POST /v1/keys/verify HTTP/1.1\r\n${HOST}Authorization: Bearer ${key}\r\n${body.lines}\r\n${body.body}`,
  })),
  // Forward auth, by a proxy that says anything about the call.
  fc.tuple(dialect, method, anyText, anyText, headers).map(([name, verb, key, uri, more]) => ({
    listener: "people" as const,
    bytes: `${verb} /v1/authorize/${name} HTTP/1.1\r\n${HOST}X-Api-Key: ${key}\r\nX-Forwarded-Uri: /${uri}\r\nX-Forwarded-Method: GET\r\n${more}\r\n`,
  })),
  // Good ones but for a header or two: some of these are let through, and billed.
  fc.tuple(headers).map(([more]) => {
    const body = `{"key":"${GOOD_KEY}"}`;
    return {
      listener: "people" as const,
      bytes: `POST /v1/keys/verify HTTP/1.1\r\n${HOST}Authorization: Bearer ${SERVICE_KEY}\r\n${more}Content-Length: ${String(body.length)}\r\n\r\n${body}`,
    };
  }),
  fc.tuple(dialect, header).map(([name, more]) => ({
    listener: "people" as const,
    bytes: `GET /v1/authorize/${name} HTTP/1.1\r\n${HOST}X-Api-Key: ${GOOD_KEY}\r\nX-Forwarded-For: 192.0.2.1\r\nX-Forwarded-Uri: /a\r\nX-Forwarded-Method: GET\r\n${more}\r\n`,
  })),
  fc.tuple(target, header, framed).map(([path, more, body]) => ({
    listener: "gateway" as const,
    bytes: `POST ${path} HTTP/1.1\r\n${HOST}X-Api-Key: ${GOOD_KEY}\r\n${more}${body.lines}\r\n${body.body}`,
  })),
  // Anything else that listens, and what is no HTTP at all.
  fc.tuple(method, target, headers, framed).map(([verb, path, more, body]) => ({
    listener: "people" as const,
    bytes: `${verb} ${path} HTTP/1.1\r\n${HOST}${more}${body.lines}\r\n${body.body}`,
  })),
  fc
    .tuple(fc.constantFrom("gateway" as const, "people" as const), anyBytes)
    .map(([listener, bytes]) => ({ listener, bytes })),
);

/** Sends it on a connection of its own, ends this side when nothing more comes, and reads until the other side has closed. */
async function exchange(request: HostileRequest, key: string): Promise<string> {
  const port = request.listener === "gateway" ? product.gatewayPort : product.peoplePort;
  const connection = await openRawConnection(port);
  const { socket } = connection;
  socket.setTimeout(SILENCE_MS, () => socket.end());
  connection.write(
    request.bytes.replaceAll(GOOD_KEY, key).replaceAll(SERVICE_KEY, product.serviceKey),
  );
  const { bytes } = await connection.readToEnd(HANG_MS);
  connection.destroy();
  return bytes.toString("latin1");
}

function statusesOf(answer: string): number[] {
  return [...answer.matchAll(/HTTP\/1\.1 (\d{3}) /g)].map(([, status]) => Number(status));
}

/** What a verification takes if it is let through: its cost, when it names one; with one that is not taken, nothing is. */
function unitsOf({ bytes }: HostileRequest): number {
  const [, cost = "1"] = /"cost":([^}]*)\}/.exec(bytes) ?? [];
  const units = Number(cost);
  return Number.isSafeInteger(units) ? Math.max(0, units) : 0;
}

const isBadStatus = (status: number) => status >= 500 && status !== 508;

/** What was asked with one of the keys, and what the ledger must bill for it. */
type AskedOfKey = { key: TestKey; heard: number; unheard: number; exchanges: string[] };

/** Notes what an answer says of its request; what was forwarded, the upstream knows. */
function note(asked: AskedOfKey, request: HostileRequest, answer: string): void {
  if (!request.bytes.includes(GOOD_KEY)) {
    return;
  }
  const { bytes, listener } = request;
  asked.exchanges.push(
    `${listener} ${JSON.stringify(bytes.slice(0, SHOWN_MAX))}: ${answer.slice(0, SHOWN_MAX)}`,
  );
  if (listener === "gateway") {
    return;
  }
  const [status] = statusesOf(answer);
  if (status === undefined) {
    // Silent for too long, it left before it was answered: whether it was let through only the ledger knows.
    asked.unheard += unitsOf(request);
  } else if (bytes.includes("/v1/authorize/")) {
    asked.heard += status === 200 && answer.includes("x-turnpike-tenant: ten_") ? 1 : 0;
  } else if (answer.includes('"valid":true') && !answer.includes("idempotency-replayed")) {
    // A repeated idempotency key gets the first answer again, and takes nothing.
    asked.heard += unitsOf(request);
  }
}

describe("hostile bytes on both listeners", () => {
  it("are answered or cut, never with a fault of ours, and only what was let through is billed", async () => {
    const caller = await product.createCustomer("open");
    const marker = await product.createKey(caller, {});
    const asked: AskedOfKey[] = [];
    for (let made = 0; made < KEYS; made += 1) {
      const key = await product.createKey(caller, {});
      asked.push({ key, heard: 0, unheard: 0, exchanges: [] });
    }
    const connectionsBefore = await product.countConnections();
    let answered = 0;
    let sent = 0;
    await fc.assert(
      fc.asyncProperty(
        fc.array(hostileRequest, { minLength: BATCH_SIZE, maxLength: BATCH_SIZE }),
        async (requests) => {
          const batch = requests.map((request, place) => {
            const of = asked[(sent + place) % KEYS];
            return of === undefined ? [] : { request, of };
          });
          sent += requests.length;
          await Promise.all(
            batch.flat().map(async ({ request, of }) => {
              const answer = await exchange(request, of.key.key);
              const statuses = statusesOf(answer);
              expect(statuses.filter(isBadStatus), JSON.stringify(request)).toEqual([]);
              answered += statuses.length;
              note(of, request, answer);
            }),
          );
        },
      ),
      { numRuns: BATCHES, endOnFailure: true },
    );
    await pollUntil(
      "connections are let go",
      async () => (await product.countConnections()) <= connectionsBefore + 2,
    );

    // It works as before, for a normal call on each of them.
    const reply = await product.verify(marker.key);
    expect(await reply.json()).toMatchObject({ valid: true });
    expect((await product.call(marker.key, "/after")).status).toBe(200);

    for (const request of upstream.requests) {
      const of = asked.find(({ key }) => key.keyId === request.header("x-turnpike-key"));
      if (of !== undefined) {
        of.heard += 1;
      }
    }
    const heard = asked.reduce((sum, of) => sum + of.heard, 0);
    expect(heard).toBeGreaterThan(1);
    // Usage is committed in the order in which it was recorded: with the last two, all is there.
    const billedOf = await pollUntil("the last two are in the ledger", async () => {
      const billed = await product.listBilled(caller);
      return billed.get(marker.keyId) === 2 && billed;
    });
    const wrong = asked.filter(({ key, heard: least, unheard }) => {
      const billed = billedOf.get(key.keyId) ?? 0;
      return billed < least || billed > least + unheard;
    });
    expect(
      wrong.map(({ key: { keyId }, ...of }) => ({ ...of, billed: billedOf.get(keyId) ?? 0 })),
      "keys that were billed for more or less than was let through",
    ).toEqual([]);
    expect(await product.reconcile()).toMatchObject({ drift: 0 });
    const residentBytes = await product.residentBytes();
    expect(residentBytes).toBeLessThan(MEMORY_BYTES_MAX);
    console.info(
      `hostile bytes: ${String(BATCHES * BATCH_SIZE)} connections, ${String(answered)} answers, ` +
        `${String(heard)} let through, ${(residentBytes / 1e6).toFixed(0)} MB resident`,
    );
  });
});
