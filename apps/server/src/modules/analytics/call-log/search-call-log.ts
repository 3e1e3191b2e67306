import type { AllCallsQuery, TenantCalls } from "@turnpike/contract/calls";
import { assertMay, type CallContext } from "@turnpike/domain/access/actor";
import { AppError } from "@turnpike/domain/errors/app-error";
import { DAY_MS, HOUR_MS } from "@turnpike/domain/time/zoned-buckets";
import type { AppServices } from "#platform/app-services.ts";
import { isTooSlow } from "#platform/clickhouse.ts";
import { parseIdCursor } from "#platform/parse-cursor.ts";
import { toRequestIdBound, toRequestTimeMs } from "../calls/request-id-bound.ts";
import { tooCostly } from "../queries/read-rollups.ts";
import type { CallFilters, CallLog, LoggedCall } from "./call-log.ts";
import { listTenantNames } from "./tenants-of-log.store.ts";
import { countUnloggedCalls } from "./unlogged-calls.store.ts";

/** The first look goes back so far, and each further one four times as far: what is asked for is mostly of the last minutes. */
const FIRST_LOOK_MS = HOUR_MS;
const LOOKS_GROW_BY = 4;
/** A page looks no further back when it has taken so long; the next one goes on. */
const LOOKING_MS = 10_000;
/** Behind a bound this makes the lowest id of its millisecond. */
const LOWEST_DIGITS = "0".repeat(20);

export type SearchCallLogDeps = Pick<AppServices, "transact" | "clock"> & {
  /** Undefined where calls are not logged. */
  callLog: CallLog | undefined;
};

type Search = {
  fromMs: number;
  toMs: number;
  fromId: string;
  beforeId: string;
  filters: CallFilters;
  limit: number;
};

type Found = { calls: LoggedCall[] /** Epoch milliseconds. */; searchedFromMs: number };

function getCallLog({ callLog }: SearchCallLogDeps): CallLog {
  if (callLog === undefined) {
    throw new AppError({
      code: "CALL_LOG_OFF",
      publicMessage:
        "The calls of all tenants are not logged: that needs a ClickHouse and clickhouse.callsDays in turnpike.yaml.",
    });
  }
  return callLog;
}

/** Looks back step by step, until enough is found, everything is searched, or it has taken long enough. */
async function lookBack(
  { clock, callLog }: { clock: SearchCallLogDeps["clock"]; callLog: CallLog },
  search: Search,
): Promise<Found> {
  const { fromMs, filters, limit } = search;
  const startedMs = clock.monotonicMs();
  const calls: LoggedCall[] = [];
  let { toMs, beforeId } = search;
  let backMs = Math.max(FIRST_LOOK_MS, toMs - clock.now().getTime() + FIRST_LOOK_MS);
  while (toMs > fromMs && calls.length < limit) {
    const lookFromMs = Math.max(fromMs, toMs - backMs);
    const fromId = lookFromMs === fromMs ? search.fromId : toRequestIdBound(lookFromMs);
    const range = { fromMs: lookFromMs, toMs, fromId, beforeId };
    try {
      calls.push(...(await callLog.search({ ...range, filters, limit: limit - calls.length })));
    } catch (error) {
      if (!isTooSlow(error)) {
        throw error;
      }
      if (toMs === search.toMs) {
        throw tooCostly(
          "Searching this takes too long: narrow the range, or name a tenant or a request.",
          error,
        );
      }
      break;
    }
    toMs = lookFromMs;
    beforeId = fromId;
    backMs *= LOOKS_GROW_BY;
    if (clock.monotonicMs() - startedMs > LOOKING_MS) {
      break;
    }
  }
  return { calls, searchedFromMs: toMs };
}

/**
 * Searches the logged calls of all tenants, newest first, those of deleted tenants included. For the operator's actors. A page looks
 * back for a bounded time, so it may hold fewer calls than asked for, or none, and have a next one.
 *
 * @throws {AppError} `INSUFFICIENT_SCOPE`; `CALL_LOG_OFF`; `CLICKHOUSE_UNAVAILABLE`; `QUERY_TOO_COSTLY`; `INVALID_REQUEST` for
 *   what is no cursor.
 */
export async function searchCallLog(
  deps: SearchCallLogDeps,
  context: CallContext,
  input: AllCallsQuery,
): Promise<TenantCalls> {
  assertMay(context.actor, "usage:read");
  const { cursor, limit, from, to, ...filters } = input;
  const before = parseIdCursor("request", cursor);
  const callLog = getCallLog(deps);
  const nowMs = deps.clock.now().getTime();
  const keptFromMs = nowMs - callLog.days * DAY_MS;
  const fromMs = Math.max(keptFromMs, from === undefined ? 0 : Date.parse(from));
  // Clocks of several machines differ.
  const toMs = Math.min(nowMs + DAY_MS, to === undefined ? Infinity : Date.parse(to));
  const { calls, searchedFromMs } = await lookBack(
    { clock: deps.clock, callLog },
    {
      fromMs,
      toMs: before === undefined ? toMs : Math.min(toMs, toRequestTimeMs(before) + 1),
      fromId: toRequestIdBound(fromMs),
      beforeId: before ?? toRequestIdBound(toMs),
      filters,
      limit: limit + 1,
    },
  );
  const items = calls.slice(0, limit);
  const last = calls.length > limit ? items.at(-1) : undefined;
  const isOver = last === undefined && searchedFromMs <= fromMs;
  const { names, omitted } = await deps.transact.asOperatorWithDeleted(async (tx) => ({
    names: await listTenantNames(
      tx,
      items.map(({ tenantId }) => tenantId),
    ),
    omitted: await countUnloggedCalls(tx, { fromMs, toMs }),
  }));
  const nextCursor = isOver
    ? null
    : (last?.requestId ?? toRequestIdBound(searchedFromMs) + LOWEST_DIGITS);
  return {
    items: items.map((call) => ({ ...call, tenantName: names.get(call.tenantId) ?? null })),
    nextCursor,
    searchedFrom: new Date(
      last === undefined ? Math.max(searchedFromMs, fromMs) : toRequestTimeMs(last.requestId),
    ).toISOString(),
    keptFrom: new Date(keptFromMs).toISOString(),
    omitted,
  };
}
