import type { IncomingMessage } from "node:http";
import {
  findClientAddress,
  type TrustedProxies,
  toCanonicalAddress,
} from "#platform/client-address.ts";

export type HeaderPair = readonly [name: string, value: string];

/** The sender of the call, as far as forwarding headers can be trusted. */
export type CallOrigin = {
  /** Canonical address of the client: the right-most hop that is not a trusted proxy. */
  clientAddress: string;
  /** Canonical address of the other end of our socket. */
  peerAddress: string;
  /** True when the peer is one of the trusted proxies, so that its forwarding headers stay. */
  isPeerTrusted: boolean;
};

type RequestHead = Pick<IncomingMessage, "rawHeaders" | "httpVersion" | "socket">;

/** Reads where a call comes from. Allow-lists and limits by address must use this, never a header. */
export function findCallOrigin(
  req: Pick<RequestHead, "rawHeaders" | "socket">,
  trusted: TrustedProxies,
): CallOrigin {
  // The address is missing only once the socket is gone, and then no one reads the answer.
  const peerAddress = toCanonicalAddress(req.socket.remoteAddress ?? "") ?? "0.0.0.0";
  if (!trusted.has(peerAddress)) {
    return { clientAddress: peerAddress, peerAddress, isPeerTrusted: false };
  }
  const forwardedFor = joinHeader(req.rawHeaders, "x-forwarded-for");
  const clientAddress = findClientAddress({ peer: peerAddress, forwardedFor, trusted });
  return { clientAddress, peerAddress, isPeerTrusted: true };
}

export type ForwardHeadersInput = {
  /** Passed `inspectRequest`: at most one Host, and no alias of the gateway's own headers. */
  req: RequestHead;
  origin: CallOrigin;
  /** Lower-case names of the headers that carried the key; removed: `["authorization"]`, `["x-api-key"]`. */
  keyHeaderNames: readonly string[];
  /** `host` or `host:port` of the upstream. */
  upstreamHost: string;
  /** True sends the client's Host to the upstream, if there is one. */
  preserveHost: boolean;
  viaPseudonym: string;
  requestId: string;
  /** What the gateway says about the call, `X-Turnpike-*`: sent as given, after the client's own were removed. */
  gatewayHeaders: readonly HeaderPair[];
};

/**
 * Builds the headers for the upstream as a flat list, `[name, value, name, value, ...]`, in the client's order and case.
 *
 * Removed: hop-by-hop headers and what `Connection` lists, every `X-Turnpike-*`, the key, `Proxy-*`, `HTTP2-Settings`,
 * headers that override the method or the target,
 * `X-Request-Id`, and the client's forwarding headers unless a trusted proxy wrote them. Added: `Host`, `Forwarded`,
 * `X-Forwarded-*`, `Via`, `X-Request-Id` and the gateway's own.
 *
 * @see RFC 9110 section 7.6 (hop-by-hop, Via), RFC 7239 (Forwarded).
 */
export function buildForwardHeaders(input: ForwardHeadersInput): string[] {
  const { req, origin, keyHeaderNames } = input;
  const { rawHeaders } = req;
  const out: string[] = [];
  const connectionTokens = readConnectionTokens(rawHeaders);
  let clientHost = "";
  let forwardedHost: string | undefined;
  let forwardedProto: string | undefined;
  let forwardedFor = "";
  let forwarded = "";
  for (let i = 0; i + 1 < rawHeaders.length; i += 2) {
    const name = rawHeaders[i] ?? "";
    const value = rawHeaders[i + 1] ?? "";
    const lowerCase = name.toLowerCase();
    if (lowerCase === "host") {
      clientHost = value;
    } else if (isForwardingHeader(lowerCase)) {
      if (!origin.isPeerTrusted) {
        continue;
      }
      switch (lowerCase) {
        case "x-forwarded-for":
          forwardedFor += `${value}, `;
          break;
        case "x-forwarded-host":
          forwardedHost ??= value;
          break;
        case "x-forwarded-proto":
          forwardedProto ??= value;
          break;
        case "forwarded":
          forwarded += `${value}, `;
          break;
        default:
          out.push(name, value);
      }
    } else if (
      !isHopByHop(lowerCase) &&
      !lowerCase.startsWith("x-turnpike-") &&
      lowerCase !== "x-request-id" &&
      !isOverride(lowerCase) &&
      !keyHeaderNames.includes(lowerCase) &&
      !connectionTokens?.includes(lowerCase)
    ) {
      out.push(name, value);
    }
  }
  const proto = forwardedProto ?? ("encrypted" in req.socket ? "https" : "http");
  const keptHost = input.preserveHost && clientHost !== "" ? clientHost : input.upstreamHost;
  // A client of HTTP/1.0 that names no host asked for what is at this address: the upstream.
  const host = forwardedHost ?? (clientHost === "" ? input.upstreamHost : clientHost);
  const { peerAddress } = origin;
  out.push("Host", keptHost);
  out.push("X-Forwarded-For", forwardedFor + peerAddress);
  out.push("X-Forwarded-Host", host);
  out.push("X-Forwarded-Proto", proto);
  out.push(
    "Forwarded",
    `${forwarded}for=${toForwardedNode(peerAddress)};host=${quote(host)};proto=${quote(proto)}`,
  );
  out.push("Via", `${req.httpVersion} ${input.viaPseudonym}`);
  out.push("X-Request-Id", input.requestId);
  for (const [name, value] of input.gatewayHeaders) {
    out.push(name, value);
  }
  return out;
}

