import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parseJsonLine } from "./parse-json-line.ts";
import { parseLogLine } from "./parse-log-line.ts";

const AT_MS = Date.UTC(2015, 4, 17, 10, 5, 3);
const read = (line: object) => parseJsonLine(JSON.stringify(line));

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

  it("is read field by field, with numbers in quotes and without", () => {
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
    expect(read(line)).toEqual(expected);
    const numbers = { status: 201, body_bytes_sent: 512, content_length: 17, request_time: 0.125 };
    expect(read({ ...line, ...numbers })).toEqual(expected);
  });

  it.each([
    ["msec", { msec: "1431857103.000" }],
    ["time_local", { time_local: "17/May/2015:12:05:03 +0200" }],
    ["milliseconds", { time: AT_MS }],
    ["nanoseconds", { time: "1431857103000000000" }],
  ])("takes its time from %s", (_, time) => {
    expect(read({ ...line, time_iso8601: undefined, ...time })).toMatchObject({
      request: { epochMs: AT_MS },
    });
  });

  it("takes method and target without a request line, and fields by the names that the log gives them", () => {
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
    [
      "a name for an address",
      { remote_addr: "Client.example.net" },
      "client",
      "client.example.net",
    ],
    ["an address with its port", { remote_addr: "192.0.2.1:51234" }, "client", "192.0.2.1"],
    ["a socket of the machine", { remote_addr: "unix:" }, "client", undefined],
    ["no client", { remote_addr: "" }, "client", undefined],
    ["a user with a blank and quotes", { remote_user: 'a "b" c' }, "user", 'a "b" c'],
    ["a user that is a number", { remote_user: 42 }, "user", "42"],
    ["a dash for the user", { remote_user: "-" }, "user", undefined],
    ["no user", { remote_user: null }, "user", undefined],
    ["a host with a port", { host: "[2001:DB8::1]:443" }, "host", "2001:db8::1"],
    [
      "no host, and a target in absolute form",
      { host: "", request: "GET http://b.example/ HTTP/1.1" },
      "host",
      "b.example",
    ],
    ["a dash for the size", { body_bytes_sent: "-" }, "bytesOut", 0],
    ["HTTP/2", { request: "GET /x HTTP/2.0" }, "target", "/x"],
  ])("reads %s", (_, more, field, expected) => {
    expect(read({ ...line, ...more })).toHaveProperty(["request", field], expected);
  });

  it("is refused without a field that was named for it, so that no rule is asked about it in vain", () => {
    const json = JSON.stringify(line);
    for (const names of [{ user: "login" }, { client: "http.from" }, { bytesOut: "sent" }]) {
      const [name] = Object.values(names);
      expect(parseLogLine(json, { format: "auto", names })).toEqual({
        reason: `no field ${String(name)} in it`,
      });
    }
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
    ["a mistyped client", JSON.stringify({ ...line, remote_addr: "192.0.2.256" }), "its client"],
    ["a list of clients", JSON.stringify({ ...line, remote_addr: "192.0.2.1, ::1" }), "its client"],
    ["a client that is an object", JSON.stringify({ ...line, remote_addr: {} }), "its client"],
    ["a host that is no name", JSON.stringify({ ...line, host: "a/b" }), "its host"],
    ["a user that is a list", JSON.stringify({ ...line, remote_user: ["ann"] }), "its user"],
    ["a size in words", JSON.stringify({ ...line, body_bytes_sent: "much" }), "its size"],
    ["a negative size", JSON.stringify({ ...line, content_length: -1 }), "its size"],
    ["a request without a target", JSON.stringify({ ...line, request: "GET" }), "no request"],
    ["an empty request", JSON.stringify({ ...line, request: "" }), "no request"],
  ])("refuses %s, with the reason", (_, text, reason) => {
    expect(parseJsonLine(text)).toEqual({ reason: expect.stringContaining(reason) });
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
    expect(read(line)).toEqual({
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
    ["an answer whose handler set no status", { status: 0 }, { status: 200 }],
  ])("with %s", (_, more, expected) => {
    expect(read({ ...line, ...more })).toMatchObject({ request: expected });
  });

  it.each([
    ["a missing uri", { request: { ...line.request, uri: undefined } }, "no method and uri"],
    ["a uri without its slash", { request: { ...line.request, uri: "a" } }, "no method and uri"],
    ["a method with a blank", { request: { ...line.request, method: "G T" } }, "no method and uri"],
    ["a client that is no address", { request: { ...line.request, client_ip: "?" } }, "client"],
    ["a host that is no name", { request: { ...line.request, host: "a b" } }, "host"],
    ["a user that is an object", { user_id: { name: "ann" } }, "user"],
    ["a size in words", { size: "much" }, "size"],
  ])("is refused with %s", (_, more, reason) => {
    expect(read({ ...line, ...more })).toEqual({ reason: expect.stringContaining(reason) });
  });

  it("is refused as a log of nginx, and other formats are refused as Caddy's", () => {
    const json = JSON.stringify(line);
    const combined = '192.0.2.1 - - [17/May/2015:10:05:03 +0000] "GET / HTTP/1.1" 200 5';
    expect(parseLogLine(json, { format: "nginx" })).toHaveProperty("reason");
    expect(parseLogLine(combined, { format: "caddy" })).toHaveProperty("reason");
    expect(parseLogLine(json, { format: "combined" })).toHaveProperty("reason");
  });
});

