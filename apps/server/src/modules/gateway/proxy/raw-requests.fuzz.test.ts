import { once } from "node:events";
import type { ServerResponse } from "node:http";
import { pollUntil } from "@turnpike/testkit/poll-until";
import { openRawConnection, sendRaw } from "@turnpike/testkit/raw-http";
import {
  type RecordingUpstream,
  startRecordingUpstream,
} from "@turnpike/testkit/recording-upstream";
import { IS_SOAK } from "@turnpike/testkit/soak";
import fc from "fast-check";
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { type BareGateway, startBareGateway } from "../testing/bare-gateway.fixture.ts";

let upstream: RecordingUpstream;
let gateway: BareGateway;

beforeAll(async () => {
  upstream = await startRecordingUpstream();
  gateway = await startBareGateway({ upstreams: [{ name: "main", url: upstream.url }] });
});
afterAll(async () => {
  await gateway.close();
  await upstream.close();
});
beforeEach(() => {
  upstream.requests.length = 0;
  gateway.outcomes.length = 0;
});

/** Sends bytes on a new connection and reads the status of the answer. */
async function exchange(bytes: string): Promise<number> {
  const method = /^[A-Z]+/.exec(bytes)?.[0] ?? "GET";
  return (await sendRaw({ port: gateway.port, bytes, method })).status;
}

const H = "Host: api.example.com\r\n";
const CLOSE = "Connection: close\r\n";

/** Status for the client, and how many requests the upstream must have seen. */
type Verdict = { status: number; seen: 0 | 1 };
const REFUSED: Verdict = { status: 400, seen: 0 };
const PASSED: Verdict = { status: 200, seen: 1 };

