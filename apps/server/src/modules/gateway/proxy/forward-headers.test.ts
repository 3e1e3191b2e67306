import { Socket } from "node:net";
import { describe, expect, it } from "vitest";
import { buildForwardHeaders, type CallOrigin, filterReplyHeaders } from "./forward-headers.ts";

const STRANGER: CallOrigin = {
  clientAddress: "203.0.113.9",
  peerAddress: "203.0.113.9",
  isPeerTrusted: false,
};
const BALANCER: CallOrigin = {
  clientAddress: "203.0.113.9",
  peerAddress: "10.0.0.1",
  isPeerTrusted: true,
};

function forward(
  headers: readonly [string, string][],
  options: {
    origin?: CallOrigin;
    preserveHost?: boolean;
    keyHeaderNames?: string[];
    host?: string;
  } = {},
): [string, string][] {
  const { host = "api.example.com" } = options;
  const flat = buildForwardHeaders({
    req: {
      rawHeaders: [...(host === "" ? [] : [["Host", host]]), ...headers].flat(),
      httpVersion: "1.1",
      socket: new Socket(),
    },
    origin: options.origin ?? STRANGER,
    keyHeaderNames: options.keyHeaderNames ?? ["authorization"],
    upstreamHost: "10.1.1.1:8080",
    preserveHost: options.preserveHost ?? true,
    viaPseudonym: "turnpike-a1",
    requestId: "req_1",
    gatewayHeaders: [["X-Turnpike-Tenant", "ten_1"]],
  });
  return Array.from({ length: flat.length / 2 }, (_, i) => [flat[2 * i]!, flat[2 * i + 1]!]);
}

const OURS: [string, string][] = [
  ["Host", "api.example.com"],
  ["X-Forwarded-For", "203.0.113.9"],
  ["X-Forwarded-Host", "api.example.com"],
  ["X-Forwarded-Proto", "http"],
  ["Forwarded", "for=203.0.113.9;host=api.example.com;proto=http"],
  ["Via", "1.1 turnpike-a1"],
  ["X-Request-Id", "req_1"],
  ["X-Turnpike-Tenant", "ten_1"],
];

describe("buildForwardHeaders", () => {
  it("keeps order, case and repetition of what it does not own", () => {
    const kept: [string, string][] = [
      ["aCCept", "*/*"],
      ["Cookie", "a=1"],
      ["X-Multi", "1"],
      ["x-multi", "2"],
      ["Content-Length", "5"],
    ];
    expect(forward(kept)).toEqual([...kept, ...OURS]);
  });

  it.each([
    "X-HTTP-Method-Override",
    "x-http-method",
    "X-Method-Override",
    "X_HTTP_METHOD_OVERRIDE",
    "Method-Override",
    "HTTP-Method-Override",
    "_method",
    "X-Original-URL",
    "X-Rewrite-Url",
  ])(
    "drops %s, by which an upstream would do another thing than was metered and signed",
    (name) => {
      const near = "X-Method-Overridden";
      expect(
        forward(
          [
            [name, "DELETE"],
            [near, "kept"],
          ],
          { origin: BALANCER },
        ),
      ).toContainEqual([near, "kept"]);
      expect(forward([[name, "DELETE"]])).toEqual(OURS);
      expect(forward([[name, "DELETE"]], { origin: BALANCER }).flat()).not.toContain("DELETE");
    },
  );

  it("drops every header that is not for the upstream", () => {
    expect(
      forward([
        ["Connection", "keep-alive, X-Private"],
        ["X-Private", "1"],
        ["Keep-Alive", "timeout=5"],
        ["TE", "trailers"],
        ["Trailer", "X-T"],
        ["Transfer-Encoding", "chunked"],
        ["Upgrade", "h2c"],
        ["Expect", "100-continue"],
        ["HTTP2-Settings", "AAMAAABk"],
        ["Proxy-Authorization", "Basic x"],
        ["Proxy-Connection", "keep-alive"],
        ["AUTHORIZATION", "Bearer tp_live_x"],
        ["x-turnpike-tenant", "ten_forged"],
        ["X-TURNPIKE-Anything", "1"],
        ["X-Request-ID", "forged"],
        ["X-Forwarded-For", "1.2.3.4"],
        ["x-forwarded-proto", "https"],
        ["X-Forwarded-Prefix", "/x"],
        ["Forwarded", "for=1.2.3.4"],
        ["X-Real-IP", "1.2.3.4"],
      ]),
    ).toEqual(OURS);
  });

  it("extends what a trusted proxy wrote", () => {
    const headers = new Map(
      forward(
        [
          ["X-Forwarded-For", "203.0.113.9"],
          ["X-Forwarded-Proto", "https"],
          ["X-Forwarded-Host", "shop.example.com"],
          ["Forwarded", "for=203.0.113.9;proto=https"],
          ["X-Forwarded-Port", "443"],
          ["Via", "1.0 edge"],
        ],
        { origin: BALANCER },
      ),
    );
    expect(headers.get("X-Forwarded-For")).toBe("203.0.113.9, 10.0.0.1");
    expect(headers.get("X-Forwarded-Proto")).toBe("https");
    expect(headers.get("X-Forwarded-Host")).toBe("shop.example.com");
    expect(headers.get("X-Forwarded-Port")).toBe("443");
    expect(headers.get("Forwarded")).toBe(
      "for=203.0.113.9;proto=https, for=10.0.0.1;host=shop.example.com;proto=https",
    );
  });

  it("quotes what RFC 7239 wants quoted", () => {
    const origin = { ...STRANGER, peerAddress: "2001:db8::1" };
    const forwarded = forward([], { origin }).find(([name]) => name === "Forwarded")?.[1];
    expect(forwarded).toBe('for="[2001:db8::1]";host=api.example.com;proto=http');
  });

  it("names the upstream as Host, or keeps the client's", () => {
    const upstream = ["Host", "10.1.1.1:8080"];
    expect(forward([], { preserveHost: false })).toContainEqual(upstream);
    expect(forward([])).toContainEqual(["Host", "api.example.com"]);
    // HTTP/1.0 need not name one.
    expect(forward([], { host: "" })).toContainEqual(upstream);
    expect(forward([], { host: "" })).toContainEqual(["X-Forwarded-Host", "10.1.1.1:8080"]);
  });
});

