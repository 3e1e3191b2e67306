import type { KeyId, TenantId } from "@turnpike/domain/ids/ids";
import type { Environment } from "@turnpike/domain/keys/key-format";
import type { CallMethod } from "@turnpike/domain/metering/call-method";
import {
  addLatencies,
  emptyLatencies,
  type LatencyHistogram,
} from "@turnpike/domain/metering/latency-histogram";
import type { Outcome } from "@turnpike/domain/metering/outcome";
import { compareInOrder } from "./compare-in-order.ts";
import { SlotBook } from "./slot-book.ts";
import type { GroupEntry } from "./usage-group.ts";

/** What is added to one row of the rollups. */
export type RollupRow = {
  tenantId: TenantId;
  /** Start of the minute or hour, epoch milliseconds. */
  startMs: number;
  meterId: string;
  environment: Environment;
  keyId: KeyId;
  outcome: Outcome;
  status: number;
  /** Empty, like the route, when unknown. */
  method: CallMethod | "";
  route: string;
  calls: number;
  quantity: number;
  bytesIn: number;
  bytesOut: number;
  latencies: LatencyHistogram;
};

const HOUR_MS = 3_600_000;

type RollupFact = Omit<RollupRow, "calls" | "quantity" | "bytesIn" | "bytesOut" | "latencies">;

function isOfRow(row: RollupRow, fact: RollupFact): boolean {
  return (
    row.startMs === fact.startMs &&
    row.route === fact.route &&
    row.method === fact.method &&
    row.outcome === fact.outcome &&
    row.status === fact.status &&
    row.meterId === fact.meterId &&
    row.environment === fact.environment &&
    row.tenantId === fact.tenantId
  );
}

function nameOfRow(of: RollupFact): string {
  // A meter's name has no bar, so that what follows it is the route, whatever is in it.
  return `${of.tenantId}|${of.outcome}|${String(of.status)}|${String(of.startMs)}|${of.environment}|${of.method}|${of.meterId}|${of.route}`;
}

/** The order of the key of the rollups, with texts by their bytes (they are ASCII). */
export function byRollupKey(one: RollupRow, other: RollupRow): number {
  return (
    compareInOrder(one.tenantId, other.tenantId) ||
    compareInOrder(one.startMs, other.startMs) ||
    compareInOrder(one.meterId, other.meterId) ||
    compareInOrder(one.environment, other.environment) ||
    compareInOrder(one.keyId, other.keyId) ||
    compareInOrder(one.outcome, other.outcome) ||
    compareInOrder(one.status, other.status) ||
    compareInOrder(one.method, other.method) ||
    compareInOrder(one.route, other.route)
  );
}

function createRows() {
  return new SlotBook<RollupFact, RollupRow>({
    ownerOf: (fact) => fact.keyId,
    isOf: isOfRow,
    nameOf: nameOfRow,
    start: (fact) => ({
      tenantId: fact.tenantId,
      startMs: fact.startMs,
      meterId: fact.meterId,
      environment: fact.environment,
      keyId: fact.keyId,
      outcome: fact.outcome,
      status: fact.status,
      method: fact.method,
      route: fact.route,
      calls: 0,
      quantity: 0,
      bytesIn: 0,
      bytesOut: 0,
      latencies: emptyLatencies(),
    }),
  });
}

function factOf(entry: GroupEntry): RollupFact {
  return {
    tenantId: entry.tenantId,
    startMs: entry.minuteMs,
    meterId: entry.meterId,
    environment: entry.environment,
    keyId: entry.keyId,
    outcome: entry.outcome,
    status: entry.status,
    method: entry.method ?? "",
    route: entry.route ?? "",
  };
}

/** Sums entries by minute. */
export function createMinuteSums() {
  const minutes = createRows();
  return {
    sums: minutes.sums as readonly RollupRow[],
    add: (entry: GroupEntry): void => {
      const sum = minutes.find(factOf(entry));
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

/** Sums minutes by hour (UTC). */
export function createHourSums() {
  const hours = createRows();
  return {
    sums: hours.sums as readonly RollupRow[],
    add: (row: RollupRow): void => {
      const sum = hours.find({ ...row, startMs: row.startMs - (row.startMs % HOUR_MS) });
      sum.calls += row.calls;
      sum.quantity += row.quantity;
      sum.bytesIn += row.bytesIn;
      sum.bytesOut += row.bytesOut;
      addLatencies(sum.latencies, row.latencies);
    },
  };
}
