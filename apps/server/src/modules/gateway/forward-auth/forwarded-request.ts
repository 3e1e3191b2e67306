import type { IncomingMessage } from "node:http";
import type { ForwardAuthDialect } from "@turnpike/contract/forward-auth";
import { AppError } from "@turnpike/domain/errors/app-error";
import {
  findClientAddress,
  type TrustedProxies,
  toCanonicalAddress,
} from "#platform/client-address.ts";
import { isUnderscoreAlias } from "../underscore-alias.ts";

/** The call that a proxy asks about. */
export type ForwardedRequest = {
  method: string;
  /** Path and query, undecoded, as the upstream sees them. */
  rawTarget: string;
  /** Canonical address of the caller. */
  clientAddress: string;
};

/** Headers in which nginx (by our recipe), Caddy and Traefik describe the call. Each of them overwrites the caller's. */
const METHOD_HEADER = "x-forwarded-method";
const TARGET_HEADER = "x-forwarded-uri";
const CLIENT_HEADER = "x-forwarded-for";

/** Headers that decide. If one of them came twice, two programs could read two different calls. */
const SINGLE_HEADERS: ReadonlySet<string> = new Set([
  "authorization",
  "x-api-key",
  "host",
  METHOD_HEADER,
  TARGET_HEADER,
]);

const TOKEN = /^[!#$%&'*+\-.^`|~\w]{1,32}$/;
/** Printable ASCII without a backslash or a fragment, as in the gateway's request gate. */
const TARGET = /^\/[\x21\x22\x24-\x5b\x5d-\x7e]{0,8191}$/;

function malformed(reason: string): AppError {
  return new AppError({ code: "MALFORMED_REQUEST", publicMessage: reason });
}

/**
 * Refuses a question whose headers can be read in two ways: repeated ones, and aliases of those that Turnpike decides by or
 * sets, with an underscore where they have a hyphen.
 *
 * @throws {AppError} `MALFORMED_REQUEST`.
 */
function assertSingleHeaders({ rawHeaders }: Pick<IncomingMessage, "rawHeaders">): void {
  const seen = new Set<string>();
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = (rawHeaders[at] ?? "").toLowerCase();
    if (isUnderscoreAlias(name)) {
      throw malformed("A header name contains an underscore where Turnpike reads a hyphen.");
    }
    if (!SINGLE_HEADERS.has(name)) {
      continue;
    }
    if (seen.has(name)) {
      throw malformed("A header that decides about the call was sent twice.");
    }
    seen.add(name);
  }
}

function singleHeader(req: IncomingMessage, name: string): string {
  const value = req.headers[name];
  if (typeof value !== "string" || value === "") {
    throw malformed(
      `The proxy must send the header ${name}: see the recipe for it in /docs/adopt.`,
    );
  }
  return value;
}

/**
 * Reads the call that a proxy asks about, from the one set of headers that its dialect has; everything else that names a
 * method, a target or an address was written by someone else and is ignored.
 *
 * @param input.ownTarget - What follows the address of the dialect in the question's own target: Envoy puts the call there.
 * @throws {AppError} `MALFORMED_REQUEST` when the headers are missing, repeated or not a call; `FORBIDDEN_NETWORK` when the
 *   question does not come from a trusted proxy.
 */
export function readForwardedRequest(
  req: IncomingMessage,
  input: { dialect: ForwardAuthDialect; ownTarget: string; trusted: TrustedProxies },
): ForwardedRequest {
  const peer = toCanonicalAddress(req.socket.remoteAddress ?? "") ?? "";
  if (!input.trusted.has(peer)) {
    throw new AppError({
      code: "FORBIDDEN_NETWORK",
      publicMessage:
        "Only a trusted proxy may ask for authorisation: add its address to trustedProxies in turnpike.yaml.",
    });
  }
  assertSingleHeaders(req);
  const isEnvoy = input.dialect === "envoy";
  const method = isEnvoy ? (req.method ?? "GET") : singleHeader(req, METHOD_HEADER);
  const rawTarget = isEnvoy ? input.ownTarget || "/" : singleHeader(req, TARGET_HEADER);
  if (!TOKEN.test(method)) {
    throw malformed("The method of the call is not one.");
  }
  if (!TARGET.test(rawTarget)) {
    throw malformed("The target of the call must be a path in printable ASCII.");
  }
  const forwardedFor = req.headers[CLIENT_HEADER];
  return {
    method,
    rawTarget,
    clientAddress: findClientAddress({
      peer,
      forwardedFor: typeof forwardedFor === "string" ? forwardedFor : undefined,
      trusted: input.trusted,
    }),
  };
}
