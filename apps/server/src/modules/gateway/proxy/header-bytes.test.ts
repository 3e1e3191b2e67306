import { once } from "node:events";
import { type AddressInfo, createServer, type Socket } from "node:net";
import { pollUntil } from "@turnpike/testkit/poll-until";
import { openRawConnection } from "@turnpike/testkit/raw-http";
import fc from "fast-check";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { type BareGateway, startBareGateway } from "../testing/bare-gateway.fixture.ts";

/** An upstream of bytes: what it was sent, and what it answers, both as Latin-1 so that each character is a byte. */
type ByteUpstream = { url: string; received: string; answer: string; close(): Promise<void> };

async function startByteUpstream(): Promise<ByteUpstream> {
  const sockets = new Set<Socket>();
  const server = createServer({ noDelay: true }, (socket) => {
    let head = "";
    sockets.add(socket);
    socket.on("error", () => undefined);
    socket.on("close", () => sockets.delete(socket));
    socket.on("data", (chunk: Buffer) => {
      head += chunk.toString("latin1");
      if (head.includes("\r\n\r\n")) {
        upstream.received = head;
        head = "";
        const endsByClose = !/^(?:content-length|transfer-encoding):/im.test(upstream.answer);
        socket.write(upstream.answer, "latin1");
        if (endsByClose) {
          socket.end();
        }
      }
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const upstream: ByteUpstream = {
    url: `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`,
    received: "",
    answer: "",
    async close() {
      for (const socket of sockets) {
        socket.destroy();
      }
      server.close();
      await once(server, "close");
    },
  };
  return upstream;
}

const UTF_8 = Buffer.from("中.pdf").toString("latin1");
const LATIN_1 = "caf\u00e9.pdf";

/** Lines that Node or undici treat in a way of their own, and some that they should not. */
const LINES: readonly string[] = [
  `Content-Disposition: attachment; filename="${UTF_8}"`,
  `Content-Disposition: attachment; filename="${LATIN_1}"`,
  `content-disposition: inline; filename="${UTF_8}"`,
  `Content-Disposition: attachment; filename="a.pdf"; filename*=UTF-8''%E4%B8%AD.pdf`,
  `X-Title: ${UTF_8}`,
  `X-Title: ${LATIN_1}`,
  "X-Bytes: \u0080\u00ff\ttab",
  "X-Empty:",
  "Date: Tue, 15 Nov 1994 08:12:31 GMT",
  "Server: \u00e9",
  `Location: /${UTF_8}`,
  `ETag: "${LATIN_1}"`,
  "eXPIRES: 0",
  "Age: 12",
  "Content-Type: text/plain; charset=\u00e9",
  "Content-Type: text/event-stream",
  `WWW-Authenticate: Basic realm="${LATIN_1}"`,
];
const REPEATED = [`Set-Cookie: a=${UTF_8}`, `set-cookie: b=${LATIN_1}`, "Link: </a>", "Link: </b>"];
const BODY = "u";
const FRAMINGS = {
  "a length": { line: "Content-Length: 1", body: BODY },
  chunks: { line: "Transfer-Encoding: chunked", body: `1\r\n${BODY}\r\n0\r\n\r\n` },
  "its end": { line: undefined, body: BODY },
} as const;

/** Every place at which the framing can be among the other lines. */
function* orders(lines: readonly string[], framing: string | undefined): Generator<string[]> {
  for (let at = 0; at <= (framing === undefined ? 0 : lines.length); at++) {
    yield [...lines.slice(0, at), ...(framing === undefined ? [] : [framing]), ...lines.slice(at)];
  }
}

/** The lines of a head without those that belong to one connection. */
function endToEnd(head: string, own: RegExp): string[] {
  return head.split("\r\n").filter((line) => line !== "" && !own.test(line));
}

let upstream: ByteUpstream;
let gateway: BareGateway;
beforeAll(async () => {
  upstream = await startByteUpstream();
  gateway = await startBareGateway({ upstreams: [{ name: "main", url: upstream.url }] });
});
afterAll(async () => {
  await gateway.close();
  await upstream.close();
});
beforeEach(() => {
  gateway.outcomes.length = 0;
});

type Answer = { statusLine: string; lines: string[]; body: string };

/** Calls with HTTP/1.1 or 1.0, and reads the bytes of the whole answer. */
async function call(version: "1.0" | "1.1"): Promise<Answer> {
  const connection = await openRawConnection(gateway.port);
  connection.write(`GET / HTTP/${version}\r\nHost: a\r\nConnection: close\r\n\r\n`);
  const { bytes } = await connection.readToEnd();
  const text = bytes.toString("latin1");
  const bodyAt = text.indexOf("\r\n\r\n") + 4;
  const [statusLine = "", ...lines] = text.slice(0, bodyAt - 4).split("\r\n");
  const body = text.slice(bodyAt);
  const isChunked = lines.some((line) => /^transfer-encoding: chunked$/i.test(line));
  return { statusLine, lines, body: isChunked ? readChunks(body) : body };
}

function readChunks(text: string): string {
  const size = Number.parseInt(text, 16);
  const from = text.indexOf("\r\n") + 2;
  return size === 0 ? "" : text.slice(from, from + size) + readChunks(text.slice(from + size + 2));
}

const CONNECTION = /^(?:connection|keep-alive|transfer-encoding|content-length):/i;

async function expectAsSent(input: {
  lines: readonly string[];
  version: "1.0" | "1.1";
  framing: (typeof FRAMINGS)[keyof typeof FRAMINGS];
}): Promise<void> {
  const { lines, version, framing } = input;
  const date = "Date: Tue, 15 Nov 1994 08:12:31 GMT";
  const dated = lines.some((line) => /^date:/i.test(line)) ? lines : [...lines, date];
  for (const head of orders(dated, framing.line)) {
    upstream.answer = `HTTP/1.1 200 OK\r\n${head.join("\r\n")}\r\n\r\n${framing.body}`;
    const answer = await call(version);
    expect(answer.statusLine).toBe("HTTP/1.1 200 OK");
    const sent = dated.map((line) => line.replace(/^([^:]+):$/, "$1: "));
    expect(answer.lines.filter((line) => !CONNECTION.test(line))).toEqual(sent);
    expect(answer.body).toBe(BODY);
    const length = answer.lines.filter((line) => /^content-length:/i.test(line));
    expect(length).toEqual(framing.line === "Content-Length: 1" ? [framing.line] : []);
  }
}

describe("an answer's header bytes", () => {
  describe.each(["1.1", "1.0"] as const)("for a client of HTTP/%s", (version) => {
    it.each(Object.entries(FRAMINGS))(
      "are passed on as sent, before and after what frames the body: %s",
      async (_name, framing) => {
        for (const line of LINES) {
          await expectAsSent({ lines: [line], version, framing });
        }
        await expectAsSent({ lines: [...REPEATED, ...LINES.slice(0, 3)], version, framing });
      },
    );
  });

  it("are passed on as sent, with any bytes", async () => {
    const byte = fc.integer({ min: 0x21, max: 0xff }).filter((code) => code !== 0x7f);
    const value = fc.array(byte, { maxLength: 20 }).map((codes) => String.fromCharCode(...codes));
    const name = fc.constantFrom("Content-Disposition", "X-Any", "Set-Cookie", "ETag", "Server");
    const line = fc.tuple(name, value).map(([header, text]) => `${header}: ${text}`);
    await fc.assert(
      fc.asyncProperty(
        fc.array(line, { minLength: 1, maxLength: 4 }),
        fc.constantFrom(...Object.values(FRAMINGS)),
        (lines, framing) => expectAsSent({ lines, version: "1.1", framing }),
      ),
      { numRuns: 30 },
    );
  });

  it("do not change when the head goes out long before the body", async () => {
    upstream.answer = `HTTP/1.1 200 OK\r\nX-Title: ${LATIN_1}\r\nTransfer-Encoding: chunked\r\n\r\n`;
    const connection = await openRawConnection(gateway.port);
    connection.write("GET / HTTP/1.1\r\nHost: a\r\n\r\n");
    expect(await connection.readUntil("\r\n\r\n")).toContain(`\r\nX-Title: ${LATIN_1}\r\n`);
    connection.destroy();
  });

  it("include those of the trailers and of the reason phrase", async () => {
    upstream.answer = `HTTP/1.1 200 ${LATIN_1}\r\nTransfer-Encoding: chunked\r\n\r\n0\r\nX-Sum: ${UTF_8}\r\n\r\n`;
    const connection = await openRawConnection(gateway.port);
    connection.write("GET / HTTP/1.1\r\nHost: a\r\nTE: trailers\r\nConnection: TE, close\r\n\r\n");
    const text = (await connection.readToEnd()).bytes.toString("latin1");
    expect(text).toMatch(new RegExp(`^HTTP/1\\.1 200 ${LATIN_1}\r\n`));
    expect(text).toMatch(new RegExp(`\r\n0\r\nX-Sum: ${UTF_8}\r\n\r\n$`));
  });

  it("include those of an answer to HEAD, which has no body", async () => {
    upstream.answer = `HTTP/1.1 200 OK\r\nContent-Length: 1\r\n${LINES[0]}\r\n\r\n`;
    const connection = await openRawConnection(gateway.port);
    connection.write("HEAD / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n");
    const text = (await connection.readToEnd()).bytes.toString("latin1");
    expect(text).toContain(`\r\n${LINES[0]}\r\n`);
    expect(text).toContain("\r\nContent-Length: 1\r\n");
  });

  it("end with the connection that they concern", async () => {
    upstream.answer =
      "HTTP/1.1 200 OK\r\nConnection: Upgrade, Keep-Alive, X-Hop\r\nUpgrade: h2,h2c\r\nKeep-Alive: timeout=5\r\nX-Hop: 1\r\nTrailer: X-Sum\r\nProxy-Authenticate: Basic\r\nContent-Length: 1\r\n\r\nu";
    const answer = await call("1.1");
    expect([answer.statusLine, answer.body]).toEqual(["HTTP/1.1 200 OK", "u"]);
    const names = answer.lines.map((line) => line.replace(/:.*/, "").toLowerCase());
    expect(names.sort()).toEqual(["connection", "content-length", "date"]);
  });

  it.each(["gzip, chunked", "gzip"])(
    "in a transfer coding that cannot be undone are a 502, not billed: %s",
    async (coding) => {
      upstream.answer = `HTTP/1.1 200 OK\r\nTransfer-Encoding: ${coding}\r\n\r\n1\r\nu\r\n0\r\n\r\n`;
      expect((await call("1.1")).statusLine).toBe("HTTP/1.1 502 Bad Gateway");
      expect(gateway.outcomes).toEqual([{ kind: "failed", code: "UPSTREAM_UNREACHABLE" }]);
    },
  );
});

describe("a request's header bytes", () => {
  const OWN =
    /^(?:host|connection|content-length|transfer-encoding|x-forwarded-\w+|forwarded|via|x-request-id):/i;

  it.each([
    ["no body", "GET", "", ""],
    ["a length", "POST", "Content-Length: 1", BODY],
    ["chunks", "POST", "Transfer-Encoding: chunked", `1\r\n${BODY}\r\n0\r\n\r\n`],
  ])("reach the upstream as sent, with %s", async (_why, method, framing, body) => {
    upstream.answer = "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n";
    const lines = [
      ...LINES.filter((line) => !/^content-type:/i.test(line)),
      "Content-Type: text/plain; charset=\u00e9",
      "X-Multi: 1",
      "x-multi: 2",
      `Cookie: a=${LATIN_1}`,
      `User-Agent: ${UTF_8}`,
      'If-None-Match: "\u00e9"',
      "Range: bytes=0-1",
    ];
    for (const head of orders(lines, framing === "" ? undefined : framing)) {
      const connection = await openRawConnection(gateway.port);
      connection.write(
        `${method} /a?b HTTP/1.1\r\nHost: a\r\n${head.join("\r\n")}\r\nConnection: close\r\n\r\n${body}`,
      );
      expect((await connection.readResponse()).status).toBe(200);
      connection.destroy();
      const [sent = ""] = upstream.received.split("\r\n\r\n");
      expect(endToEnd(sent, OWN)).toEqual([
        `${method} /a?b HTTP/1.1`,
        ...lines.map((line) => line.replace(/^([^:]+):$/, "$1: ")),
      ]);
    }
    await pollUntil("no call is under way", () => gateway.proxy.activeCalls().get("main") === 0);
  });
});
