import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parseLogLine } from "./parse-log-line.ts";

const AT_MS = Date.UTC(2015, 4, 17, 10, 5, 3);
const auto = (text: string) => parseLogLine(text, { format: "auto" });
const combined = (request: string, rest = '200 512 "-" "curl/8"') =>
  `192.0.2.1 - - [17/May/2015:10:05:03 +0000] "${request}" ${rest}`;

describe("the common and the combined format", () => {
  it("are read field by field", () => {
    expect(auto(combined("GET /a?b=c HTTP/1.1"))).toEqual({
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
    [
      "a user with a blank",
      '::1 - ann b [17/May/2015:10:05:03 +0000] "GET / HTTP/1.1" 200 5',
      { client: "::1", user: "ann b" },
    ],
    [
      "a virtual host in front",
      'A.example:443 192.0.2.1 - ann [17/May/2015:10:05:03 +0000] "GET / HTTP/1.1" 200 5',
      { host: "a.example", client: "192.0.2.1", user: "ann" },
    ],
    ["a dash for the size", combined("HEAD / HTTP/1.1", "304 -"), { bytesOut: 0, status: 304 }],
    ["no version", combined("GET /old"), { target: "/old" }],
    ["a blank in the target", combined("GET /a b HTTP/1.1"), { target: "/a b" }],
    [
      "escapes of Apache",
      combined(String.raw`GET /a\"b\\c\x41\n HTTP/1.1`),
      { target: '/a"b\\cA\n' },
    ],
    [
      "a target in absolute form",
      combined("GET http://B.example:80/x HTTP/1.1"),
      { target: "/x", host: "b.example" },
    ],
    [
      "quotes in what follows",
      combined("GET / HTTP/1.1", String.raw`200 5 "-" "a \"b\""`),
      { bytesOut: 5 },
    ],
    [
      "a zone",
      '192.0.2.1 - - [17/May/2015:12:05:03 +0200] "GET / HTTP/1.1" 200 5',
      { epochMs: AT_MS },
    ],
    [
      "a zone behind UTC, over midnight",
      '192.0.2.1 - - [16/May/2015:23:35:03 -1030] "GET / HTTP/1.1" 200 5',
      { epochMs: AT_MS },
    ],
  ])("with %s", (_, text, expected) => {
    expect(auto(text)).toMatchObject({ request: expected });
  });

  it.each([
    ["nothing", "", "empty"],
    ["blanks", "  \t", "empty"],
    ["garbage", "hello", "not a line of the common"],
    ["half a line", combined("GET / HTTP/1.1").slice(0, 60), "not a line of the common"],
    ["a TLS greeting", combined(String.raw`\x16\x03\x01`, '400 226 "-" "-"'), "no method"],
    ["an empty request", combined("-", '408 0 "-" "-"'), "no method"],
    ["no status", combined("GET / HTTP/1.1", "000 0"), "status"],
    [
      "the 30th of February",
      '192.0.2.1 - - [30/Feb/2015:10:05:03 +0000] "GET / HTTP/1.1" 200 5',
      "time",
    ],
    [
      "a month between two",
      '192.0.2.1 - - [17/anF/2015:10:05:03 +0000] "GET / HTTP/1.1" 200 5',
      "time",
    ],
    ["a 25th hour", '192.0.2.1 - - [17/May/2015:25:05:03 +0000] "GET / HTTP/1.1" 200 5', "time"],
    [
      "a time of before 1970",
      '192.0.2.1 - - [31/Dec/1969:23:59:59 +0000] "GET / HTTP/1.1" 200 5',
      "time",
    ],
  ])("refuse %s, with the reason", (_, text, reason) => {
    expect(auto(text)).toEqual({ reason: expect.stringContaining(reason) });
  });
});

describe("JSON of nginx", () => {
  const line = {
    time_iso8601: "2015-05-17T10:05:03+00:00",
    remote_addr: "192.0.2.1",
    remote_user: "",
    host: "A.example",
    request: "POST /a?b HTTP/1.1",
    status: "201",
    body_bytes_sent: "512",
    content_length: "17",
    request_time: "0.125",
  };

  it("is read field by field, with numbers in quotes or without", () => {
    const expected = {
      request: {
        epochMs: AT_MS,
        method: "POST",
        target: "/a?b",
        status: 201,
        client: "192.0.2.1",
        user: undefined,
        host: "a.example",
        bytesIn: 17,
        bytesOut: 512,
        latencyMs: 125,
      },
    };
    expect(auto(JSON.stringify(line))).toEqual(expected);
    const numbers = { status: 201, body_bytes_sent: 512, content_length: 17, request_time: 0.125 };
    expect(auto(JSON.stringify({ ...line, ...numbers }))).toEqual(expected);
  });

  it.each([
    ["msec", { msec: "1431857103.000" }],
    ["time_local", { time_local: "17/May/2015:12:05:03 +0200" }],
    ["milliseconds", { time: AT_MS }],
    ["nanoseconds", { time: "1431857103000000000" }],
  ])("takes its time from %s", (_, time) => {
    expect(auto(JSON.stringify({ ...line, time_iso8601: undefined, ...time }))).toMatchObject({
      request: { epochMs: AT_MS },
    });
  });

  it("takes method and target where there is no request line, and names of the log's own", () => {
    const own = {
      http: { verb: "GET", code: 200 },
      request_uri: "/x",
      "at.time": "2015-05-17T10:05:03.250Z",
    };
    const names = { method: "http.verb", status: "http.code", time: "at.time" };
    expect(parseLogLine(JSON.stringify(own), { format: "nginx", names })).toMatchObject({
      request: { method: "GET", target: "/x", status: 200, epochMs: AT_MS + 250 },
    });
  });

  it.each([
    ["half a line", JSON.stringify(line).slice(0, 50), "not JSON"],
    ["an unquoted gap", '{"status":,"request":"GET / HTTP/1.1"}', "not JSON"],
    ["a line of another log", '{"level":"info","msg":"started"}', "no request"],
    ["no time", JSON.stringify({ ...line, time_iso8601: undefined }), "no time"],
    [
      "a time without a zone",
      JSON.stringify({ ...line, time_iso8601: "2015-05-17T10:05:03" }),
      "no time",
    ],
    ["no status", JSON.stringify({ ...line, status: "-" }), "no status"],
    ["a status with a fraction", JSON.stringify({ ...line, status: 200.5 }), "no status"],
  ])("refuses %s, with the reason", (_, text, reason) => {
    expect(auto(text)).toEqual({ reason: expect.stringContaining(reason) });
  });
});

describe("JSON of Caddy", () => {
  const line = {
    level: "info",
    ts: 1431857103.25,
    logger: "http.log.access.log0",
    msg: "handled request",
    request: {
      remote_ip: "192.0.2.1",
      client_ip: "2001:db8::1",
      method: "PUT",
      host: "a.example:8080",
      uri: "/a?b",
      headers: { "User-Agent": ["curl/8"] },
    },
    bytes_read: 17,
    user_id: "ann",
    duration: 0.125,
    size: 512,
    status: 204,
  };

  it("is read field by field", () => {
    expect(auto(JSON.stringify(line))).toEqual({
      request: {
        epochMs: AT_MS + 250,
        method: "PUT",
        target: "/a?b",
        status: 204,
        client: "2001:db8::1",
        user: "ann",
        host: "a.example",
        bytesIn: 17,
        bytesOut: 512,
        latencyMs: 125,
      },
    });
  });

  it.each([
    ["a time in words", { ts: "2015-05-17T10:05:03.250Z" }, { epochMs: AT_MS + 250 }],
    ["a duration in words", { duration: "1m2.5s" }, { latencyMs: 62_500 }],
    ["a duration in microseconds", { duration: "250µs" }, { latencyMs: 0.25 }],
    ["an answer whose status nobody set", { status: 0 }, { status: 200 }],
  ])("with %s", (_, more, expected) => {
    expect(auto(JSON.stringify({ ...line, ...more }))).toMatchObject({ request: expected });
  });

  it("is no log of nginx, nor the other way round, where the format was named", () => {
    expect(parseLogLine(JSON.stringify(line), { format: "nginx" })).toHaveProperty("reason");
    expect(parseLogLine(combined("GET / HTTP/1.1"), { format: "caddy" })).toHaveProperty("reason");
    expect(parseLogLine(JSON.stringify(line), { format: "combined" })).toHaveProperty("reason");
  });
});

describe("any text", () => {
  const pieces = fc.constantFrom(
    ...'[]"\\ -{}:/0'.split(""),
    "17/May/2015:10:05:03 +0000",
    "GET / HTTP/1.1",
    " 200 5",
    '"request":',
    '"status":200',
    "\\x1",
  );
  it("is a request in order or has a reason, and never throws", () => {
    const texts = fc.oneof(
      fc.string(),
      fc.array(pieces).map((all) => all.join("")),
    );
    const json = fc.jsonValue().map((value) => JSON.stringify({ request: value, ts: 1 }));
    fc.assert(
      fc.property(fc.oneof(texts, json), (text) => {
        const read = auto(text);
        if ("request" in read) {
          const { epochMs, status, bytesIn, bytesOut } = read.request;
          expect(epochMs).toBeGreaterThanOrEqual(0);
          expect(status).toBeGreaterThanOrEqual(100);
          expect(status).toBeLessThanOrEqual(599);
          expect([bytesIn, bytesOut].every(Number.isSafeInteger)).toBe(true);
        } else {
          expect(read.reason).not.toBe("");
        }
      }),
      { numRuns: 2_000 },
    );
  });

  it("gives back every request that is written down as a server does", () => {
    const path = fc.stringMatching(/^\/[\x21\x23-\x5b\x5d-\x7e]{0,40}$/);
    const at = fc.integer({ min: 0, max: Date.UTC(2100, 0, 1) / 1000 });
    const offset = fc.integer({ min: -12 * 60, max: 14 * 60 });
    fc.assert(
      fc.property(
        path,
        at,
        offset,
        fc.integer({ min: 100, max: 599 }),
        (target, seconds, minutes, status) => {
          const local = new Date(seconds * 1000 + minutes * 60_000);
          fc.pre(local.getTime() >= 0);
          const [, month, day, , time = ""] = local
            .toUTCString()
            .split(/,? /)
            .slice(0, 5) as string[];
          const two = (value: number) => String(value).padStart(2, "0");
          const zone = `${minutes < 0 ? "-" : "+"}${two(Math.floor(Math.abs(minutes) / 60))}${two(Math.abs(minutes) % 60)}`;
          const date = `${month}/${day}/${local.getUTCFullYear()}:${time} ${zone}`;
          expect(
            auto(`192.0.2.1 - - [${date}] "GET ${target} HTTP/1.1" ${status} 7`),
          ).toMatchObject({
            request: { epochMs: seconds * 1000, target, status },
          });
        },
      ),
    );
  });
});
