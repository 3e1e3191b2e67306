import type { IncomingMessage } from "node:http";
import type { ErrorCode } from "@turnpike/domain/errors/error-codes";
import { isUnderscoreAlias } from "../underscore-alias.ts";

/** Why a request is refused before anything else happens. The connection is closed after the answer. */
export type GateRefusal = {
  status: number;
  code: Extract<
    ErrorCode,
    | "MALFORMED_REQUEST"
    | "AMBIGUOUS_PATH"
    | "HEADERS_TOO_LARGE"
    | "EXPECTATION_FAILED"
    | "LOOP_DETECTED"
    | "METHOD_NOT_ALLOWED"
  >;
  /** One sentence for the caller. Never echoes what was sent. */
  reason: string;
};

export type RequestGateOptions = {
  /** Names of the headers a key may arrive in, besides `Authorization`, in lower case: `["x-api-key"]`. */
  keyHeaderNames: readonly string[];
  /** The name this gateway signs `Via` with; a request that carries it has come back to us. Visible ASCII, no comma. */
  viaPseudonym: string;
  /** Left out: those of a client. */
  bounds?: HeadBounds;
};

export type HeadBounds = {
  /** Of target, names and values together. */
  bytesMax: number;
  headersMax: number;
};

/** Four pages of memory, and more than browsers send. */
const CLIENT_BOUNDS: HeadBounds = { bytesMax: 16 * 1024, headersMax: 100 };
/**
 * Room for what a client may send, and for what another cell adds. Its marker repeats the forwarding headers, at most 16 kB,
 * which become 32 kB of JSON at most, and these 44 kB of base64. The seven other headers that it adds take some 2 kB.
 */
export const FORWARDED_BOUNDS: HeadBounds = { bytesMax: 72 * 1024, headersMax: 110 };
/** The longest decimal that is still a safe integer everywhere. */
const CONTENT_LENGTH_DIGITS_MAX = 15;

/** The answer to a path that `pickUpstream` calls ambiguous. */
export const AMBIGUOUS_PATH_REFUSAL: GateRefusal = {
  status: 400,
  code: "AMBIGUOUS_PATH",
  reason:
    "The path holds //, a backslash, a semicolon, a dot segment, %2f, %5c or %00, and a rule depends on the path.",
};

type SeenHeaders = {
  hosts: number;
  authorizations: number;
  contentTypes: number;
  contentLengths: number;
  transferEncodings: number;
  /** One bit per name in `keyHeaderNames`. */
  keyHeaderBits: number;
};

type RequestHead = Pick<IncomingMessage, "rawHeaders" | "httpVersion" | "method" | "url">;

/**
 * Refuses what Node's parser lets through although two programs could read it in two ways: the gateway and the upstream
 * must see one and the same request, or metering, key and route could belong to another one than the upstream serves.
 * One pass over `rawHeaders`; allocates nothing for a request that passes.
 *
 * @returns The first reason to refuse, or `undefined` when the request may be decided on and forwarded.
 * @see RFC 9112 sections 3, 6 and 11.2 (request smuggling); RFC 9110 sections 7.6 and 10.1.1.
 */
export function inspectRequest(
  req: RequestHead,
  options: RequestGateOptions,
): GateRefusal | undefined {
  return inspectRequestLine(req) ?? inspectHeaders(req, options);
}

function inspectRequestLine(req: RequestHead): GateRefusal | undefined {
  if (req.method === "CONNECT" || req.method === "TRACE") {
    return { status: 405, code: "METHOD_NOT_ALLOWED", reason: "CONNECT and TRACE are not served." };
  }
  if (req.httpVersion !== "1.1" && req.httpVersion !== "1.0") {
    return malformed("Only HTTP/1.1 and HTTP/1.0 are served.");
  }
  const target = req.url ?? "";
  if (target.charCodeAt(0) !== SLASH) {
    return malformed("The request target must start with a slash.");
  }
  for (let i = 0; i < target.length; i++) {
    const char = target.charCodeAt(i);
    if (char <= 0x20 || char >= 0x7f || char === BACKSLASH || char === HASH) {
      return malformed(
        "The request target holds a backslash, a hash, a space, a control or a non-ASCII character: percent-encode it.",
      );
    }
  }
  return undefined;
}

