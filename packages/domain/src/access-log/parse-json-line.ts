import { parseLogTime } from "./log-time.ts";
import {
  type Field,
  isStatus,
  type LoggedCall,
  parseCall,
  parseClient,
  parseHost,
  parseRequestLine,
  type ReadLine,
  toKnown,
} from "./logged-request.ts";

/** The fields of a line of nginx. `request` is the whole request line, for logs without method and target. */
export const LOG_FIELDS = [
  "time",
  "client",
  "user",
  "host",
  "request",
  "method",
  "target",
  "status",
  "bytesIn",
  "bytesOut",
  "seconds",
] as const;
export type LogField = (typeof LOG_FIELDS)[number];

/** Names that a log gives its fields instead of the usual ones; a dot leads into an object. */
export type LogFieldNames = Partial<Readonly<Record<LogField, string>>>;

type Json = Readonly<Record<string, unknown>>;

/** The variables of nginx, then other common names. Sizes are those of bodies, which is what Turnpike counts. */
const USUAL_NAMES: Readonly<Record<LogField, readonly string[]>> = {
  time: ["time_iso8601", "msec", "time_local", "time", "timestamp", "@timestamp", "ts"],
  client: ["remote_addr", "client_ip", "remote_ip", "client"],
  user: ["remote_user", "user"],
  host: ["host", "http_host", "server_name"],
  request: ["request"],
  method: ["request_method", "method"],
  target: ["request_uri", "uri", "path"],
  status: ["status"],
  bytesIn: ["content_length", "bytes_in"],
  bytesOut: ["body_bytes_sent", "bytes_out"],
  seconds: ["request_time", "duration"],
};

const DURATION_PART = /(\d+(?:\.\d+)?)(ns|us|µs|μs|ms|s|m|h)/g;
const DURATION = /^(?:\d+(?:\.\d+)?(?:ns|us|µs|μs|ms|s|m|h))+$/;
const UNIT_MS: Readonly<Record<string, number>> = {
  ns: 1e-6,
  us: 1e-3,
  µs: 1e-3,
  μs: 1e-3,
  ms: 1,
  s: 1_000,
  m: 60_000,
  h: 3_600_000,
};

