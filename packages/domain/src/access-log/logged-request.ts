import { isAddress } from "../keys/networks.ts";

/** One request as an access log describes it. What the line leaves out is undefined, or 0 bytes. */
export type LoggedRequest = {
  /** When it was logged, epoch milliseconds. */
  epochMs: number;
  method: string;
  /** The target as sent, query included. Starts with a slash, except `*` of OPTIONS and the authority of CONNECT. */
  target: string;
  /** 100 to 599. */
  status: number;
  /** Address or host name, without a port, in lower case. */
  client: string | undefined;
  user: string | undefined;
  /** Lower case, without a port. */
  host: string | undefined;
  /** Bytes of the bodies. */
  bytesIn: number;
  bytesOut: number;
  /** Milliseconds. */
  latencyMs: number | undefined;
};

/** The request of a line, or why the line cannot be read. */
export type ReadLine = { request: LoggedRequest } | { reason: string };

/** A field that reads as what it must be. Its value is undefined when the log says that it is unknown. */
export type Field<Value> = { value: Value | undefined };

/** An address or host name in a log. */
export type Authority = {
  /** Without port, brackets, zone and final dot, in lower case. */
  name: string;
  hasPort: boolean;
  isAddress: boolean;
  isBracketed: boolean;
};

/** Logs write `-` or nothing for an unknown value, Apache also `""`. */
export function toKnown(text: string | undefined): string | undefined {
  return text === undefined || text === "-" || text === "" || text === '""' ? undefined : text;
}

const BRACKETED = /^\[([^\]]+)\](?::(\d{1,5}))?$/;
const NAMED = /^([^:]+)(?::(\d{1,5}))?$/;
/** Host names as servers accept and configure them, `_` and `*.example.com` included. */
const NAME = /^(?:[\p{L}\p{M}\p{N}_*-]+\.)*[\p{L}\p{M}\p{N}_*-]+$/u;
/** A name that ends in a number is a mistyped address. */
const NUMERIC_END = /(?:^|\.)\d+$/;
const NAME_LENGTH_MAX = 253;
const PORT_MAX = 65_535;

function withoutZone(address: string): string {
  return address.includes(":") ? address.replace(/%[\w.-]+$/, "") : address;
}

/**
 * Reads an address or a host name, with a port or without. An IPv6 address without brackets has no port.
 *
 * @returns `undefined` for text that is neither.
 */
export function parseAuthority(text: string): Authority | undefined {
  const bare = withoutZone(text);
  if (isAddress(bare)) {
    return { name: bare.toLowerCase(), hasPort: false, isAddress: true, isBracketed: false };
  }
  const bracketed = BRACKETED.exec(text);
  const [, inner = "", port] = bracketed ?? NAMED.exec(text) ?? [];
  const name = (bracketed === null ? inner.replace(/\.$/, "") : withoutZone(inner)).toLowerCase();
  const isIp = isAddress(name) && (bracketed !== null) === name.includes(":");
  const isName =
    bracketed === null &&
    name.length <= NAME_LENGTH_MAX &&
    NAME.test(name) &&
    !NUMERIC_END.test(name);
  return (isIp || isName) && Number(port ?? 0) <= PORT_MAX
    ? { name, hasPort: port !== undefined, isAddress: isIp, isBracketed: bracketed !== null }
    : undefined;
}

/**
 * Reads the client of a request: an address, perhaps with its port, or a host name without one. `unix:` is how nginx writes
 * a client on a socket of the machine itself.
 */
export function parseClient(text: string | undefined): Field<string> | undefined {
  const known = text === "unix:" ? undefined : toKnown(text);
  if (known === undefined) {
    return { value: undefined };
  }
  const authority = parseAuthority(known);
  const isClient =
    authority !== undefined &&
    (authority.isAddress || !(authority.hasPort || authority.name.includes("*")));
  return isClient ? { value: authority.name } : undefined;
}

/** Reads the host that a request was for: a name or an address, perhaps with its port. */
export function parseHost(text: string | undefined): Field<string> | undefined {
  const known = toKnown(text);
  const authority = known === undefined ? undefined : parseAuthority(known);
  return known === undefined || authority !== undefined ? { value: authority?.name } : undefined;
}

const METHOD = /^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,64}$/;
const VERSION = / HTTP\/\d(?:\.\d)?$/;
const ABSOLUTE = /^https?:\/\/([^/?#]*)(.*)$/is;

/** What was asked for. */
export type LoggedCall = { method: string; target: string; host: string | undefined };

/**
 * Checks the method and the target of a request. A target in absolute form, as proxies get it, also names the host:
 * `http://a.example/x` is `/x` of `a.example`.
 *
 * @returns `undefined` when they are not a method and a target.
 */
export function parseCall(method: string, target: string): LoggedCall | undefined {
  if (!METHOD.test(method)) {
    return;
  }
  if (target.startsWith("/") || (method === "OPTIONS" && target === "*")) {
    return { method, target, host: undefined };
  }
  if (method === "CONNECT") {
    const authority = parseAuthority(target);
    return authority?.hasPort === true ? { method, target, host: authority.name } : undefined;
  }
  const [, authority = "", rest = ""] = ABSOLUTE.exec(target) ?? [];
  const host = parseAuthority(authority);
  return host === undefined
    ? undefined
    : { method, target: rest.startsWith("/") ? rest : `/${rest}`, host: host.name };
}

/**
 * Takes a request line apart. Without a version, as in HTTP/0.9, the target holds no blank.
 *
 * @returns `undefined` for anything else, such as an empty request or a TLS greeting.
 */
export function parseRequestLine(text: string): LoggedCall | undefined {
  const version = VERSION.exec(text);
  const call = version === null ? text : text.slice(0, version.index);
  const blank = call.indexOf(" ");
  const target = call.slice(blank + 1);
  return blank < 0 || (version === null && /\s/.test(target))
    ? undefined
    : parseCall(call.slice(0, blank), target);
}

/** True for a status that an answer can have. */
export function isStatus(status: number): boolean {
  return Number.isInteger(status) && status >= 100 && status <= 599;
}