export type ReplyHeaders = {
  /** Flat list for the client, in the upstream's order and case; `Content-Length` is last. */
  headers: string[];
  /** What the upstream says the call cost, as sent; several values are joined by a comma, which is no number. */
  cost: string | undefined;
  hasContentLength: boolean;
  /** True when the content type is that of an open-ended stream. */
  isStream: boolean;
  /** True when the body is in a transfer coding that nothing here decodes. */
  hasUnknownCoding: boolean;
  /** True when a gateway of another cell says that it does not know the key. */
  isElsewhere: boolean;
};

/** In the answer of a gateway that was forwarded a call with a key that its cell does not have. */
export const ELSEWHERE_HEADER = "x-turnpike-elsewhere";

const STREAM_TYPE =
  /^(?:text\/event-stream|multipart\/x-mixed-replace|application\/(?:x-ndjson|jsonl|json-seq|stream\+json))(?:\s*;|\s*$)/i;

/**
 * Filters what an upstream answers: hop-by-hop headers and every `X-Turnpike-*` stay here, so that an upstream can
 * neither speak for the gateway nor steer the client's connection.
 *
 * @param input.rawHeaders - Names and values as undici hands them over.
 * @param input.replaced - Headers of the gateway; they replace the upstream's of the same name.
 * @param input.costHeaderName - Lower case.
 */
export function filterReplyHeaders(input: {
  rawHeaders: readonly (Buffer | string)[];
  status: number;
  replaced: readonly HeaderPair[];
  costHeaderName: string;
}): ReplyHeaders {
  const { rawHeaders, status, replaced } = input;
  const replacedNames = replaced.map(([name]) => name.toLowerCase());
  const connectionTokens = readConnectionTokens(rawHeaders);
  const headers: string[] = [];
  let cost: string | undefined;
  let contentLength: HeaderPair | undefined;
  let isStream = false;
  let hasUnknownCoding = false;
  let isElsewhere = false;
  for (let i = 0; i + 1 < rawHeaders.length; i += 2) {
    const name = toText(rawHeaders[i]);
    const lowerCase = name.toLowerCase();
    if (lowerCase === input.costHeaderName) {
      const value = toText(rawHeaders[i + 1]);
      cost = cost === undefined ? value : `${cost}, ${value}`;
    } else if (lowerCase === "transfer-encoding") {
      hasUnknownCoding ||= !isKnownCoding(toText(rawHeaders[i + 1]));
    }
    if (
      isHopByHop(lowerCase) ||
      lowerCase === input.costHeaderName ||
      lowerCase.startsWith("x-turnpike-") ||
      replacedNames.includes(lowerCase) ||
      connectionTokens?.includes(lowerCase)
    ) {
      isElsewhere ||= lowerCase === ELSEWHERE_HEADER;
      continue;
    }
    if (lowerCase === "content-length") {
      // RFC 9110 section 8.6: never with 204. It would make the client wait for a body.
      if (status !== 204) {
        contentLength = [name, toText(rawHeaders[i + 1])];
      }
      continue;
    }
    if (lowerCase === "content-type") {
      isStream = STREAM_TYPE.test(toText(rawHeaders[i + 1]));
    }
    headers.push(name, toText(rawHeaders[i + 1]));
  }
  for (const [name, value] of replaced) {
    headers.push(name, value);
  }
  // Last: Node decodes a Content-Disposition behind it as UTF-8, which changes its bytes or throws.
  if (contentLength !== undefined) {
    headers.push(...contentLength);
  }
  return {
    headers,
    cost,
    hasContentLength: contentLength !== undefined,
    isStream,
    hasUnknownCoding,
    isElsewhere,
  };
}

