import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parseCombinedLine } from "./parse-combined-line.ts";

const AT_MS = Date.UTC(2026, 10, 20, 10, 0, 0);
const TIME = "20/Nov/2026:10:00:00 +0000";
const by = (caller: string) => parseCombinedLine(`${caller} [${TIME}] "GET / HTTP/1.1" 200 5`);
const asked = (request: string, rest = '200 512 "-" "curl/8"') =>
  parseCombinedLine(`192.0.2.1 - - [${TIME}] "${request}" ${rest}`);
const at = (time: string) =>
  parseCombinedLine(`192.0.2.1 - - [${time}] "GET / HTTP/1.1" 200 5 "-" "curl/8"`);
const refused = (reason: string) => ({ reason: expect.stringContaining(reason) });

describe("a line of the common or combined format", () => {
  it("is read field by field", () => {
    expect(asked("GET /a?b=c HTTP/1.1")).toEqual({
      request: {
        epochMs: AT_MS,
        method: "GET",
        target: "/a?b=c",
        status: 200,
        client: "192.0.2.1",
        user: undefined,
        host: undefined,
        bytesIn: 0,
        bytesOut: 512,
        latencyMs: undefined,
      },
    });
  });

  it.each([
    ["192.0.2.1 - -", { client: "192.0.2.1" }],
    ["192.0.2.1 - ann", { client: "192.0.2.1", user: "ann" }],
    ["::1 - ann b", { client: "::1", user: "ann b" }],
    ["192.0.2.1 bob ann", { client: "192.0.2.1", user: "ann" }],
    ["192.0.2.1 bob ann b", { client: "192.0.2.1", user: "ann b" }],
    ["192.0.2.1:51234 - ann", { client: "192.0.2.1", user: "ann" }],
    ["[2001:DB8::1] - -", { client: "2001:db8::1" }],
    ["[2001:db8::1]:51234 - -", { client: "2001:db8::1" }],
    ["fe80::1%eth0 - -", { client: "fe80::1" }],
    ["Client.example.net - ann", { client: "client.example.net", user: "ann" }],
    ["- - ann", { user: "ann" }],
    ["unix: - ann", { user: "ann" }],
    ['192.0.2.1 - ""', { client: "192.0.2.1" }],
    ["192.0.2.1 - ", { client: "192.0.2.1" }],
    ["192.0.2.1 - a[b", { client: "192.0.2.1", user: "a[b" }],
    ["192.0.2.1 - a]b [c] d", { client: "192.0.2.1", user: "a]b [c] d" }],
    ["192.0.2.1 - ann [20/Nov]", { client: "192.0.2.1", user: "ann [20/Nov]" }],
    [String.raw`192.0.2.1 - a\"b\\c\x20d`, { client: "192.0.2.1", user: String.raw`a"b\c d` }],
    [String.raw`192.0.2.1 - \xc3\xa9\xe2\x82\xac`, { user: "é€" }],
    [String.raw`192.0.2.1 - \xe9t\xe9`, { user: "été" }],
    ['192.0.2.1 - a"b', { user: 'a"b' }],
  ])("without a virtual host, from %s", (caller, expected) => {
    const unknown = { client: undefined, user: undefined, host: undefined };
    const { request } = { request: undefined, ...by(caller) };
    expect({ ...unknown, ...request }).toMatchObject({ host: undefined, ...expected });
  });

  it.each([
    ["api.example.com 192.0.2.7 - ann", "api.example.com", "192.0.2.7", "ann"],
    ["api.example.com 192.0.2.7 - -", "api.example.com", "192.0.2.7", undefined],
    ["API.example.com. 192.0.2.7 - ann b", "api.example.com", "192.0.2.7", "ann b"],
    ["api.example.com:443 192.0.2.7 - ann", "api.example.com", "192.0.2.7", "ann"],
    ["api.example.com:443 192.0.2.7 bob ann", "api.example.com", "192.0.2.7", "ann"],
    ["api.example.com 2001:db8::7 - ann", "api.example.com", "2001:db8::7", "ann"],
    ["api.example.com [2001:db8::7] - ann", "api.example.com", "2001:db8::7", "ann"],
    ["api.example.com client.example.net - ann", "api.example.com", "client.example.net", "ann"],
    ["api.example.com localhost - ann", "api.example.com", "localhost", "ann"],
    ["api 192.0.2.7 - a[b", "api", "192.0.2.7", "a[b"],
    ["_ 192.0.2.7 - -", "_", "192.0.2.7", undefined],
    ["- 192.0.2.7 - ann", undefined, "192.0.2.7", "ann"],
    ["api.example.com:443 - - ann", "api.example.com", undefined, "ann"],
    ["[::1]:443 192.0.2.9 - -", "::1", "192.0.2.9", undefined],
    ["[::1] 192.0.2.9 - ann", "::1", "192.0.2.9", "ann"],
    ["192.0.2.1:443 192.0.2.9 - ann", "192.0.2.1", "192.0.2.9", "ann"],
    ["bücher.example 192.0.2.9 - ann", "bücher.example", "192.0.2.9", "ann"],
  ])("with a virtual host, from %s", (caller, host, client, user) => {
    expect(by(caller)).toMatchObject({ request: { host, client, user } });
  });

  it.each([
    ["GET / HTTP/2.0", { target: "/" }],
    ["GET / HTTP/3", { target: "/" }],
    ["GET /old", { target: "/old" }],
    ["GET /a b HTTP/1.1", { target: "/a b" }],
    ["OPTIONS * HTTP/1.1", { method: "OPTIONS", target: "*" }],
    ["CONNECT b.example:443 HTTP/1.1", { target: "b.example:443", host: "b.example" }],
    ["GET http://B.example:80/x HTTP/1.1", { target: "/x", host: "b.example" }],
    ["GET https://[::1]?q HTTP/1.1", { target: "/?q", host: "::1" }],
    [String.raw`GET /a\"b\\c\x41\n HTTP/1.1`, { target: '/a"b\\cA\n' }],
    [String.raw`GET /caf\xc3\xa9 HTTP/1.1`, { target: "/café" }],
    [String.raw`GET /caf\xe9 HTTP/1.1`, { target: "/café" }],
  ])("with the request %s", (request, expected) => {
    expect(asked(request)).toMatchObject({ request: expected });
  });

  it.each([
    ["304 -", { status: 304, bytesOut: 0 }],
    [String.raw`200 5 "-" "a \"b\""`, { bytesOut: 5 }],
    [`200 5 "-" "it was [${TIME}]"`, { bytesOut: 5 }],
    [String.raw`200 5 "-" "- - [${TIME}] \"GET / HTTP/1.1\" 200 5"`, { bytesOut: 5 }],
  ])("with %s at its end", (rest, expected) => {
    expect(asked("GET / HTTP/1.1", rest)).toMatchObject({ request: expected });
  });

  it.each(["20/Nov/2026:12:00:00 +0200", "19/Nov/2026:23:30:00 -1030"])("at %s", (time) => {
    expect(at(time)).toMatchObject({ request: { epochMs: AT_MS } });
  });
});