describe("any call", () => {
  const octet = fc.nat(255);
  const text = fc.string({ unit: "binary", minLength: 1, maxLength: 12 });
  const call = fc.record({
    second: fc.integer({ min: 0, max: Date.UTC(2100, 0, 1) / 1000 }),
    client: fc.oneof(
      fc.tuple(octet, octet, octet, octet).map((octets) => octets.join(".")),
      fc.constantFrom("2001:db8::1", "client.example.net"),
    ),
    user: text.filter((user) => !["-", '""'].includes(user)),
    host: fc.constantFrom("api.example.com", "::1", "192.0.2.9", undefined),
    method: fc.constantFrom("GET", "POST", "X-CUSTOM"),
    target: text.map((path) => `/${path}`),
    status: fc.integer({ min: 100, max: 599 }),
    bytesIn: fc.nat(),
    bytesOut: fc.nat(),
  });
  type Call = typeof call extends fc.Arbitrary<infer Value> ? Value : never;
  const toHost = (host: string | undefined) =>
    host?.includes(":") ? `[${host}]:80` : (host ?? "");
  const toIso = (second: number) =>
    new Date(second * 1000).toISOString().replace(".000Z", "+00:00");

  const nginx = (written: Call) => ({
    time_iso8601: toIso(written.second),
    remote_addr: written.client,
    remote_user: written.user,
    host: toHost(written.host),
    request: `${written.method} ${written.target} HTTP/1.1`,
    status: String(written.status),
    content_length: String(written.bytesIn),
    body_bytes_sent: String(written.bytesOut),
  });
  const nginxVariables = (written: Call) => ({
    msec: `${String(written.second)}.000`,
    remote_addr: written.client,
    remote_user: written.user,
    http_host: toHost(written.host),
    request_method: written.method,
    request_uri: written.target,
    status: written.status,
    content_length: written.bytesIn,
    body_bytes_sent: written.bytesOut,
  });
  const caddy = (written: Call) => ({
    ts: written.second,
    request: {
      remote_ip: "192.0.2.254",
      client_ip: written.client,
      method: written.method,
      host: toHost(written.host),
      uri: written.target,
    },
    user_id: written.user,
    status: written.status,
    bytes_read: written.bytesIn,
    size: written.bytesOut,
  });

  it.each([
    ["nginx", nginx],
    ["nginx, by single variables", nginxVariables],
    ["Caddy", caddy],
  ])("is read as %s writes it", (_, write) => {
    fc.assert(
      fc.property(call, (written) => {
        const { second, ...rest } = written;
        expect(read(write(written))).toEqual({
          request: { ...rest, epochMs: second * 1000, latencyMs: undefined },
        });
      }),
      { numRuns: 500 },
    );
  });

  it.each([
    [
      "nginx",
      nginx,
      ["remote_addr", "host", "request", "status", "time_iso8601", "body_bytes_sent"],
    ],
    ["Caddy", caddy, ["client_ip", "host", "method", "uri", "status", "ts", "size"]],
  ])("of %s with a field that does not read as what it must be is refused", (_, write, fields) => {
    const damage = fc.constantFrom("(", " ", "\\", [], {}, true);
    fc.assert(
      fc.property(call, damage, fc.constantFrom(...fields), (written, value, field) => {
        const line = JSON.stringify(write(written), (name, own: unknown) =>
          name === field ? value : own,
        );
        expect(parseJsonLine(line)).toHaveProperty("reason");
      }),
      { numRuns: 1_000 },
    );
  });
});