function inspectHeaders(req: RequestHead, options: RequestGateOptions): GateRefusal | undefined {
  const { rawHeaders } = req;
  const { bytesMax, headersMax } = options.bounds ?? CLIENT_BOUNDS;
  if (rawHeaders.length > headersMax * 2) {
    return {
      status: 431,
      code: "HEADERS_TOO_LARGE",
      reason: `More than ${headersMax} headers were sent.`,
    };
  }
  const seen: SeenHeaders = {
    hosts: 0,
    authorizations: 0,
    contentTypes: 0,
    contentLengths: 0,
    transferEncodings: 0,
    keyHeaderBits: 0,
  };
  let headBytes = req.url?.length ?? 0;
  for (let i = 0; i + 1 < rawHeaders.length; i += 2) {
    const name = rawHeaders[i] ?? "";
    const value = rawHeaders[i + 1] ?? "";
    headBytes += name.length + value.length + 4;
    if (isUnderscoreAlias(name)) {
      return malformed("A header name contains an underscore where the gateway reads a hyphen.");
    }
    const refusal = inspectHeader({ name, value, seen, options });
    if (refusal !== undefined) {
      return refusal;
    }
  }
  if (headBytes > bytesMax) {
    return {
      status: 431,
      code: "HEADERS_TOO_LARGE",
      reason: `The request target and headers are larger than ${bytesMax} bytes.`,
    };
  }
  return inspectFraming(req, seen);
}

type HeaderUnderInspection = {
  name: string;
  value: string;
  seen: SeenHeaders;
  options: RequestGateOptions;
};

/** Dispatches on the length of the name, so that an ordinary header costs one comparison of numbers. */
function inspectHeader(header: HeaderUnderInspection): GateRefusal | undefined {
  const { name, value, seen, options } = header;
  switch (name.length) {
    case 3:
      if (isSameName(name, "via") && value.includes(options.viaPseudonym)) {
        return {
          status: 508,
          code: "LOOP_DETECTED",
          reason: "The request has passed this gateway before.",
        };
      }
      break;
    case 4:
      if (isSameName(name, "host")) {
        seen.hosts += 1;
        return isHostValue(value)
          ? undefined
          : malformed("The Host header is not a host and an optional port.");
      }
      break;
    case 6:
      if (isSameName(name, "expect") && !isSameName(value, "100-continue")) {
        return {
          status: 417,
          code: "EXPECTATION_FAILED",
          reason: "Only Expect: 100-continue is understood.",
        };
      }
      break;
    case 10:
      if (isSameName(name, "connection") && namesProtectedHeader(value)) {
        return malformed("The Connection header lists a header that is not the connection's own.");
      }
      break;
    case 12:
      if (isSameName(name, "content-type")) {
        seen.contentTypes += 1;
      }
      break;
    case 13:
      if (isSameName(name, "authorization")) {
        seen.authorizations += 1;
      }
      break;
    case 14:
      if (isSameName(name, "content-length")) {
        return inspectContentLength(value, seen);
      }
      break;
    case 17:
      if (isSameName(name, "transfer-encoding")) {
        seen.transferEncodings += 1;
        return isSameName(value, "chunked")
          ? undefined
          : malformed("Only Transfer-Encoding: chunked is understood.");
      }
      break;
    default:
  }
  return inspectKeyHeader(header);
}

function inspectKeyHeader({ name, seen, options }: HeaderUnderInspection): GateRefusal | undefined {
  for (let i = 0; i < options.keyHeaderNames.length; i++) {
    if (isSameName(name, options.keyHeaderNames[i] ?? "")) {
      const bit = 1 << i;
      if ((seen.keyHeaderBits & bit) !== 0) {
        return malformed("The key header was sent more than once.");
      }
      seen.keyHeaderBits |= bit;
    }
  }
  return undefined;
}

function inspectContentLength(value: string, seen: SeenHeaders): GateRefusal | undefined {
  seen.contentLengths += 1;
  if (value.length === 0 || value.length > CONTENT_LENGTH_DIGITS_MAX) {
    return malformed("Content-Length is empty or too long.");
  }
  for (let i = 0; i < value.length; i++) {
    const char = value.charCodeAt(i);
    if (char < DIGIT_0 || char > DIGIT_9) {
      return malformed("Content-Length must be digits only.");
    }
  }
  if (value.length > 1 && value.charCodeAt(0) === DIGIT_0) {
    return malformed("Content-Length must not have leading zeros.");
  }
  return undefined;
}

function inspectFraming(req: RequestHead, seen: SeenHeaders): GateRefusal | undefined {
  // HTTP/1.0 need not name a host, and the health checks of load balancers do not.
  if (seen.hosts > 1 || (seen.hosts === 0 && req.httpVersion !== "1.0")) {
    return malformed("Exactly one Host header is needed.");
  }
  if (seen.transferEncodings > 0) {
    if (req.httpVersion === "1.0") {
      return malformed("HTTP/1.0 has no Transfer-Encoding.");
    }
    if (seen.transferEncodings > 1 || seen.contentLengths > 0) {
      return malformed("The length of the body is stated more than once.");
    }
  }
  if (seen.contentLengths > 1 || seen.contentTypes > 1 || seen.authorizations > 1) {
    return malformed("Content-Length, Content-Type and Authorization may be sent once each.");
  }
  return undefined;
}

const SLASH = 0x2f;
const BACKSLASH = 0x5c;
const HASH = 0x23;
const DIGIT_0 = 0x30;
const DIGIT_9 = 0x39;