describe("a field that does not read as what it must be", () => {
  it.each([
    ["too few fields", "192.0.2.1 -"],
    ["no client", "- ann"],
    ["no client after a host with a port", "api.example.com:443 - ann"],
    ["no client, and a user with a blank", "api.example.com:443 - ann b"],
    ["a virtual host without a client", "api.example.com - - ann"],
    ["a user who could be a client's next field", "192.0.2.1 - - ann"],
    ["the same after a virtual host", "api.example.com 192.0.2.7 - - ann"],
    ["a mistyped address", "192.0.2.256 - ann"],
    ["a mistyped address after a virtual host", "api.example.com 192.0.2.256 - ann"],
    ["an address without its end", "192.0.2 - ann"],
    ["an address with one colon too many", "2001:db8::1::2 - ann"],
    ["an address with an impossible port", "192.0.2.1:70000 - ann"],
    ["an open bracket", "[2001:db8::1 - ann"],
    ["a name in brackets", "[api.example.com]:443 192.0.2.7 - ann"],
    ["a host name with a port as the client", "api.example.com client.example.net:80 - ann"],
    ["a host name as the identity", "api.example.com client.example.net bob ann"],
    ["a single word as the client after a virtual host", "api.example.com host7 - ann"],
    ["an empty field", "api.example.com  - ann"],
    ["a list of forwarded addresses", "192.0.2.7, 198.51.100.1 10.0.0.1 - ann"],
    ["an address between client and user", "api.example.com 192.0.2.7 10.0.0.1 - ann"],
  ])("is a bad line: %s", (_, caller) => {
    expect(by(caller)).toEqual(refused("does not read as client, identity and user"));
  });

  it("is a bad line when either of two addresses could be the client's", () => {
    expect(by("198.51.100.7 10.0.0.1 - ann")).toEqual(refused("two addresses"));
    expect(by("198.51.100.7 10.0.0.1 ann")).toEqual(refused("two addresses"));
    expect(by("2001:db8::1 10.0.0.1 - ann")).toEqual(refused("two addresses"));
    expect(by("198.51.100.7 client.example.net - ann")).toEqual(refused("two addresses"));
  });

  it("is a bad line when a client forged a second time", () => {
    const forged = by(`192.0.2.1 - ann [${TIME}] "GET /b HTTP/1.1" 200 5 "-" "-" x`);
    expect(forged).toEqual(refused("two times"));
    expect(by(`192.0.2.1 - ann [${TIME}]`)).toEqual(refused("two times"));
  });

  it.each([
    ["garbage", "hello", "not a line"],
    ["half a line", `192.0.2.1 - - [${TIME}] "GET / HTTP`, "not a line"],
    ["a line without its size", `192.0.2.1 - - [${TIME}] "GET / HTTP/1.1" 200`, "not a line"],
    ["a line without its time", '192.0.2.1 - - "GET / HTTP/1.1" 200 5', "not a line"],
    ["nothing before its time", ` [${TIME}] "GET / HTTP/1.1" 200 5`, "does not read as client"],
  ])("is a bad line: %s", (_, line, reason) => {
    expect(parseCombinedLine(line)).toEqual(refused(reason));
  });

  it.each([
    ["a TLS greeting", String.raw`\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03`],
    ["a request that never came", "-"],
    ["an empty request", ""],
    ["a method alone", "GET"],
    ["a target without its slash", "GET a HTTP/1.1"],
    ["a star for another method", "GET * HTTP/1.1"],
    ["a blank in the target without a version", "GET /a b"],
    ["an unknown version", "GET / HTTP/1.x"],
    ["another protocol", "GET / RTSP/1.0"],
    ["a URL without a host", "GET http:///x HTTP/1.1"],
    ["a URL of another scheme", "GET ftp://a.example/x HTTP/1.1"],
    ["a blank before the method", " GET / HTTP/1.1"],
  ])("is a bad line: %s", (_, request) => {
    expect(asked(request)).toEqual(refused("no method and target"));
  });

  it.each([
    ["000 0", "status"],
    ["600 0", "status"],
    ["20 0", "status"],
    ["abc 0", "status"],
    ["200 x", "size"],
    ["200 -1", "size"],
    ["200 1.5", "size"],
  ])("is a bad line: status and size %s", (rest, reason) => {
    expect(asked("GET / HTTP/1.1", rest)).toEqual(refused(reason));
  });

  it.each([
    "30/Feb/2026:10:00:00 +0000",
    "17/anF/2026:10:00:00 +0000",
    "20/Nov/2026:25:00:00 +0000",
    "20/Nov/2026:10:00:00 +9900",
    "31/Dec/1969:23:59:59 +0000",
    "20/Nov/2026 10:00:00 +0000",
    "20/Nov/2026:10:00:00",
    "2026-11-20T10:00:00Z",
    "",
  ])("is a bad line: the time %s", (time) => {
    expect(at(time)).toEqual(refused("its time"));
  });
});

