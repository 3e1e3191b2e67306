import { parseCommonTime } from "./log-time.ts";
import {
  isStatus,
  parseRequestLine,
  type ReadLine,
  toKnown,
  withoutPort,
} from "./logged-request.ts";

/** Who, when, what, status, size; whatever follows is not read. */
const LINE = /^([^[]+) \[([^\]]*)\] "((?:[^"\\]|\\.)*)" (\d{3}) (\d{1,15}|-)(?: |$)/s;
/** Name and port of the virtual host, which some servers put first. */
const VIRTUAL_HOST = /^[^:\s]+:\d{1,5}$/;
const ESCAPE = /\\(?:x([0-9A-Fa-f]{2})|(.))/gs;
const CONTROLS: Readonly<Record<string, string>> = {
  b: "\b",
  f: "\f",
  n: "\n",
  r: "\r",
  t: "\t",
  v: "\v",
};

/** Undoes the escapes of Apache and nginx: `\"`, `\\`, `\n` and the like, `\xhh` for one byte. */
function withoutEscapes(text: string): string {
  return text.includes("\\")
    ? text.replace(ESCAPE, (_, hex?: string, char?: string) =>
        hex === undefined
          ? (CONTROLS[char ?? ""] ?? char ?? "")
          : String.fromCharCode(Number.parseInt(hex, 16)),
      )
    : text;
}

function parseWho(text: string) {
  const words = text.split(" ");
  const [first = ""] = words;
  const hasHost = words.length > 3 && VIRTUAL_HOST.test(first);
  const [client = "", , ...user] = hasHost ? words.slice(1) : words;
  return {
    host: hasHost ? withoutPort(first) : undefined,
    client: toKnown(client),
    user: toKnown(withoutEscapes(user.join(" "))),
  };
}

/**
 * Reads a line of the common or combined log format of Apache and nginx, also with the virtual host in front.
 *
 * Example: `192.0.2.1 - ann [17/May/2015:10:05:03 +0000] "GET /a?b HTTP/1.1" 200 512 "-" "curl/8"`.
 */
export function parseCombinedLine(text: string): ReadLine {
  const fields = LINE.exec(text);
  if (fields === null) {
    return { reason: "not a line of the common or combined log format" };
  }
  const [, who = "", time = "", request = "", status, size = ""] = fields;
  const epochMs = parseCommonTime(time);
  if (epochMs === undefined) {
    return { reason: "its time is none: it looks like 17/May/2015:10:05:03 +0000" };
  }
  const call = parseRequestLine(withoutEscapes(request));
  if (call === undefined) {
    return { reason: "no method and target in its request" };
  }
  if (!isStatus(Number(status))) {
    return { reason: "its status is not from 100 to 599" };
  }
  const { host, client, user } = parseWho(who);
  return {
    request: {
      epochMs,
      method: call.method,
      target: call.target,
      status: Number(status),
      client,
      user,
      host: host ?? call.host,
      bytesIn: 0,
      bytesOut: size === "-" ? 0 : Number(size),
      latencyMs: undefined,
    },
  };
}
