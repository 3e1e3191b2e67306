import { compileRules } from "@turnpike/domain/access-log/match-rules";
import { type LogLineOptions, parseLogLine } from "@turnpike/domain/access-log/parse-log-line";
import type { PathMode } from "@turnpike/domain/privacy/redact";
import {
  createRouteRegistry,
  OTHER_ROUTE,
  type RouteRegistry,
} from "@turnpike/domain/routes/route-registry";
import type { RouteDocuments } from "#modules/gateway/index.ts";
import type { HistoryCall, HistoryLine } from "#modules/metering/index.ts";
import { LINE_LENGTH_MAX } from "./read-log-lines.ts";
import type { ResolvedRules } from "./resolve-rules.ts";

/** The result of reading a line of a log. */
export type LineRead =
  | { call: HistoryCall }
  | { bad: string }
  /** A rule ignores it. */
  | "ignored"
  /** No rule matches it. */
  | "unmatched";

/** As many routes as the gateway distinguishes in a day. */
const ROUTES_A_DAY = { perTenantMax: 500, reservedPerTenant: 50, sharedMax: 100_000 };
/** Days whose routes are in memory at once: logs are nearly in the order of time. */
const DAYS_MAX = 40;
const DAY_MS = 86_400_000;
/** How far another machine's clock may be ahead. */
const AHEAD_MS = DAY_MS;
const NOT_ASCII = /[\u0080-\u00ff]/;

/** Bounds the number of rollups as the gateway does, separately for every day of the log. */
function createDayBooks() {
  const books = new Map<number, RouteRegistry>();
  return (tenantId: string, target: string, epochMs: number): string => {
    const day = Math.floor(epochMs / DAY_MS);
    let book = books.get(day);
    if (book === undefined) {
      const [oldest] = books.keys();
      if (books.size >= DAYS_MAX && oldest !== undefined) {
        books.delete(oldest);
      }
      book = createRouteRegistry(ROUTES_A_DAY);
      books.set(day, book);
    }
    return book.routeOf(tenantId, target, epochMs);
  };
}

/** Creates the function that reads a line of a log and finds its tenant. */
export function createLineReader(input: {
  rules: ResolvedRules["rules"];
  options: LogLineOptions;
  nowMs: number;
  /** Finds routes as the gateway does; left out: all routes are learned. */
  documents?: Pick<RouteDocuments, "findRoute"> | undefined;
  paths?: PathMode | undefined;
}): (line: HistoryLine) => LineRead {
  const find = compileRules(input.rules);
  const learn = createDayBooks();
  const routeOf = (tenantId: string, target: string, epochMs: number): string =>
    input.documents?.findRoute(undefined, target) ??
    (input.paths === "documented" ? OTHER_ROUTE : learn(tenantId, target, epochMs));
  const latestMs = input.nowMs + AHEAD_MS;
  return ({ text }) => {
    if (text.length > LINE_LENGTH_MAX) {
      return { bad: "longer than 64 KiB" };
    }
    const read = parseLogLine(
      NOT_ASCII.test(text) ? Buffer.from(text, "latin1").toString("utf8") : text,
      input.options,
    );
    if ("reason" in read) {
      return { bad: read.reason };
    }
    const { request } = read;
    if (request.epochMs > latestMs) {
      return { bad: "its time is in the future" };
    }
    const owner = find(request);
    if (owner === undefined || owner === null) {
      return owner === null ? "ignored" : "unmatched";
    }
    const route = routeOf(owner.tenantId, request.target, request.epochMs);
    return { call: { owner, request, route } };
  };
}
