import { createReadStream } from "node:fs";
import { METHODS } from "node:http";
import { splitCombinedLine } from "@turnpike/domain/access-log/parse-combined-line";

/** A line of an access log that can be sent again. */
export type LoggedCall = {
  /** From 1. */
  line: number;
  method: string;
  /** Request target as logged, not decoded. */
  target: string;
  status: number;
  /** Size of the body; 0 for `-`. */
  bytes: number;
  referer: string | undefined;
  userAgent: string | undefined;
};

export type LogItem = { line: number; call: LoggedCall } | { line: number; reason: string };

/** Longer lines are no lines of an access log. */
const LINE_BYTES_MAX = 64 * 1024;
/** The gateway takes heads up to 16 KiB, the headers that replay adds included. */
const TARGET_LENGTH_MAX = 8 * 1024;
/** As much as the stub makes. */
const BODY_BYTES_MAX = 1024 ** 3;

/** Referrer and user agent of the combined format, as logged. */
const CLIENT = /^"((?:[^"\\]|\\.)*)" "((?:[^"\\]|\\.)*)"/;
const REQUEST = /^([!#$%&'*+.^_`|~0-9A-Za-z-]+) (\S+)(?: HTTP\/\d(?:\.\d)?)?$/;
/** Visible ASCII without what the gateway refuses as raw text in a target. */
const TARGET = /^\/[\x21-\x22\x24-\x5b\x5d-\x7e]*$/;

const KNOWN_METHODS = new Set(METHODS);

/** A header that went through the log's escaping is sent as logged when it is plain text, and left out otherwise. */
function toHeader(text: string | undefined): string | undefined {
  return text === undefined || text === "-" || text === "" || !/^[\x20-\x7e]{1,2000}$/.test(text)
    ? undefined
    : text;
}

function findObstacle(method: string, target: string, status: number, bytes: number) {
  if (!KNOWN_METHODS.has(method) || method === "CONNECT" || method === "TRACE") {
    return `the method ${method.slice(0, 20)} cannot be sent`;
  }
  if (!TARGET.test(target)) {
    return "the request target does not start with a slash, or holds what must be percent-encoded";
  }
  if (target.length > TARGET_LENGTH_MAX) {
    return "the request target is longer than 8 KiB";
  }
  if (!(status >= 200 && status <= 599)) {
    return `the status ${String(status)} is not a final one`;
  }
  return bytes <= BODY_BYTES_MAX ? undefined : "the answer was larger than 1 GiB";
}

/** Reads one line of the common or combined log format; says why when it cannot be sent again. */
export function parseLogLine(line: number, text: string): LogItem {
  const fields = splitCombinedLine(text);
  if ("reason" in fields) {
    return { line, reason: fields.reason };
  }
  const request = REQUEST.exec(fields.request);
  if (request === null) {
    return { line, reason: "no method and target in the request field" };
  }
  const [, method = "", target = ""] = request;
  const status = Number(fields.status);
  const bytes = fields.size === "-" ? 0 : Number(fields.size);
  const reason = findObstacle(method, target, status, bytes);
  if (reason !== undefined) {
    return { line, reason };
  }
  const [referer, userAgent] = (CLIENT.exec(fields.rest) ?? []).slice(1).map(toHeader);
  return { line, call: { line, method, target, status, bytes, referer, userAgent } };
}

/** Reads the lines of a file one by one, in bounded memory. An empty line is one that cannot be sent. */
export async function* readAccessLog(path: string): AsyncGenerator<LogItem> {
  let line = 0;
  let rest = "";
  let isSkipping = false;
  function* take(text: string): Generator<LogItem> {
    line += 1;
    if (isSkipping || text.length > LINE_BYTES_MAX) {
      isSkipping = false;
      yield { line, reason: "longer than 64 KiB" };
    } else if (text.trim() === "") {
      yield { line, reason: "empty" };
    } else {
      yield parseLogLine(line, text.replace(/\r$/, ""));
    }
  }
  // Latin-1 keeps every byte; a target that is not ASCII is refused above.
  for await (const chunk of createReadStream(path, { encoding: "latin1" })) {
    const lines = (rest + String(chunk)).split("\n");
    rest = lines.pop() ?? "";
    for (const text of lines) {
      yield* take(text);
    }
    if (rest.length > LINE_BYTES_MAX) {
      isSkipping = true;
      rest = "";
    }
  }
  if (rest !== "" || isSkipping) {
    yield* take(rest);
  }
}
