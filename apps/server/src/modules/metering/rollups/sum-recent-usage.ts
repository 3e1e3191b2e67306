import type { KeyId, TenantId } from "@turnpike/domain/ids/ids";
import type { Environment } from "@turnpike/domain/keys/key-format";
import type { CallMethod } from "@turnpike/domain/metering/call-method";
import {
  addLatencies,
  emptyLatencies,
  type LatencyHistogram,
} from "@turnpike/domain/metering/latency-histogram";
import type { Outcome } from "@turnpike/domain/metering/outcome";
import { mayBePending } from "../ledger/limited-keys.ts";
import { type PackedRow, RowPacker } from "../ledger/pack-rows.ts";
import { SumRegistry } from "../ledger/sum-registry.ts";
import type { GroupEntry } from "../ledger/usage-group.ts";

type RecentFact = {
  tenantId: TenantId;
  keyId: KeyId;
  /** Start of the minute, epoch milliseconds. */
  minuteMs: number;
  meterId: string;
  environment: Environment;
  outcome: Outcome;
  status: number;
  /** Empty, like the route, when unknown. */
  method: CallMethod | "";
  route: string;
  /** Empty where no upstream answered with tokens. */
  model: string;
  /**
   * The billing period of the key's balance for which the units are pending, unless the key is limited. Undefined where each
   * commit writes the balance.
   */
  periodStartMs: number | undefined;
  periodEndMs: number | undefined;
};

/** The sums of the calls of one key in one minute. */
export type RecentRow = RecentFact & {
  calls: number;
  quantity: number;
  bytesIn: number;
  bytesOut: number;
  latencies: LatencyHistogram;
};

function isSameButForKey(one: RecentFact, other: RecentFact): boolean {
  return (
    one.minuteMs === other.minuteMs &&
    one.route === other.route &&
    one.method === other.method &&
    one.model === other.model &&
    one.outcome === other.outcome &&
    one.status === other.status &&
    one.meterId === other.meterId &&
    one.environment === other.environment &&
    one.tenantId === other.tenantId &&
    one.periodStartMs === other.periodStartMs
  );
}

function nameOf(of: RecentFact): string {
  // The name of a meter and of a model has no bar, so the route may follow with anything in it.
  return `${of.tenantId}|${of.outcome}|${String(of.status)}|${String(of.minuteMs)}|${of.environment}|${of.method}|${String(of.periodStartMs)}|${of.meterId}|${of.model}|${of.route}`;
}

function createRows() {
  return new SumRegistry<RecentFact, RecentRow>({
    ownerOf: (fact) => fact.keyId,
    isOf: isSameButForKey,
    nameOf,
    start: (fact) => ({
      ...fact,
      calls: 0,
      quantity: 0,
      bytesIn: 0,
      bytesOut: 0,
      latencies: emptyLatencies(),
    }),
  });
}

/** Sums entries by key and minute. Does not tell limited keys apart: applying pending usage leaves them out. */
export function createRecentSums() {
  const rows = createRows();
  return {
    sums: rows.sums as readonly RecentRow[],
    add: (entry: GroupEntry): void => {
      const isPending = mayBePending(entry);
      const sum = rows.find({
        tenantId: entry.tenantId,
        keyId: entry.keyId,
        minuteMs: entry.minuteMs,
        meterId: entry.meterId,
        environment: entry.environment,
        outcome: entry.outcome,
        status: entry.status,
        method: entry.method ?? "",
        route: entry.route ?? "",
        model: entry.model ?? "",
        periodStartMs: isPending ? entry.periodStartMs : undefined,
        periodEndMs: isPending ? entry.periodEndMs : undefined,
      });
      sum.calls += entry.calls;
      sum.quantity += entry.quantity;
      sum.bytesIn += entry.bytesIn ?? 0;
      sum.bytesOut += entry.bytesOut ?? 0;
      if (entry.latencies !== undefined) {
        addLatencies(sum.latencies, entry.latencies);
      }
    },
  };
}

/** Sums that differ only in their key, stored as one row of recent usage. */
export type PackedRecent = PackedRow<RecentRow>;

export function createRecentPacker(): RowPacker<RecentRow> {
  return new RowPacker<RecentRow>({ isSameButForKey, nameOf });
}