describe("filterReplyHeaders", () => {
  const filter = (headers: readonly [string, string][], status = 200) =>
    filterReplyHeaders({
      rawHeaders: headers.flat().map((text) => Buffer.from(text, "latin1")),
      status,
      replaced: [["X-Request-Id", "req_1"]],
      costHeaderName: "x-turnpike-cost",
    });

  it.each([
    ["text/event-stream", true],
    ["Text/Event-Stream; charset=utf-8", true],
    ["application/x-ndjson", true],
    ["multipart/x-mixed-replace;boundary=frame", true],
    ["application/json", false],
    ["text/event-streamer", false],
    ["", false],
  ])("takes an answer of type %j for a stream: %j", (type, isStream) => {
    expect(filter([["Content-Type", type]]).isStream).toBe(isStream);
  });

  it("lets an upstream neither speak for the gateway nor steer the connection", () => {
    const { headers } = filter([
      ["Content-Type", "text/plain"],
      ["Connection", "close, X-Private"],
      ["X-Private", "1"],
      ["Transfer-Encoding", "chunked"],
      ["Keep-Alive", "timeout=1"],
      ["Proxy-Authenticate", "Basic"],
      ["X-Turnpike-Remaining", "5"],
      ["x-request-id", "theirs"],
      ["Set-Cookie", "a=1"],
      ["Set-Cookie", "b=caf\u00e9"],
    ]);
    expect(headers).toEqual([
      "Content-Type",
      "text/plain",
      "Set-Cookie",
      "a=1",
      "Set-Cookie",
      "b=caf\u00e9",
      "X-Request-Id",
      "req_1",
    ]);
  });

  it("hands over the cost as sent, and two costs as no number", () => {
    expect(filter([["X-Turnpike-Cost", "2.5"]]).cost).toBe("2.5");
    expect(
      filter([
        ["X-Turnpike-Cost", "1"],
        ["x-turnpike-cost", "9"],
      ]).cost,
    ).toBe("1, 9");
    expect(filter([]).cost).toBeUndefined();
  });

  it("drops the length of a 204, which has no body", () => {
    expect(filter([["Content-Length", "5"]], 204).hasContentLength).toBe(false);
    expect(filter([["Content-Length", "5"]], 200).hasContentLength).toBe(true);
  });
});