const CORPUS: readonly [why: string, bytes: string, verdict: Verdict][] = [
  ["a plain GET", `GET /a HTTP/1.1\r\n${H}\r\n`, PASSED],
  ["a query that is kept as it is", `GET /a?b=%20c&d=%zz HTTP/1.1\r\n${H}\r\n`, PASSED],
  ["a doubled slash, as sent", `GET //favicon.ico HTTP/1.1\r\n${H}\r\n`, PASSED],
  ["a target that looks like another host", `GET //169.254.169.254/ HTTP/1.1\r\n${H}\r\n`, PASSED],
  ["dot segments, as sent", `GET /a/../b HTTP/1.1\r\n${H}\r\n`, PASSED],
  ["an encoded slash, as sent", `GET /a%2fb HTTP/1.1\r\n${H}\r\n`, PASSED],
  ["HTTP/1.0 without Host", "GET /a HTTP/1.0\r\n\r\n", PASSED],
  ["a header name with an underscore", `GET /a HTTP/1.1\r\n${H}session_id: 1\r\n\r\n`, PASSED],
  ["HTTP/1.0 with Host", `GET /a HTTP/1.0\r\n${H}\r\n`, PASSED],
  ["HEAD", `HEAD /a HTTP/1.1\r\n${H}\r\n`, PASSED],
  ["OPTIONS", `OPTIONS /a HTTP/1.1\r\n${H}\r\n`, PASSED],
  ["a body with length", `POST /a HTTP/1.1\r\n${H}Content-Length: 5\r\n\r\nhello`, PASSED],
  ["a body of no bytes", `POST /a HTTP/1.1\r\n${H}Content-Length: 0\r\n\r\n`, PASSED],
  ["a POST that announces nothing", `POST /a HTTP/1.1\r\n${H}\r\n`, PASSED],
  [
    "a body in chunks",
    `POST /a HTTP/1.1\r\n${H}Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n`,
    PASSED,
  ],
  [
    "chunk extensions and trailers",
    `POST /a HTTP/1.1\r\n${H}Transfer-Encoding: chunked\r\n\r\n5;x=y\r\nhello\r\n0\r\nX-T: 1\r\n\r\n`,
    PASSED,
  ],
  ["a GET with a body", `GET /a HTTP/1.1\r\n${H}Content-Length: 5\r\n\r\nhello`, PASSED],
  ["a DELETE with a body", `DELETE /a HTTP/1.1\r\n${H}Content-Length: 5\r\n\r\nhello`, PASSED],
  ["empty lines before the request", `\r\n\r\nGET /a HTTP/1.1\r\n${H}\r\n`, PASSED],
  [
    "header names in odd case",
    "gEt /a HTTP/1.1\r\n\r\n".replace("gEt", "GET").replace("\r\n\r\n", `\r\nhOsT: a\r\n\r\n`),
    PASSED,
  ],
  ["an empty header value", `GET /a HTTP/1.1\r\n${H}X-Empty:\r\n\r\n`, PASSED],
  ["Latin-1 in a header value", `GET /a HTTP/1.1\r\n${H}X-Name: caf\u00e9\r\n\r\n`, PASSED],
  ["Upgrade without Connection", `GET /a HTTP/1.1\r\n${H}Upgrade: websocket\r\n\r\n`, PASSED],
  ["no Host", "GET /a HTTP/1.1\r\n\r\n", REFUSED],
  ["HTTP/0.9", "GET /a\r\n\r\n", REFUSED],
  ["HTTP/2.0", `GET /a HTTP/2.0\r\n${H}\r\n`, REFUSED],
  ["HTTP/1.2", `GET /a HTTP/1.2\r\n${H}\r\n`, REFUSED],
  ["the preface of HTTP/2", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", REFUSED],
  ["two Hosts", `GET /a HTTP/1.1\r\n${H}Host: other.example\r\n\r\n`, REFUSED],
  ["two equal Hosts", `GET /a HTTP/1.1\r\n${H}${H}\r\n`, REFUSED],
  ["an absolute target", `GET http://other.example/ HTTP/1.1\r\n${H}\r\n`, REFUSED],
  ["an asterisk", `OPTIONS * HTTP/1.1\r\n${H}\r\n`, REFUSED],
  ["a fragment", `GET /a#b HTTP/1.1\r\n${H}\r\n`, REFUSED],
  ["a backslash", `GET /a\\b HTTP/1.1\r\n${H}\r\n`, REFUSED],
  ["a space in the target", `GET /a b HTTP/1.1\r\n${H}\r\n`, REFUSED],
  ["a non-ASCII target", `GET /caf\u00e9 HTTP/1.1\r\n${H}\r\n`, REFUSED],
  ["CONNECT", `CONNECT other.example:443 HTTP/1.1\r\n${H}\r\n`, { status: 405, seen: 0 }],
  ["TRACE", `TRACE /a HTTP/1.1\r\n${H}\r\n`, { status: 405, seen: 0 }],
  ["an unknown method", `FROB /a HTTP/1.1\r\n${H}\r\n`, REFUSED],
  [
    "length and chunks",
    `POST /a HTTP/1.1\r\n${H}Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
    REFUSED,
  ],
  [
    "chunks and length",
    `POST /a HTTP/1.1\r\n${H}Transfer-Encoding: chunked\r\nContent-Length: 5\r\n\r\n0\r\n\r\n`,
    REFUSED,
  ],
  [
    "two lengths",
    `POST /a HTTP/1.1\r\n${H}Content-Length: 5\r\nContent-Length: 6\r\n\r\nhello`,
    REFUSED,
  ],
  [
    "two equal lengths",
    `POST /a HTTP/1.1\r\n${H}Content-Length: 5\r\nContent-Length: 5\r\n\r\nhello`,
    REFUSED,
  ],
  ["a list of lengths", `POST /a HTTP/1.1\r\n${H}Content-Length: 5, 5\r\n\r\nhello`, REFUSED],
  [
    "leading zeros in the length",
    `POST /a HTTP/1.1\r\n${H}Content-Length: 005\r\n\r\nhello`,
    REFUSED,
  ],
  ["a signed length", `POST /a HTTP/1.1\r\n${H}Content-Length: +5\r\n\r\nhello`, REFUSED],
  ["a negative length", `POST /a HTTP/1.1\r\n${H}Content-Length: -5\r\n\r\nhello`, REFUSED],
  ["a length in hex", `POST /a HTTP/1.1\r\n${H}Content-Length: 0x5\r\n\r\nhello`, REFUSED],
  [
    "gzip before chunked",
    `POST /a HTTP/1.1\r\n${H}Transfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n`,
    REFUSED,
  ],
  [
    "a coding we do not know",
    `POST /a HTTP/1.1\r\n${H}Transfer-Encoding: xchunked\r\n\r\n0\r\n\r\n`,
    REFUSED,
  ],
  [
    "chunked in two headers",
    `POST /a HTTP/1.1\r\n${H}Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
    REFUSED,
  ],
  [
    "chunked in HTTP/1.0",
    `POST /a HTTP/1.0\r\n${H}Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
    REFUSED,
  ],
  [
    "a space before the colon of Transfer-Encoding",
    `POST /a HTTP/1.1\r\n${H}Transfer-Encoding : chunked\r\n\r\n0\r\n\r\n`,
    REFUSED,
  ],
  ["a space before a colon", `GET /a HTTP/1.1\r\n${H}X-A : b\r\n\r\n`, REFUSED],
  ["a folded header", `GET /a HTTP/1.1\r\n${H}X-A: b\r\n c\r\n\r\n`, REFUSED],
  ["a line that is no header", `GET /a HTTP/1.1\r\n${H}nonsense\r\n\r\n`, REFUSED],
  ["a header without a name", `GET /a HTTP/1.1\r\n${H}: b\r\n\r\n`, REFUSED],
  ["a null byte in a header", `GET /a HTTP/1.1\r\n${H}X-A: b\0c\r\n\r\n`, REFUSED],
  ["a bare carriage return in a header", `GET /a HTTP/1.1\r\n${H}X-A: b\rX-B: c\r\n\r\n`, REFUSED],
  ["an underscore alias", `GET /a HTTP/1.1\r\n${H}X_Turnpike_Tenant: ten_1\r\n\r\n`, REFUSED],
  ["two keys", `GET /a HTTP/1.1\r\n${H}X-Api-Key: a\r\nX-Api-Key: b\r\n\r\n`, REFUSED],
  [
    "two Authorizations",
    `GET /a HTTP/1.1\r\n${H}Authorization: a\r\nAuthorization: b\r\n\r\n`,
    REFUSED,
  ],
  [
    "an expectation with more around it",
    `POST /a HTTP/1.1\r\n${H}Expect: y 100-continue\r\nContent-Length: 5\r\n\r\nhello`,
    { status: 417, seen: 0 },
  ],
  [
    "an expectation we do not know",
    `POST /a HTTP/1.1\r\n${H}Expect: 200-ok\r\nContent-Length: 5\r\n\r\nhello`,
    { status: 417, seen: 0 },
  ],
  ["Connection naming Host", `GET /a HTTP/1.1\r\n${H}Connection: close, Host\r\n\r\n`, REFUSED],
  [
    "Connection naming our header",
    `GET /a HTTP/1.1\r\n${H}Connection: X-Turnpike-Tenant\r\n\r\n`,
    REFUSED,
  ],
  ["101 headers", `GET /a HTTP/1.1\r\n${H}${"A: b\r\n".repeat(100)}\r\n`, { status: 431, seen: 0 }],
  [
    "a head of 20 kB",
    `GET /a HTTP/1.1\r\n${H}A: ${"b".repeat(20_000)}\r\n\r\n`,
    { status: 431, seen: 0 },
  ],
  [
    "a head of 100 kB",
    `GET /a HTTP/1.1\r\n${H}A: ${"b".repeat(100_000)}\r\n\r\n`,
    { status: 431, seen: 0 },
  ],
  ["a loop", `GET /a HTTP/1.1\r\n${H}Via: 1.1 turnpike-bare\r\n\r\n`, { status: 508, seen: 0 }],
  ["a handshake of TLS", "\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n", REFUSED],
];

describe("raw requests", () => {
  it.each(CORPUS)("%s", async (_why, bytes, verdict) => {
    expect(await exchange(bytes)).toBe(verdict.status);
    expect(upstream.requests).toHaveLength(verdict.seen);
    expect(gateway.outcomes).toHaveLength(verdict.seen);
    const sentTarget = /^\s*\S+ (\S+)/.exec(bytes)?.[1];
    for (const request of upstream.requests) {
      expect(request.target).toBe(sentTarget);
    }
  });

  it("closes the connection after a refusal, so that bytes behind it are never read as a request", async () => {
    const connection = await openRawConnection(gateway.port);
    connection.write(
      `POST /a HTTP/1.1\r\n${H}Content-Length: 044\r\n\r\nGET /smuggled HTTP/1.1\r\n${H}\r\n`,
    );
    expect((await connection.readResponse()).status).toBe(400);
    expect((await connection.readToEnd()).bytes.toString()).toBe("");
    expect(upstream.requests).toEqual([]);
  });

  it("gives a good request its own answer when garbage follows it", async () => {
    const connection = await openRawConnection(gateway.port);
    connection.write(`GET /good HTTP/1.1\r\n${H}\r\nGARBAGE\r\n\r\n`);
    expect((await connection.readResponse()).status).toBe(200);
    await connection.readToEnd();
    expect(upstream.requests.map(({ target }) => target)).toEqual(["/good"]);
  });

  it("refuses bad chunks without forwarding a whole request", async () => {
    const connection = await openRawConnection(gateway.port);
    connection.write(
      `POST /a HTTP/1.1\r\n${H}Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\nZZ\r\n`,
    );
    expect((await connection.readResponse()).status).toBe(400);
    await connection.readToEnd();
    expect(upstream.requests).toEqual([]);
  });

  it("answers a good request before it refuses the bad one behind it", async () => {
    const waiting: ServerResponse[] = [];
    const slow = await startRecordingUpstream({
      onRequest: (req, res) => req.method === "GET" && waiting.push(res) > 0,
    });
    onTestFinished(() => slow.close());
    const behindSlow = await startBareGateway({ upstreams: [{ name: "main", url: slow.url }] });
    onTestFinished(() => behindSlow.close());
    const accepted = once(behindSlow.server, "connection");
    const connection = await openRawConnection(behindSlow.port);
    const [served] = await accepted;
    const good = `GET /good HTTP/1.1\r\n${H}\r\n`;
    const bad = `POST /bad HTTP/1.1\r\n${H}Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\nZZ\r\n`;
    connection.write(good);
    await pollUntil("the good one is with the upstream", () => waiting.length === 1);
    connection.write(bad);
    // It waits for its turn, which ends the connection.
    await pollUntil("the bad one is read", () => served.bytesRead === good.length + bad.length);
    expect(connection.socket.closed).toBe(false);
    waiting[0]?.end("good");
    expect((await connection.readResponse()).body.toString()).toBe("good");
    expect((await connection.readResponse()).status).toBe(400);
    await connection.readToEnd();
    expect(slow.requests).toEqual([]);
  });

  it("answers pipelined requests in order, each once", async () => {
    const connection = await openRawConnection(gateway.port);
    connection.write([1, 2, 3].map((n) => `GET /${n} HTTP/1.1\r\n${H}\r\n`).join(""));
    for (let n = 0; n < 3; n++) {
      expect((await connection.readResponse()).status).toBe(200);
    }
    connection.destroy();
    expect(upstream.requests.map(({ target }) => target).sort()).toEqual(["/1", "/2", "/3"]);
  });

  it("forwards a mutated request as the one it let through, or not at all", async () => {
    const seeds = CORPUS.filter(([, , verdict]) => verdict === PASSED).map(([, bytes]) => bytes);
    const mutation = fc.record({
      seed: fc.constantFrom(...seeds),
      at: fc.nat(400),
      kind: fc.constantFrom("insert", "delete", "replace", "repeat"),
      text: fc.constantFrom(
        "\r",
        "\n",
        "\r\n",
        " ",
        "\t",
        ":",
        "0",
        "\0",
        ";",
        ",",
        "%",
        "/",
        "\x7f",
        "\xff",
        "chunked",
        H,
      ),
    });
    await fc.assert(
      fc.asyncProperty(mutation, async ({ seed, at, kind, text }) => {
        upstream.requests.length = 0;
        gateway.outcomes.length = 0;
        const bytes = mutate({ seed: seed.replace(H, H + CLOSE), at, kind, text });
        const connection = await openRawConnection(gateway.port);
        // An incomplete request is the client's to finish; here the client gives up.
        connection.socket.end(bytes, "latin1");
        const { bytes: answer } = await connection.readToEnd();
        // A client that has left does not end its call: the outcome counts.
        await pollUntil("the call is over", () => gateway.proxy.activeCalls().get("main") === 0);
        // A mutation may cut the request in two: what is left behind it gets a 400 of its own.
        const answers = answer.toString("latin1").match(/HTTP\/1\.1 2\d\d/g) ?? [];
        const statuses = gateway.outcomes.filter((outcome) => outcome.kind === "status");
        expect(upstream.requests.length).toBe(statuses.length);
        expect(upstream.requests.length).toBeLessThanOrEqual(1);
        expect(answers.length).toBeLessThanOrEqual(1);
        for (const request of upstream.requests) {
          expect(bytes).toContain(request.target);
          expect(bytes).toContain(request.body.toString("latin1"));
        }
      }),
      { numRuns: IS_SOAK ? 30_000 : 300 },
    );
  });
});

function mutate(input: { seed: string; at: number; kind: string; text: string }): string {
  const at = input.at % (input.seed.length + 1);
  const before = input.seed.slice(0, at);
  const after = input.seed.slice(at);
  switch (input.kind) {
    case "insert":
      return before + input.text + after;
    case "delete":
      return before + after.slice(1);
    case "replace":
      return before + input.text + after.slice(input.text.length);
    default:
      return before + after.slice(0, 8) + after;
  }
}
