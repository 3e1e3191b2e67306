/** What a line of an access log says of one request. What it does not say is undefined, or 0 bytes. */
export type LoggedRequest = {
  /** When it was logged, epoch milliseconds. */
  epochMs: number;
  method: string;
  /** The target as sent, query included; starts with a slash, but for `*` and other oddities that a server answered. */
  target: string;
  /** 100 to 599. */
  status: number;
  /** Address without a port. */
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

/** A line that was read, or why it cannot be. */
export type ReadLine = { request: LoggedRequest } | { reason: string };

/** Names in the logs for what is not known. */
export function toKnown(text: string | undefined): string | undefined {
  return text === undefined || text === "-" || text === "" ? undefined : text;
}

/** A host or address without its port and brackets, in lower case. An IPv6 address without brackets has no port. */
export function withoutPort(text: string): string {
  const bracketed = /^\[([^\]]*)\](?::\d+)?$/.exec(text);
  if (bracketed !== null) {
    return (bracketed[1] ?? "").toLowerCase();
  }
  const isAddress6 = text.indexOf(":") !== text.lastIndexOf(":");
  return (isAddress6 ? text : text.replace(/:\d+$/, "")).toLowerCase();
}

const REQUEST_LINE = /^([!#$%&'*+.^_`|~0-9A-Za-z-]{1,64}) (.+?)(?: HTTP\/\d(?:\.\d)?)?$/s;
const ABSOLUTE = /^https?:\/\/([^/?#]*)(.*)$/is;

/**
 * Takes a request line apart. A target in absolute form (`http://a.example/x`, as proxies get it) gives its host away.
 *
 * @returns `undefined` for what is none: an empty request, a TLS greeting.
 */
export function parseRequestLine(
  text: string,
): { method: string; target: string; host: string | undefined } | undefined {
  const parts = REQUEST_LINE.exec(text);
  if (parts === null) {
    return;
  }
  const [, method = "", target = ""] = parts;
  return { method, ...splitTarget(target) };
}

/** Takes the host off a target in absolute form. */
export function splitTarget(target: string): { target: string; host: string | undefined } {
  const absolute = target.startsWith("/") ? null : ABSOLUTE.exec(target);
  if (absolute === null) {
    return { target, host: undefined };
  }
  const [, host = "", rest = ""] = absolute;
  return {
    target: rest.startsWith("/") ? rest : `/${rest}`,
    host: toKnown(withoutPort(host)),
  };
}

/** True for a status that an answer can have. */
export function isStatus(status: number): boolean {
  return Number.isInteger(status) && status >= 100 && status <= 599;
}
