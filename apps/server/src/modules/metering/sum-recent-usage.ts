import type { KeyId, TenantId } from "@turnpike/domain/ids/ids";
import type { Environment } from "@turnpike/domain/keys/key-format";
import type { CallMethod } from "@turnpike/domain/metering/call-method";
import {
  addLatencies,
  emptyLatencies,
  type LatencyHistogram,
} from "@turnpike/domain/metering/latency-histogram";
import type { Outcome } from "@turnpike/domain/metering/outcome";
import { type KeyPart, KeyParts } from "./key-parts.ts";
import { SlotBook } from "./slot-book.ts";
import type { GroupEntry } from "./usage-group.ts";

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
  /**
   * The billing period to whose balance of the key the units are owed, unless the key is limited; undefined where balances are
   * written with the entry.
   */
  periodStartMs: number | undefined;
  periodEndMs: number | undefined;
};

/** What the calls of one key in one minute came to. */
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
    one.outcome === other.outcome &&
    one.status === other.status &&
    one.meterId === other.meterId &&
    one.environment === other.environment &&
    one.tenantId === other.tenantId &&
    one.periodStartMs === other.periodStartMs
  );
}

function nameOf(of: RecentFact): string {
  // A meter's name has no bar, so that what follows it is the route, whatever is in it.
  return `${of.tenantId}|${of.outcome}|${String(of.status)}|${String(of.minuteMs)}|${of.environment}|${of.method}|${String(of.periodStartMs)}|${of.meterId}|${of.route}`;
}

function createRows() {
  return new SlotBook<RecentFact, RecentRow>({
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

/** True for the first key of a line: what rolled keys use is written to the balance of that one with the entry. */
export function isOwable({ originKeyId }: Pick<GroupEntry, "originKeyId">): boolean {
  return originKeyId === undefined;
}

/** Sums entries by key and minute. Limited keys are not told apart: who pays what is owed leaves them out. */
export function createRecentSums() {
  const rows = createRows();
  return {
    sums: rows.sums as readonly RecentRow[],
    add: (entry: GroupEntry): void => {
      const isOwed = isOwable(entry);
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
        periodStartMs: isOwed ? entry.periodStartMs : undefined,
        periodEndMs: isOwed ? entry.periodEndMs : undefined,
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

/** Sums that differ in nothing but their key: one future row of recent usage. */
export type RecentPart = KeyPart<RecentRow>;

export function createRecentParts(): KeyParts<RecentRow> {
  return new KeyParts<RecentRow>({ isSameButForKey, nameOf });
}