function isObject(value: unknown): value is Json {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function getOwn(json: unknown, name: string): unknown {
  return isObject(json) && Object.hasOwn(json, name) ? json[name] : undefined;
}

function getAt(json: Json, name: string): unknown {
  const own = getOwn(json, name);
  return own === undefined && name.includes(".")
    ? name.split(".").reduce<unknown>(getOwn, json)
    : own;
}

/** Absent, null, empty and `-` all mean that the value is unknown. */
function isUnknown(value: unknown): boolean {
  return (
    value === undefined ||
    value === null ||
    (typeof value === "string" && toKnown(value) === undefined)
  );
}

/** Text as logged. A number is text too: some users are called 42. */
function toText(value: unknown): Field<string> | undefined {
  if (isUnknown(value)) {
    return { value: undefined };
  }
  return typeof value === "string" || Number.isSafeInteger(value)
    ? { value: String(value) }
    : undefined;
}

/** Numbers may be in quotes, as the author of the log's format wrote them. */
function toNumber(value: unknown): number | undefined {
  const isNumeric = typeof value === "string" && /^\d{1,15}(?:\.\d{1,9})?$/.test(value);
  const number = typeof value === "number" ? value : isNumeric ? Number(value) : Number.NaN;
  return number >= 0 && number <= Number.MAX_SAFE_INTEGER ? number : undefined;
}

/** A tebibyte: no body is larger, and the sums of any log of them stay whole numbers. */
const BYTES_MAX = 2 ** 40;

function toBytes(value: unknown): number | undefined {
  const number = isUnknown(value) ? 0 : toNumber(value);
  return number === undefined ? undefined : Math.min(BYTES_MAX, Math.floor(number));
}

/** Seconds, or a duration as Go writes it: `1m2.5s`. */
function toLatencyMs(value: unknown): number | undefined {
  if (typeof value !== "string" || !DURATION.test(value)) {
    const seconds = toNumber(value);
    return seconds === undefined ? undefined : seconds * 1_000;
  }
  let sum = 0;
  for (const [, amount, unit = ""] of value.matchAll(DURATION_PART)) {
    sum += Number(amount) * (UNIT_MS[unit] ?? 0);
  }
  return sum;
}

type Found = Readonly<Record<Exclude<LogField, "request" | "method" | "target">, unknown>>;

function toRequest(found: Found, call: LoggedCall): ReadLine {
  const epochMs = parseLogTime(found.time);
  if (epochMs === undefined) {
    return { reason: "no time, or none with its zone" };
  }
  const status = toNumber(found.status);
  if (status === undefined || !isStatus(status)) {
    return { reason: "no status from 100 to 599" };
  }
  const [clientText, hostText, user] = [found.client, found.host, found.user].map(toText);
  const client = clientText === undefined ? undefined : parseClient(clientText.value);
  const host = hostText === undefined ? undefined : parseHost(hostText.value);
  if (client === undefined) {
    return { reason: "its client is neither an address nor a host name" };
  }
  if (host === undefined) {
    return { reason: "its host is neither a host name nor an address" };
  }
  if (user === undefined) {
    return { reason: "its user is not text" };
  }
  const bytesIn = toBytes(found.bytesIn);
  const bytesOut = toBytes(found.bytesOut);
  if (bytesIn === undefined || bytesOut === undefined) {
    return { reason: "its size is not a number" };
  }
  return {
    request: {
      epochMs,
      method: call.method,
      target: call.target,
      status,
      client: client.value,
      user: user.value,
      host: host.value ?? call.host,
      bytesIn,
      bytesOut,
      latencyMs: toLatencyMs(found.seconds),
    },
  };
}

function toCall(method: unknown, target: unknown): LoggedCall | undefined {
  return typeof method === "string" && typeof target === "string"
    ? parseCall(method, target)
    : undefined;
}

function fromCaddy(json: Json, request: Json): ReadLine {
  const call = toCall(request["method"], request["uri"]);
  if (call === undefined) {
    return { reason: "no method and uri in its request" };
  }
  const found = {
    time: json["ts"],
    client: request["client_ip"] ?? request["remote_ip"] ?? request["remote_addr"],
    user: json["user_id"],
    host: request["host"],
    // A handler that sets no status sends 200, and Caddy logs 0.
    status: json["status"] === 0 ? 200 : json["status"],
    bytesIn: json["bytes_read"],
    bytesOut: json["size"],
    seconds: json["duration"],
  };
  return toRequest(found, call);
}

/** A method and a target are read first; without them, the whole request line. */
function findCall(get: (field: LogField) => unknown): LoggedCall | undefined {
  const [method, target] = [get("method"), get("target")];
  if (!(isUnknown(method) || isUnknown(target))) {
    return toCall(method, target);
  }
  const line = get("request");
  return typeof line === "string" ? parseRequestLine(line) : undefined;
}

function fromNginx(json: Json, names: LogFieldNames): ReadLine {
  const absent = Object.values(names).find((name) => getAt(json, name) === undefined);
  if (absent !== undefined) {
    return { reason: `no field ${absent} in it` };
  }
  const get = (field: LogField): unknown => {
    const own = names[field];
    return own === undefined
      ? USUAL_NAMES[field].map((name) => getOwn(json, name)).find((value) => value !== undefined)
      : getAt(json, own);
  };
  const call = findCall(get);
  if (call === undefined) {
    return { reason: "no request in it: neither method and target nor a request line" };
  }
  const found = {
    time: get("time"),
    client: get("client"),
    user: get("user"),
    host: get("host"),
    status: get("status"),
    bytesIn: get("bytesIn"),
    bytesOut: get("bytesOut"),
    seconds: get("seconds"),
  };
  return toRequest(found, call);
}

export type JsonLogFormat = "nginx" | "caddy";

/**
 * Reads a line of JSON: of Caddy, whose `request` is an object, or of nginx with `escape=json`.
 *
 * @param format - Undefined: each line decides.
 */
export function parseJsonLine(
  text: string,
  { format, names = {} }: { format?: JsonLogFormat | undefined; names?: LogFieldNames } = {},
): ReadLine {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    return { reason: "not JSON" };
  }
  if (!isObject(json)) {
    return { reason: "not a JSON object" };
  }
  const request = json["request"];
  if (format !== "nginx" && isObject(request)) {
    return fromCaddy(json, request);
  }
  return format === "caddy"
    ? { reason: "not a line of Caddy's access log: its request is not an object" }
    : fromNginx(json, names);
}