function malformed(reason: string): GateRefusal {
  return { status: 400, code: "MALFORMED_REQUEST", reason };
}

/** Compares an ASCII header name or token with one in lower case, without making a lower-case copy. */
function isSameName(text: string, lowerCase: string): boolean {
  if (text.length !== lowerCase.length) {
    return false;
  }
  for (let i = 0; i < text.length; i++) {
    const char = text.charCodeAt(i);
    const folded = char >= 0x41 && char <= 0x5a ? char | 0x20 : char;
    if (folded !== lowerCase.charCodeAt(i)) {
      return false;
    }
  }
  return true;
}

/** Letters, digits and `-._~:[]`: a registered name or an address literal, with a port; no user, path or list. */
function isHostValue(value: string): boolean {
  if (value.length === 0 || value.length > 255) {
    return false;
  }
  for (let i = 0; i < value.length; i++) {
    const char = value.charCodeAt(i);
    const isAlphanumeric =
      (char >= DIGIT_0 && char <= DIGIT_9) ||
      ((char | 0x20) >= 0x61 && (char | 0x20) <= 0x7a && char >= 0x41);
    if (!isAlphanumeric && !"-._~:[]".includes(value.charAt(i))) {
      return false;
    }
  }
  return true;
}

/**
 * Headers that a client must not have removed on the way by calling them hop-by-hop: without them the upstream would
 * see another caller, another body or another site than the gateway decided on.
 */
function namesProtectedHeader(connectionValue: string): boolean {
  if (connectionValue.length <= 10 && !connectionValue.includes(",")) {
    // Mostly `keep-alive`, `close` or `upgrade`; only two protected names are as short.
    return isSameName(connectionValue, "host") || isSameName(connectionValue, "cookie");
  }
  return connectionValue.split(",").some((text) => {
    const token = text.trim().toLowerCase();
    return (
      token === "host" ||
      token === "authorization" ||
      token === "content-length" ||
      token === "cookie" ||
      token.startsWith("x-turnpike-")
    );
  });
}

/**
 * True when two programs could disagree on which path this is: `//`, `\`, `;`, `%2f`, `%5c`, `%00`, a segment that is
 * `.` or `..`, raw or percent-encoded, or a letter, digit, `-` or `_` that is percent-encoded without need (`/%61dmin`).
 * Such a path is fine to forward as it is, and not fine to decide a rule by.
 *
 * @param rawTarget - The request target as sent, starting with `/`; the query is ignored.
 */
export function isAmbiguousPath(rawTarget: string): boolean {
  let dotsInSegment = 0;
  let othersInSegment = 0;
  for (let i = 0; i < rawTarget.length; i++) {
    let char = rawTarget.charCodeAt(i);
    if (char === QUESTION_MARK) {
      break;
    }
    if (char === PERCENT) {
      char = toByte(rawTarget.charCodeAt(i + 1), rawTarget.charCodeAt(i + 2));
      if (char === SLASH || char === BACKSLASH || char === 0 || isUnreserved(char)) {
        return true;
      }
      i += char < 0 ? 0 : 2;
    } else if (char === BACKSLASH || char === SEMICOLON) {
      return true;
    } else if (char === SLASH) {
      const isEmptySegment = i > 0 && dotsInSegment === 0 && othersInSegment === 0;
      if (isEmptySegment || isDotSegment(dotsInSegment, othersInSegment)) {
        return true;
      }
      dotsInSegment = 0;
      othersInSegment = 0;
      continue;
    }
    if (char === DOT) {
      dotsInSegment += 1;
    } else {
      othersInSegment += 1;
    }
  }
  return isDotSegment(dotsInSegment, othersInSegment);
}

const QUESTION_MARK = 0x3f;
const PERCENT = 0x25;
const SEMICOLON = 0x3b;
const DOT = 0x2e;

/** Letters, digits, `-` and `_`, which no encoder encodes: an encoded one is there to slip past a prefix. */
function isUnreserved(char: number): boolean {
  const lower = char | 0x20;
  const isLetter = char >= 0x41 && lower >= 0x61 && lower <= 0x7a;
  return isLetter || (char >= DIGIT_0 && char <= DIGIT_9) || char === 0x2d || char === 0x5f;
}

function isDotSegment(dots: number, others: number): boolean {
  return others === 0 && (dots === 1 || dots === 2);
}

/** The byte that two hexadecimal digits encode, or -1. */
function toByte(high: number, low: number): number {
  const high4 = toNibble(high);
  const low4 = toNibble(low);
  return high4 < 0 || low4 < 0 ? -1 : high4 * 16 + low4;
}

function toNibble(char: number): number {
  if (char >= DIGIT_0 && char <= DIGIT_9) {
    return char - DIGIT_0;
  }
  const lower = char | 0x20;
  return lower >= 0x61 && lower <= 0x66 ? lower - 0x57 : -1;
}
