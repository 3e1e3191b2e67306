import { parseCommonTime } from "./log-time.ts";
import {
  type Authority,
  isStatus,
  parseAuthority,
  parseClient,
  parseHost,
  parseRequestLine,
  type ReadLine,
  toKnown,
} from "./logged-request.ts";

/** The fields of a line as logged, escapes included. */
export type CombinedFields = {
  /** Virtual host if any, client, identity and user. */
  caller: string;
  time: string;
  request: string;
  status: string;
  size: string;
  /** What follows the size: referrer and user agent in the combined format. */
  rest: string;
};

/** Servers escape the quotes that clients send, but not brackets: a user may hold some, and must not hold a time. */
const TIME = / \[(\d{2}\/[A-Z][a-z]{2}\/\d{4}(?::\d{2}){3} [+-]\d{4})\] "/g;
const BRACKETED_TIME = /\[\d{2}\/[A-Z][a-z]{2}\/\d{4}(?::\d{2}){3} [+-]\d{4}\]/;
const ANY_TIME = /^.+ \[[^"]*\] "/s;
const REQUEST = /^((?:[^"\\]|\\.)*)" (\S+) (\S+)(?: |$)/s;
const STATUS = /^\d{3}$/;
const SIZE = /^(?:\d{1,15}|-)$/;
/** An identity (RFC 1413) that cannot be mistaken for an address or a host name. */
const IDENTITY = /^[^\s.:[\]"]+$/;

const ESCAPES =
  /\\x[0-7][\da-f]|\\x[cd][\da-f]\\x[89ab][\da-f]|\\xe[\da-f](?:\\x[89ab][\da-f]){2}|\\xf[0-4](?:\\x[89ab][\da-f]){3}|\\x[\da-f]{2}|\\./gis;
const CONTROLS: Readonly<Record<string, string>> = {
  b: "\b",
  f: "\f",
  n: "\n",
  r: "\r",
  t: "\t",
  v: "\v",
};

/** Undoes one escape; bytes that are not UTF-8 are taken for Latin-1. */
function decodeEscape(escaped: string): string {
  if (!/^\\x[\da-f]{2}/i.test(escaped)) {
    return CONTROLS[escaped.slice(1)] ?? escaped.slice(1);
  }
  const bytes = escaped.slice(2).split("\\x");
  try {
    return decodeURIComponent(`%${bytes.join("%")}`);
  } catch {
    return String.fromCharCode(...bytes.map((byte) => Number.parseInt(byte, 16)));
  }
}

/** Undoes the escapes of Apache and nginx: `\"`, `\\`, `\n` and the like, `\xhh` for one byte of UTF-8. */
function withoutEscapes(text: string): string {
  return text.includes("\\") ? text.replace(ESCAPES, decodeEscape) : text;
}

/**
 * Takes a line of the common or combined log format apart.
 *
 * @returns Why the line cannot be taken apart, when it cannot.
 */
export function splitCombinedLine(text: string): CombinedFields | { reason: string } {
  const [found, second] = text.matchAll(TIME);
  if (found === undefined) {
    return ANY_TIME.test(text)
      ? { reason: "its time cannot be read: expected a time such as 17/May/2015:10:05:03 +0000" }
      : { reason: "not a line of the common or combined log format" };
  }
  const caller = text.slice(0, found.index);
  if (second !== undefined || BRACKETED_TIME.test(caller)) {
    return { reason: "two times in it: what its client sent reads like another line" };
  }
  const [whole, time = ""] = found;
  const after = text.slice(found.index + whole.length);
  const fields = REQUEST.exec(after);
  if (fields === null) {
    return { reason: "not a line of the common or combined log format" };
  }
  const [read, request = "", status = "", size = ""] = fields;
  const rest = after.slice(read.length);
  return { caller, time, request, status, size, rest };
}

function isClientName(authority: Authority | undefined): boolean {
  return (
    authority !== undefined &&
    !authority.hasPort &&
    (authority.name.includes(".") || authority.name === "localhost")
  );
}

/**
 * Says whether the line begins with a virtual host. A plain line has the identity in second place, which is `-` or a word; with
 * a virtual host in front, the client is there, an address or a full host name. Only a virtual host is a name with a port.
 */
function hasVirtualHost(first: string, second: string): boolean {
  const client = parseAuthority(second);
  const host = parseAuthority(first);
  return (
    client?.isAddress === true ||
    isClientName(client) ||
    (host?.hasPort === true && !host.isAddress)
  );
}

type Caller = { host: string | undefined; client: string | undefined; user: string | undefined };

const UNREADABLE_CALLER = {
  reason: "what is before its time does not read as client, identity and user",
};

function toUser(words: readonly string[]): { user: string | undefined } | undefined {
  const text = words.join(" ");
  // A client that is really called "- ann" looks like one field too many, and must not pass for ann.
  return words.length === 0 || text.startsWith("- ")
    ? undefined
    : { user: toKnown(text) === undefined ? undefined : withoutEscapes(text) };
}

function parseCaller(text: string): Caller | { reason: string } {
  const words = text.split(" ");
  if (words.slice(0, 2).includes("")) {
    return UNREADABLE_CALLER;
  }
  const isVirtual = hasVirtualHost(words[0] ?? "", words[1] ?? "");
  const host = isVirtual ? parseAuthority(words[0] ?? "") : undefined;
  if (host?.isAddress === true && !(host.hasPort || host.isBracketed)) {
    return { reason: "two addresses in front: which one is the client's is not known" };
  }
  const virtualHost = isVirtual ? parseHost(words[0]) : { value: undefined };
  const [clientText = "", identity = "", ...userWords] = isVirtual ? words.slice(1) : words;
  const client = parseClient(clientText);
  const user = toUser(userWords);
  const isIdentity =
    isVirtual && (host?.hasPort !== true || clientText === "-")
      ? identity === "-"
      : identity === "-" || IDENTITY.test(identity);
  return virtualHost === undefined || client === undefined || user === undefined || !isIdentity
    ? UNREADABLE_CALLER
    : { host: virtualHost.value, client: client.value, user: user.user };
}

/**
 * Reads a line of the common or combined log format of Apache and nginx, with a virtual host in front or without. A line whose
 * fields can be read in two ways is refused, so that no call is counted for the wrong tenant.
 *
 * Example: `192.0.2.1 - ann [17/May/2015:10:05:03 +0000] "GET /a?b HTTP/1.1" 200 512 "-" "curl/8"`.
 */
export function parseCombinedLine(text: string): ReadLine {
  const fields = splitCombinedLine(text);
  if ("reason" in fields) {
    return fields;
  }
  const epochMs = parseCommonTime(fields.time);
  if (epochMs === undefined) {
    return { reason: "its time is not one of a clock, or lies before 1970" };
  }
  const call = parseRequestLine(withoutEscapes(fields.request));
  if (call === undefined) {
    return { reason: "no method and target in its request" };
  }
  if (!(STATUS.test(fields.status) && isStatus(Number(fields.status)))) {
    return { reason: "its status is not from 100 to 599" };
  }
  if (!SIZE.test(fields.size)) {
    return { reason: "its size is not a number" };
  }
  const caller = parseCaller(fields.caller);
  if ("reason" in caller) {
    return caller;
  }
  return {
    request: {
      epochMs,
      method: call.method,
      target: call.target,
      status: Number(fields.status),
      client: caller.client,
      user: caller.user,
      host: caller.host ?? call.host,
      bytesIn: 0,
      bytesOut: fields.size === "-" ? 0 : Number(fields.size),
      latencyMs: undefined,
    },
  };
}
