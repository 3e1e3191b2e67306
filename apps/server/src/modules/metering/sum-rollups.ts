import type { KeyId, TenantId } from "@turnpike/domain/ids/ids";
import type { Environment } from "@turnpike/domain/keys/key-format";
import type { CallMethod } from "@turnpike/domain/metering/call-method";
import {
  addLatencies,
  emptyLatencies,
  type LatencyHistogram,
} from "@turnpike/domain/metering/latency-histogram";
import type { Outcome } from "@turnpike/domain/metering/outcome";
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

function rollupSlot(row: RollupRow): string {
  // A meter's name has no bar, so that what follows it is the route, whatever is in it.
  return `${row.tenantId}|${row.keyId}|${row.outcome}|${String(row.status)}|${String(row.startMs)}|${row.environment}|${row.method}|${row.meterId}|${row.route}`;
}

/** Sums rows of the same slot. Those that come in stay as they are. */
function sumRows(rows: Iterable<RollupRow>): RollupRow[] {
  const sums = new Map<string, RollupRow>();
  for (const row of rows) {
    const slot = rollupSlot(row);
    let sum = sums.get(slot);
    if (sum === undefined) {
      sum = { ...row, calls: 0, quantity: 0, bytesIn: 0, bytesOut: 0, latencies: emptyLatencies() };
      sums.set(slot, sum);
    }
    sum.calls += row.calls;
    sum.quantity += row.quantity;
    sum.bytesIn += row.bytesIn;
    sum.bytesOut += row.bytesOut;
    addLatencies(sum.latencies, row.latencies);
  }
  return [...sums.values()];
}

const NO_LATENCIES = emptyLatencies();

function toRollupRow(entry: GroupEntry): RollupRow {
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
    calls: entry.calls,
    quantity: entry.quantity,
    bytesIn: entry.bytesIn ?? 0,
    bytesOut: entry.bytesOut ?? 0,
    latencies: entry.latencies ?? NO_LATENCIES,
  };
}

/** Sums entries by minute and by hour (UTC), each with one row for each key of the rollups; none of no entries. */
export function sumRollups(entries: readonly GroupEntry[]): {
  minutes: RollupRow[];
  hours: RollupRow[];
} {
  const minutes = sumRows(entries.map(toRollupRow));
  const hours = sumRows(
    minutes.map((row) => ({ ...row, startMs: row.startMs - (row.startMs % HOUR_MS) })),
  );
  return { minutes, hours };
}