/** Trailers that may be forwarded: none that frame, route or authenticate a message (RFC 9110 section 6.5.1). */
export function filterReplyTrailers(rawTrailers: readonly (Buffer | string)[]): HeaderPair[] {
  const { headers } = filterReplyHeaders({
    rawHeaders: rawTrailers,
    status: 200,
    replaced: [],
    costHeaderName: "",
  });
  const pairs: HeaderPair[] = [];
  for (let i = 0; i + 1 < headers.length; i += 2) {
    const name = headers[i] ?? "";
    if (!FORBIDDEN_TRAILERS.has(name.toLowerCase())) {
      pairs.push([name, headers[i + 1] ?? ""]);
    }
  }
  return pairs;
}

const FORBIDDEN_TRAILERS = new Set([
  "content-length",
  "content-type",
  "content-encoding",
  "content-range",
  "host",
  "set-cookie",
  "authorization",
  "www-authenticate",
  "cache-control",
  "location",
]);

/** True for the transfer codings that undici decodes. */
function isKnownCoding(transferEncoding: string): boolean {
  return /^(?:chunked|identity)$/i.test(transferEncoding);
}

function toText(raw: Buffer | string | undefined): string {
  return typeof raw === "string" ? raw : (raw?.toString("latin1") ?? "");
}

/** Headers that concern one connection only. We answer `Expect` ourselves; each sender declares its own trailers. */
function isHopByHop(lowerCase: string): boolean {
  switch (lowerCase) {
    case "connection":
    case "keep-alive":
    case "te":
    case "trailer":
    case "transfer-encoding":
    case "upgrade":
    case "expect":
    case "http2-settings":
      return true;
    default:
      return lowerCase.startsWith("proxy-");
  }
}

/**
 * Headers that frameworks prefer to the request line, which is what was metered and signed. Some read an underscore as a
 * hyphen.
 */
const OVERRIDES: ReadonlySet<string> = new Set([
  "x-http-method-override",
  "x-http-method",
  "x-method-override",
  "http-method-override",
  "method-override",
  "-method",
  "x-original-url",
  "x-rewrite-url",
]);
const OVERRIDE_LENGTHS: ReadonlySet<number> = new Set(
  Array.from(OVERRIDES, ({ length }) => length),
);

/** Nearly every header is known by its first letter to be none. */
function isOverride(lowerCase: string): boolean {
  switch (lowerCase[0]) {
    case "x":
    case "h":
    case "m":
    case "-":
    case "_":
      return (
        OVERRIDE_LENGTHS.has(lowerCase.length) && OVERRIDES.has(lowerCase.replaceAll("_", "-"))
      );
    default:
      return false;
  }
}

/** True for a header in which proxies say where a request comes from. */
export function isForwardingHeader(lowerCase: string): boolean {
  return (
    lowerCase.startsWith("x-forwarded-") || lowerCase === "forwarded" || lowerCase === "x-real-ip"
  );
}

/** Lower-case names that `Connection` lists; `undefined` for the everyday values, which name no header. */
function readConnectionTokens(rawHeaders: readonly (Buffer | string)[]): string[] | undefined {
  let tokens: string[] | undefined;
  for (let i = 0; i + 1 < rawHeaders.length; i += 2) {
    const name = rawHeaders[i];
    if (name?.length !== 10 || toText(name).toLowerCase() !== "connection") {
      continue;
    }
    const value = toText(rawHeaders[i + 1]).toLowerCase();
    if (value !== "keep-alive" && value !== "close" && value !== "upgrade") {
      tokens = [...(tokens ?? []), ...value.split(",").map((token) => token.trim())];
    }
  }
  return tokens;
}

function joinHeader(rawHeaders: readonly string[], lowerCaseName: string): string | undefined {
  let joined: string | undefined;
  for (let i = 0; i + 1 < rawHeaders.length; i += 2) {
    if (
      rawHeaders[i]?.length === lowerCaseName.length &&
      rawHeaders[i]?.toLowerCase() === lowerCaseName
    ) {
      joined = joined === undefined ? rawHeaders[i + 1] : `${joined},${rawHeaders[i + 1]}`;
    }
  }
  return joined;
}

/** A node of RFC 7239: an IPv6 address stands in brackets, and brackets need quotes. */
function toForwardedNode(address: string): string {
  return address.includes(":") ? `"[${address}]"` : address;
}

/** A token as it is, anything else as a quoted string. */
function quote(value: string): string {
  return /^[\w!#$%&'*+.^`|~-]+$/.test(value) ? value : `"${value.replace(/["\\]/g, "\\$&")}"`;
}
