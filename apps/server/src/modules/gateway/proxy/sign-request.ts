import { createHmac, type KeyObject } from "node:crypto";
import type { HeaderPair } from "./forward-headers.ts";

export const SIGNATURE_HEADER = "X-Turnpike-Signature";

/** What a signature covers; the upstream sees each of these in the request itself. */
export type SignedRequest = {
  method: string;
  /** The request target as the upstream receives it: path and query, undecoded. */
  rawTarget: string;
  requestId: string;
  /** The gateway's headers. `X-Turnpike-Tenant`, `-Key`, `-Environment`, `-Plan` and `-Scopes` are signed; a missing one counts as `-`. */
  gatewayHeaders: readonly HeaderPair[];
};

/**
 * Signs a request, so that an upstream can refuse traffic that did not come through the gateway.
 *
 * The signed text is ten lines joined by a line feed, without one at the end: `v1`, the time in Unix seconds, the method,
 * the request target, then the values of `X-Turnpike-Tenant`, `-Key`, `-Environment`, `-Plan`, `-Scopes` and `X-Request-Id`.
 * The header is `t=<seconds>,v1=<HMAC-SHA256 in lower-case hex>`. The key is the secret's UTF-8 bytes.
 * The body is not covered: it streams. An upstream compares in constant time and refuses times more than five minutes off.
 *
 * @param input.secret - Made once with `createSecretKey`, so that the key is not derived anew on every call.
 */
export function signRequest(input: {
  secret: KeyObject;
  unixSeconds: number;
  request: SignedRequest;
}): string {
  const { secret, unixSeconds, request } = input;
  const mac = createHmac("sha256", secret).update(toSignedText(unixSeconds, request)).digest("hex");
  return `t=${unixSeconds},v1=${mac}`;
}

function toSignedText(unixSeconds: number, request: SignedRequest): string {
  const { gatewayHeaders } = request;
  return [
    "v1",
    unixSeconds,
    request.method,
    request.rawTarget,
    findValue(gatewayHeaders, "x-turnpike-tenant"),
    findValue(gatewayHeaders, "x-turnpike-key"),
    findValue(gatewayHeaders, "x-turnpike-environment"),
    findValue(gatewayHeaders, "x-turnpike-plan"),
    findValue(gatewayHeaders, "x-turnpike-scopes"),
    request.requestId,
  ].join("\n");
}

function findValue(headers: readonly HeaderPair[], lowerCaseName: string): string {
  for (const [name, value] of headers) {
    if (name.length === lowerCaseName.length && name.toLowerCase() === lowerCaseName) {
      return value;
    }
  }
  return "-";
}
