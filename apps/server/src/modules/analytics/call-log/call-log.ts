import type { RecordedCall } from "@turnpike/contract/calls";
import type { TenantId } from "@turnpike/domain/ids/ids";
import type { CallConditions } from "../copies/call-conditions.store.ts";

/** A call as the log has it. */
export type LoggedCall = RecordedCall & { tenantId: TenantId };

export type CallFilters = CallConditions & { requestId?: string | undefined };

/** A range of time, and within it bounds of ids of requests: `[fromId, beforeId)`. */
export type CallRange = {
  /** Epoch milliseconds at which calls began, `[fromMs, toMs)`. */
  fromMs: number;
  toMs: number;
  fromId: string;
  beforeId: string;
};

/**
 * Every call of all tenants with its details, for a number of days. It is beside the ledger: nothing is counted from it, and it may
 * be away. A call is one by its tenant and the id of its request, however often it is added.
 *
 * Everything throws `CLICKHOUSE_UNAVAILABLE` while the engine does not answer.
 */
export interface CallLog {
  /** Days for which calls are kept. */
  readonly days: number;
  /** Makes the place of the log if it is not there, and has it keep calls for `days`. */
  ensure(): Promise<void>;
  /** Writes a call as the engine reads it: at once, so that no batch of them holds up the process. */
  toLine(call: LoggedCall): string;
  /** @param lines - Each of {@link CallLog.toLine}. */
  add(lines: readonly string[]): Promise<void>;
  /** The newest calls of the range, by the ids of their requests, at most `limit`. */
  search(search: CallRange & { filters: CallFilters; limit: number }): Promise<LoggedCall[]>;
  /** When the newest call began, epoch milliseconds; undefined without any. */
  findNewestMs(): Promise<number | undefined>;
  /** Deletes all calls of these tenants, and returns when they are gone. @returns How many of them had any. */
  forgetTenants(tenantIds: readonly TenantId[]): Promise<number>;
  /** Deletes the whole log. */
  drop(): Promise<void>;
}
