import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { inspectRequest, isAmbiguousPath } from "./request-gate.ts";

const options = { keyHeaderNames: ["x-api-key"], viaPseudonym: "turnpike-a1b2c3" };

function inspect(
  headers: readonly [string, string][],
  line: { method?: string; url?: string; httpVersion?: string } = {},
) {
  return inspectRequest(
    { method: "GET", url: "/", httpVersion: "1.1", ...line, rawHeaders: headers.flat() },
    options,
  );
}

const HOST: [string, string] = ["Host", "api.example.com"];

describe("inspectRequest", () => {
  it("lets everyday requests through", () => {
    const everyday: [string, string][] = [
      HOST,
      ["User-Agent", "curl/8"],
      ["Accept", "*/*"],
      ["Connection", "keep-alive"],
      ["Authorization", "Bearer tp_live_x"],
      ["X-Api-Key", "tp_live_x"],
      ["Content-Type", "application/json"],
      ["Content-Length", "0"],
      ["Via", "1.1 varnish"],
    ];
    expect(
      inspect(everyday, { method: "POST", url: "//favicon.ico?a=\"{}|^`<>'" }),
    ).toBeUndefined();
    expect(inspect([["host", "[::1]:3001"]], { httpVersion: "1.0" })).toBeUndefined();
    expect(inspect([], { httpVersion: "1.0" })).toBeUndefined();
    expect(inspect([HOST, ["session_id", "1"], ["api_version", "2"]])).toBeUndefined();
    expect(inspect([HOST, ["Transfer-Encoding", "Chunked"]], { method: "POST" })).toBeUndefined();
    expect(inspect([HOST, ["Expect", "100-Continue"]], { method: "POST" })).toBeUndefined();
    const upgrade: [string, string] = ["Connection", "Upgrade, HTTP2-Settings"];
    for (const offer of ["WebSocket", "h2c", "TLS/1.0", "h2c, websocket", ""]) {
      expect(inspect([HOST, ["Upgrade", offer], upgrade], { method: "POST" })).toBeUndefined();
    }
  });

  it.each<[string, number, [string, string][], Parameters<typeof inspect>[1]?]>([
    ["a method that opens a tunnel", 405, [HOST], { method: "CONNECT" }],
    ["a method that mirrors headers", 405, [HOST], { method: "TRACE" }],
    ["HTTP/0.9", 400, [HOST], { httpVersion: "0.9" }],
    ["HTTP/2 spoken as text", 400, [HOST], { httpVersion: "2.0" }],
    ["an absolute target", 400, [HOST], { url: "http://other.example/" }],
    ["an authority as target", 400, [HOST], { url: "other.example:443" }],
    ["an asterisk as target", 400, [HOST], { method: "OPTIONS", url: "*" }],
    ["a backslash in the target", 400, [HOST], { url: "/a\\b" }],
    ["a fragment in the target", 400, [HOST], { url: "/a#b" }],
    ["a control character in the target", 400, [HOST], { url: "/a\u0001" }],
    ["a delete character in the target", 400, [HOST], { url: "/a\u007f" }],
    ["a non-ASCII byte in the target", 400, [HOST], { url: "/a\u00e9" }],
    ["no Host", 400, []],
    ["two Hosts", 400, [HOST, ["host", "other.example"]]],
    ["an empty Host", 400, [["Host", ""]]],
    ["a list as Host", 400, [["Host", "a.example, b.example"]]],
    ["a user in Host", 400, [["Host", "user@a.example"]]],
    ["a path in Host", 400, [["Host", "a.example/b"]]],
    [
      "Transfer-Encoding in HTTP/1.0",
      400,
      [HOST, ["Transfer-Encoding", "chunked"]],
      { httpVersion: "1.0" },
    ],
    ["a second transfer coding", 400, [HOST, ["Transfer-Encoding", "gzip, chunked"]]],
    ["the identity coding", 400, [HOST, ["Transfer-Encoding", "identity"]]],
    [
      "chunked twice",
      400,
      [HOST, ["Transfer-Encoding", "chunked"], ["transfer-encoding", "chunked"]],
    ],
    ["length and chunks", 400, [HOST, ["Content-Length", "5"], ["Transfer-Encoding", "chunked"]]],
    ["a length with leading zeros", 400, [HOST, ["Content-Length", "05"]]],
    ["a signed length", 400, [HOST, ["Content-Length", "+5"]]],
    ["an empty length", 400, [HOST, ["Content-Length", ""]]],
    ["a list of lengths", 400, [HOST, ["Content-Length", "5, 5"]]],
    ["a length beyond safe integers", 400, [HOST, ["Content-Length", "9007199254740993"]]],
    ["two lengths", 400, [HOST, ["Content-Length", "5"], ["Content-Length", "5"]]],
    ["two Authorizations", 400, [HOST, ["Authorization", "a"], ["authorization", "b"]]],
    ["two keys", 400, [HOST, ["X-Api-Key", "a"], ["X-API-KEY", "a"]]],
    ["two content types", 400, [HOST, ["Content-Type", "a/b"], ["content-type", "a/b"]]],
    ["an underscore alias of our header", 400, [HOST, ["X_Turnpike_Tenant", "ten_1"]]],
    ["a half alias of our header", 400, [HOST, ["x-turnpike_tenant", "ten_1"]]],
    ["an underscore alias of an address", 400, [HOST, ["X_FORWARDED_FOR", "192.0.2.1"]]],
    ["an underscore alias of the length", 400, [HOST, ["Content_Length", "5"]]],
    ["an underscore alias of the key", 400, [HOST, ["x_api_key", "tp_live_x"]]],
    ["an expectation we do not know", 417, [HOST, ["Expect", "y 100-continue"]]],
    ["Connection naming Authorization", 400, [HOST, ["Connection", "keep-alive, Authorization"]]],
    ["Connection naming Host", 400, [HOST, ["Connection", "Host"]]],
    ["Connection naming Cookie", 400, [HOST, ["Connection", "close,cookie"]]],
    ["Connection naming Content-Length", 400, [HOST, ["Connection", "Content-Length"]]],
    ["Connection naming our header", 400, [HOST, ["Connection", "x-turnpike-tenant"]]],
    ["our own name in Via", 508, [HOST, ["Via", "1.1 edge, 1.1 turnpike-a1b2c3"]]],
    [
      "more than 100 headers",
      431,
      [HOST, ...Array.from({ length: 100 }, (): [string, string] => ["A", "b"])],
    ],
    ["more than 16 kB", 431, [HOST, ["A", "b".repeat(16_384)]]],
    ["a target of more than 16 kB", 431, [HOST], { url: `/${"a".repeat(16_384)}` }],
  ])("refuses %s", (_why, status, headers, line) => {
    expect(inspect(headers, line)?.status).toBe(status);
  });

  it("never echoes what was sent", () => {
    fc.assert(
      fc.property(fc.string({ minLength: 8 }), (text) => {
        const refusal = inspect([HOST, ["Connection", `authorization, ${text}`]]);
        expect(refusal?.reason).not.toContain(text);
      }),
    );
  });

  it("throws for no input", () => {
    fc.assert(
      fc.property(fc.array(fc.string()), fc.string(), fc.string(), (rawHeaders, url, method) => {
        inspectRequest({ rawHeaders, url, method, httpVersion: "1.1" }, options);
      }),
    );
  });
});

describe("isAmbiguousPath", () => {
  it.each([
    "/",
    "/v1/a.b",
    "/.well-known/x",
    "/...",
    "/a/..b",
    "/a?x=//..;%2f",
    "/a%20b",
    "/%7Euser",
    "/a/",
    "/%zz",
    "/a%",
  ])("finds one reading of %s", (path) => {
    expect(isAmbiguousPath(path)).toBe(false);
  });

  it.each([
    "//",
    "//favicon.ico",
    "/a//b",
    "/a//",
    "/a\\b",
    "/a;b=1",
    "/a%2fb",
    "/a%2Fb",
    "/a%5cb",
    "/a%00",
    "/.",
    "/..",
    "/a/./b",
    "/a/../b",
    "/a/..?x",
    "/%2e%2e/b",
    "/a/%2E./b",
    "/a/.%2e",
    "/%61dmin",
    "/my%2Dapi",
  ])("finds several readings of %s", (path) => {
    expect(isAmbiguousPath(path)).toBe(true);
  });
});
