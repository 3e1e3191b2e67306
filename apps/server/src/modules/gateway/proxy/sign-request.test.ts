import { createHmac, createSecretKey } from "node:crypto";
import { readFileSync } from "node:fs";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { NO_IDENTITY } from "../identity-headers.ts";
import { type SignedRequest, signRequest } from "./sign-request.ts";

const SECRET = "a secret the operator shares with the upstream";

type Received = { method: string; url: string; headers: Record<string, string> };

/** The verifier that the documentation gives to operators, taken from its page. */
async function loadDocumentedVerifier(): Promise<(req: Received, secret: string) => boolean> {
  const page = readFileSync(
    new URL("../../../../../../docs/upstream-signature.md", import.meta.url),
    "utf8",
  );
  const [, code = ""] = /```js\n(.*?)```/s.exec(page) ?? [];
  const module = await import(
    /* @vite-ignore */ `data:text/javascript,${encodeURIComponent(code)}`
  );
  return module.isFromGateway;
}

const request: SignedRequest = {
  method: "GET",
  rawTarget: "/v1/quote?a=%20b",
  requestId: "req_1",
  gatewayHeaders: [
    ["X-Turnpike-Tenant", "ten_1"],
    ["X-Turnpike-Key", "key_1"],
    ["X-Turnpike-Environment", "live"],
    ["X-Turnpike-Plan", "pro"],
    ["X-Turnpike-Scopes", "read write"],
  ],
};
const received: Received = {
  method: "GET",
  url: "/v1/quote?a=%20b",
  headers: {
    "x-turnpike-tenant": "ten_1",
    "x-turnpike-key": "key_1",
    "x-turnpike-environment": "live",
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

const isFromGateway = await loadDocumentedVerifier();

function verify(req: Received): boolean {
  const headers = { "x-turnpike-signature": signature, ...req.headers };
  return isFromGateway({ ...req, headers }, SECRET);
}

describe("signRequest", () => {
  beforeEach(() => {
    vi.useFakeTimers({ now: NOW * 1000, toFake: ["Date"] });
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  it("is accepted by the documented verifier", () => {
    vi.setSystemTime((NOW + 299) * 1000);
    expect(verify(received)).toBe(true);
  });

  it("is missed by the documented verifier when it is absent or no signature", () => {
    expect(isFromGateway(received, SECRET)).toBe(false);
    const headers = { ...received.headers, "x-turnpike-signature": "t=1,v1=00" };
    expect(isFromGateway({ ...received, headers }, SECRET)).toBe(false);
  });

  it("gives the documented text for a request without a key", () => {
    const secret = createSecretKey("s", "utf8");
    const bare = { method: "OPTIONS", rawTarget: "/", requestId: "req_2", gatewayHeaders: [] };
    const mac = createHmac("sha256", "s")
      .update("v1\n5\nOPTIONS\n/\n-\n-\n-\n-\n-\nreq_2")
      .digest("hex");
    expect(signRequest({ secret, unixSeconds: 5, request: bare })).toBe(`t=5,v1=${mac}`);
  });

  it("is refused by the documented verifier where it is of no tenant, as that of a preflight is", () => {
    const secret = createSecretKey(SECRET, "utf8");
    const identity = NO_IDENTITY.map(([name]): [string, string] => [name.toLowerCase(), "-"]);
    const signed = signRequest({
      secret,
      unixSeconds: NOW,
      request: { method: "OPTIONS", rawTarget: "/", requestId: "req_3", gatewayHeaders: identity },
    });
    const headers = { ...Object.fromEntries(identity), "x-request-id": "req_3" };
    const preflight = { method: "OPTIONS", url: "/", headers };
    const withSignature = { ...headers, "x-turnpike-signature": signed };
    expect(isFromGateway({ ...preflight, headers: withSignature }, SECRET)).toBe(false);
    const bare = { "x-request-id": "req_3", "x-turnpike-signature": signed };
    expect(isFromGateway({ ...preflight, headers: bare }, SECRET)).toBe(false);
  });

  it("is refused when it is too old", () => {
    vi.setSystemTime((NOW + 301) * 1000);
    expect(verify(received)).toBe(false);
  });

  it.each<[string, Received]>([
    ["the method", { ...received, method: "DELETE" }],
    ["the target", { ...received, url: "/v1/quote?a=%20c" }],
    ...Object.keys(received.headers).map((name): [string, Received] => [
      name,
      { ...received, headers: { ...received.headers, [name]: "forged" } },
    ]),
  ])("is refused when %s was changed", (_what, changed) => {
    expect(verify(changed)).toBe(false);
  });
});