describe("any call", () => {
  const octet = fc.nat(255);
  const ipv4 = fc.tuple(octet, octet, octet, octet).map((octets) => octets.join("."));
  const ipv6 = fc
    .array(fc.nat(0xffff), { minLength: 8, maxLength: 8 })
    .map((groups) => groups.map((group) => (group + 1).toString(16).slice(0, 4)).join(":"));
  const label = fc.stringMatching(/^[a-z][a-z0-9-]{0,8}[a-z]$/);
  const name = fc.tuple(label, label).map((labels) => labels.join("."));
  const client = fc.oneof(ipv4, ipv6, name);
  const user = fc
    .oneof(
      fc.string({ unit: "binary", minLength: 1, maxLength: 12 }),
      fc.string({ unit: fc.constantFrom(...'ann[]"\\- :.é€'.split("")), minLength: 1 }),
      client,
    )
    .filter(
      (text) =>
        !(["-", '""'].includes(text) || text.startsWith("- ") || /[\ud800-\udfff]/.test(text)),
    );
  const call = fc.record({
    client,
    user: fc.option(user, { nil: undefined }),
    second: fc.integer({ min: 0, max: Date.UTC(2100, 0, 1) / 1000 }),
    offsetMinutes: fc.integer({ min: -12 * 60, max: 14 * 60 }),
    method: fc.constantFrom("GET", "POST", "PROPFIND", "X-CUSTOM"),
    target: fc
      .string({ unit: "binary", maxLength: 20 })
      .filter((text) => !/[\ud800-\udfff]/.test(text))
      .map((text) => `/${text}`),
    status: fc.integer({ min: 100, max: 599 }),
    size: fc.nat(),
    agent: fc.string({ unit: "binary", maxLength: 20 }),
  });
  type Call = typeof call extends fc.Arbitrary<infer Value> ? Value : never;

  const hex = (byte: number) => `\\x${byte.toString(16).padStart(2, "0")}`;
  const toBytes = (text: string) =>
    encodeURIComponent(text.toWellFormed())
      .split(/(%[\dA-F]{2})/)
      .flatMap((piece) =>
        piece.startsWith("%")
          ? [Number.parseInt(piece.slice(1), 16)]
          : [...piece].map((char) => char.charCodeAt(0)),
      );
  /** As Apache 2.4 escapes what clients send. */
  const apache = (text: string) =>
    toBytes(text)
      .map((byte) => {
        const char = String.fromCharCode(byte);
        if (char === '"' || char === "\\") {
          return `\\${char}`;
        }
        const control = "\b\n\r\t\v".indexOf(char);
        return control >= 0
          ? `\\${"bnrtv"[control] ?? ""}`
          : byte < 0x20 || byte > 0x7e
            ? hex(byte)
            : char;
      })
      .join("");
  /** As nginx escapes by default. */
  const nginx = (text: string) =>
    toBytes(text)
      .map((byte) =>
        byte < 0x20 || byte > 0x7e || byte === 0x22 || byte === 0x5c
          ? hex(byte)
          : String.fromCharCode(byte),
      )
      .join("");
  const two = (value: number) => String(value).padStart(2, "0");
  const toTime = ({ second, offsetMinutes }: Call) => {
    const local = new Date(second * 1000 + offsetMinutes * 60_000).toISOString();
    const month = "Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec".split(" ")[
      Number(local.slice(5, 7)) - 1
    ];
    const minutes = Math.abs(offsetMinutes);
    const zone = `${offsetMinutes < 0 ? "-" : "+"}${two(Math.floor(minutes / 60))}${two(minutes % 60)}`;
    return `${local.slice(8, 10)}/${String(month)}/${local.slice(0, 4)}:${local.slice(11, 19)} ${zone}`;
  };
  const formats = fc.record({
    escaped: fc.constantFrom(apache, nginx),
    isCombined: fc.boolean(),
    virtualHost: fc.constantFrom("none", "name", "port", "ipv4", "ipv6"),
    version: fc.constantFrom("1.0", "1.1", "2.0", "3"),
    name,
    ipv4,
    ipv6,
  });
  type Format = typeof formats extends fc.Arbitrary<infer Value> ? Value : never;

  function toHost({ virtualHost, name: host, ipv4: v4, ipv6: v6 }: Format) {
    const hosts = {
      none: ["", undefined],
      name: [`${host} `, host],
      port: [`${host}:8443 `, host],
      ipv4: [`${v4}:80 `, v4],
      ipv6: [`[${v6}]:80 `, v6],
    } as const;
    return hosts[virtualHost as keyof typeof hosts];
  }

  function write(
    written: Call,
    format: Format,
    mutate: (fields: string[]) => string[] = (it) => it,
  ) {
    const [host] = toHost(format);
    const { escaped } = format;
    const fields = mutate([
      host.trimEnd(),
      written.client,
      "-",
      written.user === undefined ? "-" : escaped(written.user),
      `[${toTime(written)}]`,
      `"${written.method} ${escaped(written.target)} HTTP/${format.version}"`,
      String(written.status),
      String(written.size),
      ...(format.isCombined ? ['"-"', `"${escaped(written.agent.trim())}"`] : []),
    ]);
    return fields.slice(host === "" ? 1 : 0).join(" ");
  }

  it("reads the same from every format that a server writes it in", () => {
    fc.assert(
      fc.property(call, formats, (written, format) => {
        fc.pre(written.second * 1000 + written.offsetMinutes * 60_000 >= 0);
        expect(parseCombinedLine(write(written, format))).toEqual({
          request: {
            epochMs: written.second * 1000,
            method: written.method,
            target: written.target,
            status: written.status,
            client: written.client,
            user: written.user,
            host: toHost(format)[1],
            bytesIn: 0,
            bytesOut: written.size,
            latencyMs: undefined,
          },
        });
      }),
      { numRuns: 2_000 },
    );
  });

  const toCaller = (line: string) => {
    const read = parseCombinedLine(line);
    return "reason" in read
      ? undefined
      : { client: read.request.client, user: read.request.user, host: read.request.host };
  };

  it("with a damaged field is refused, or keeps its owner", () => {
    const damage = fc.constantFrom<(text: string) => string>(
      (text) => text.slice(1),
      (text) => text.slice(0, -1),
      (text) => `${text} ${text}`,
      () => "",
      () => "%",
      (text) => `[${text}`,
      (text) => `"${text}`,
      (text) => text.replace(/\d/, "x"),
    );
    const field = fc.constantFrom(2, 4, 5, 6, 7);
    fc.assert(
      fc.property(call, formats, damage, field, (written, format, damaged, at) => {
        fc.pre(written.second * 1000 + written.offsetMinutes * 60_000 >= 0);
        const line = write(written, format, (all) => all.with(at, damaged(all[at] ?? "")));
        const { client: from, user: by } = written;
        expect([undefined, { client: from, user: by, host: toHost(format)[1] }]).toContainEqual(
          toCaller(line),
        );
      }),
      { numRuns: 3_000 },
    );
  });

  it("with a host or client that is neither an address nor a name is refused", () => {
    const damage = fc.constantFrom<(text: string) => string>(
      () => "",
      () => "%",
      () => "1.2.3",
      (text) => `[${text}`,
      (text) => `"${text}`,
      (text) => `${text},`,
      (text) => `${text}:x`,
      (text) => `${text}/`,
    );
    fc.assert(
      fc.property(call, formats, damage, fc.constantFrom(0, 1), (written, format, damaged, at) => {
        fc.pre(written.second * 1000 + written.offsetMinutes * 60_000 >= 0);
        fc.pre(format.virtualHost !== "none" || at !== 0);
        const line = write(written, format, (all) => all.with(at, damaged(all[at] ?? "")));
        expect(toCaller(line)).toBeUndefined();
      }),
      { numRuns: 2_000 },
    );
  });
});
