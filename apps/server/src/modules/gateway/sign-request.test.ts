import { createHmac, createSecretKey, timingSafeEqual } from "node:crypto";
import { describe, expect, it } from "vitest";
import { type SignedRequest, signRequest } from "./sign-request.ts";

const SECRET = "a secret the operator shares with the upstream";

/** What an upstream does, written from the documentation alone. */
function verify(
  header: string,
  request: { method: string; target: string; headers: Record<string, string> },
  nowSeconds: number,
): boolean {
  const match = /^t=(\d{1,12}),v1=([0-9a-f]{64})$/.exec(header);
  if (match === null || Math.abs(nowSeconds - Number(match[1])) > 300) {
    return false;
  }
  const { headers } = request;
  const text = [
    "v1",
    match[1],
    request.method,
    request.target,
    headers["x-turnpike-tenant"] ?? "-",
    headers["x-turnpike-key"] ?? "-",
    headers["x-turnpike-plan"] ?? "-",
    headers["x-turnpike-scopes"] ?? "-",
    headers["x-request-id"] ?? "",
  ].join("\n");
  const expected = createHmac("sha256", SECRET).update(text).digest();
  return timingSafeEqual(expected, Buffer.from(match[2] ?? "", "hex"));
}

const request: SignedRequest = {
  method: "GET",
  rawTarget: "/v1/quote?a=%20b",
  requestId: "req_1",
  gatewayHeaders: [
    ["X-Turnpike-Tenant", "ten_1"],
    ["X-Turnpike-Key", "key_1"],
    ["X-Turnpike-Plan", "pro"],
    ["X-Turnpike-Scopes", "read write"],
  ],
};
const received = {
  method: "GET",
  target: "/v1/quote?a=%20b",
  headers: {
    "x-turnpike-tenant": "ten_1",
    "x-turnpike-key": "key_1",
    "x-turnpike-plan": "pro",
    "x-turnpike-scopes": "read write",
    "x-request-id": "req_1",
  },
};
const NOW = 1_800_000_000;
const signature = signRequest({
  secret: createSecretKey(SECRET, "utf8"),
  unixSeconds: NOW,
  request,
});

describe("signRequest", () => {
  it("is accepted by a verifier written from its documentation", () => {
    expect(verify(signature, received, NOW + 299)).toBe(true);
  });

  it("gives the documented text for a request without a key", () => {
    const secret = createSecretKey("s", "utf8");
    const bare = { method: "OPTIONS", rawTarget: "/", requestId: "req_2", gatewayHeaders: [] };
    const mac = createHmac("sha256", "s")
      .update("v1\n5\nOPTIONS\n/\n-\n-\n-\n-\nreq_2")
      .digest("hex");
    expect(signRequest({ secret, unixSeconds: 5, request: bare })).toBe(`t=5,v1=${mac}`);
  });

  it("is refused when it is too old", () => {
    expect(verify(signature, received, NOW + 301)).toBe(false);
  });

  it.each([
    ["the method", { ...received, method: "DELETE" }],
    ["the target", { ...received, target: "/v1/quote?a=%20c" }],
    ...Object.keys(received.headers).map((name): [string, typeof received] => [
      name,
      { ...received, headers: { ...received.headers, [name]: "forged" } },
    ]),
  ])("is refused when %s was changed", (_what, changed) => {
    expect(verify(signature, changed, NOW)).toBe(false);
  });
});
