import type { RecordedCall, RecordedCalls, RecordedCallsQuery } from "@turnpike/contract/calls";
import { assertMayInTenant, type CallContext } from "@turnpike/domain/access/actor";
import { resourceNotFound } from "@turnpike/domain/errors/app-error";
import type { TenantId } from "@turnpike/domain/ids/ids";
import type { AppServices } from "#platform/app-services.ts";
import { assertTenantExists } from "#platform/assert-tenant-exists.store.ts";
import { parseIdCursor } from "#platform/parse-cursor.ts";
import {
  type CallsScope,
  countOmittedCalls,
  findScanEnd,
  searchCalls,
} from "./recent-calls.store.ts";
import { toRequestIdBound, toRequestTimeMs } from "./request-id-bound.ts";

/** Calls that one page looks through: some ten milliseconds of the database. */
const SCANNED_MAX = 20_000;
const DAY_MS = 86_400_000;

export type FindCallsDeps = Pick<AppServices, "transact" | "clock"> & {
  /** Days for which calls are kept; 0 when none are. */
  callsDays: number;
};

/**
 * Searches the recent calls of a tenant, newest first. A page looks through a bounded number of calls, so it may hold fewer than
 * asked for, or none, and have a next one.
 *
 * @throws {AppError} `RESOURCE_NOT_FOUND`, `INSUFFICIENT_SCOPE`, `INVALID_REQUEST` for what is no cursor.
 */
export async function listCalls(
  deps: FindCallsDeps,
  context: CallContext,
  input: RecordedCallsQuery,
): Promise<RecordedCalls> {
  const { tenantId, cursor, limit, from, to, ...filters } = input;
  assertMayInTenant(context.actor, "usage:read", tenantId);
  const nowMs = deps.clock.now().getTime();
  const keptFromMs = nowMs - deps.callsDays * DAY_MS;
  const fromMs = Math.max(keptFromMs, from === undefined ? 0 : Date.parse(from));
  // A request that begins now is not over, but clocks of several machines differ.
  const toMs = to === undefined ? nowMs + DAY_MS : Date.parse(to);
  const scope: CallsScope = {
    tenantId,
    fromId: toRequestIdBound(fromMs),
    beforeId: parseIdCursor("request", cursor) ?? toRequestIdBound(toMs),
    scannedMax: SCANNED_MAX,
  };
  return await deps.transact.asTenant(tenantId, async (tx) => {
    await assertTenantExists(tx, tenantId);
    const found = await searchCalls(tx, scope, { filters, limit: limit + 1 });
    const items = found.slice(0, limit);
    const nextCursor =
      found.length > limit
        ? (items.at(-1)?.requestId ?? null)
        : ((await findScanEnd(tx, scope)) ?? null);
    const searchedFromMs = nextCursor === null ? fromMs : toRequestTimeMs(nextCursor);
    return {
      items,
      nextCursor,
      searchedFrom: new Date(searchedFromMs).toISOString(),
      keptFrom: new Date(keptFromMs).toISOString(),
      omitted: await countOmittedCalls(tx, { tenantId, fromMs, toMs }),
    };
  });
}

/** @throws {AppError} `RESOURCE_NOT_FOUND`, also for a call that was not kept; `INSUFFICIENT_SCOPE`. */
export async function getCall(
  deps: FindCallsDeps,
  context: CallContext,
  { tenantId, requestId }: { tenantId: TenantId; requestId: string },
): Promise<RecordedCall> {
  assertMayInTenant(context.actor, "usage:read", tenantId);
  const keptFromId = toRequestIdBound(deps.clock.now().getTime() - deps.callsDays * DAY_MS);
  const scope = { tenantId, fromId: keptFromId, beforeId: `${requestId}~`, scannedMax: 1 };
  const [call] = await deps.transact.asTenant(tenantId, (tx) =>
    searchCalls(tx, scope, { filters: { requestId }, limit: 1 }),
  );
  if (call === undefined) {
    throw resourceNotFound("call");
  }
  return call;
}
