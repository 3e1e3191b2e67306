import { parseLogTime } from "./log-time.ts";
import {
  isStatus,
  parseRequestLine,
  type ReadLine,
  splitTarget,
  toKnown,
  withoutPort,
} from "./logged-request.ts";

/** What a line of nginx can hold. `request` is the whole request line, for logs without method and target. */
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

/** The names of fields in a log that are not the usual ones; a dot leads into an object. */
export type LogFieldNames = Partial<Readonly<Record<LogField, string>>>;

type Json = Readonly<Record<string, unknown>>;

/** Variables of nginx first, then what people call them. Sizes are those of bodies, as Turnpike counts them. */
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

function toText(value: unknown): string | undefined {
  return typeof value === "string" ? toKnown(value) : undefined;
}

/** nginx writes numbers in quotes where the log's author did. */
function toNumber(value: unknown): number | undefined {
  const isNumeric = typeof value === "string" && /^\d{1,15}(?:\.\d{1,9})?$/.test(value);
  const number = typeof value === "number" ? value : isNumeric ? Number(value) : Number.NaN;
  return number >= 0 && number <= Number.MAX_SAFE_INTEGER ? number : undefined;
}

/** A tebibyte: no body is larger, and the sums of any log of them stay whole numbers. */
const BYTES_MAX = 2 ** 40;

function toBytes(value: unknown): number {
  return Math.min(BYTES_MAX, Math.floor(toNumber(value) ?? 0));
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

type Found = Readonly<Record<Exclude<LogField, "request">, unknown>>;

function toRequest(found: Found, call: { method: string; target: string }): ReadLine {
  const epochMs = parseLogTime(found.time);
  if (epochMs === undefined) {
    return { reason: "no time, or none with its zone" };
  }
  const status = toNumber(found.status);
  if (status === undefined || !isStatus(status)) {
    return { reason: "no status from 100 to 599" };
  }
  const { target, host } = splitTarget(call.target);
  const ownHost = toText(found.host);
  const client = toText(found.client);
  return {
    request: {
      epochMs,
      method: call.method,
      target,
      status,
      client: client === undefined ? undefined : withoutPort(client),
      user: toText(found.user),
      host: ownHost === undefined ? host : withoutPort(ownHost),
      bytesIn: toBytes(found.bytesIn),
      bytesOut: toBytes(found.bytesOut),
      latencyMs: toLatencyMs(found.seconds),
    },
  };
}

function fromCaddy(json: Json, request: Json): ReadLine {
  const [method, target] = [toText(request["method"]), toText(request["uri"])];
  if (method === undefined || target === undefined) {
    return { reason: "no method and uri in its request" };
  }
  const found = {
    time: json["ts"],
    client: request["client_ip"] ?? request["remote_ip"] ?? request["remote_addr"],
    user: json["user_id"],
    host: request["host"],
    method,
    target,
    // Nothing was said of the status: the client was sent 200.
    status: json["status"] === 0 ? 200 : json["status"],
    bytesIn: json["bytes_read"],
    bytesOut: json["size"],
    seconds: json["duration"],
  };
  return toRequest(found, { method, target });
}

function fromNginx(json: Json, names: LogFieldNames): ReadLine {
  const get = (field: LogField): unknown => {
    const own = names[field];
    return own === undefined
      ? USUAL_NAMES[field].map((name) => json[name]).find((value) => value !== undefined)
      : getAt(json, own);
  };
  const [method, target] = [toText(get("method")), toText(get("target"))];
  const call =
    method === undefined || target === undefined
      ? parseRequestLine(toText(get("request")) ?? "")
      : { method, ...splitTarget(target) };
  if (call === undefined) {
    return { reason: "no request in it: neither method and target nor a request line" };
  }
  const found = {
    time: get("time"),
    client: get("client"),
    user: get("user"),
    host: get("host") ?? ("host" in call ? call.host : undefined),
    method: call.method,
    target: call.target,
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
 * @param format - Undefined tells by the line.
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
    ? { reason: "no line of Caddy's access log: its request is no object" }
    : fromNginx(json, names);
}
