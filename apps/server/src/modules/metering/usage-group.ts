import type { GroupId, KeyId, LeaseId, ProcessId, TenantId } from "@turnpike/domain/ids/ids";
import type { Environment } from "@turnpike/domain/keys/key-format";
import type { CallMethod } from "@turnpike/domain/metering/call-method";
import {
  addLatency,
  emptyLatencies,
  type LatencyHistogram,
} from "@turnpike/domain/metering/latency-histogram";
import type { Outcome } from "@turnpike/domain/metering/outcome";
import { minuteOf } from "@turnpike/domain/time/billing-period";

/** One metered call, as the gateway or verification saw it. */
export type MeteredCall = {
  tenantId: TenantId;
  keyId: KeyId;
  /** The first key of its line, when the key took another one's place. */
  originKeyId?: KeyId | undefined;
  environment: Environment;
  meterId: string;
  outcome: Outcome;
  /** HTTP status of the answer. */
  status: number;
  /** Undefined, like the route, when only the key was verified. */
  method: CallMethod | undefined;
  /** Template of the path. */
  route: string | undefined;
  /** Wall clock of the call, epoch milliseconds. */
  occurredAtMs: number;
  /** The billing period whose balance the quantity was taken from, epoch milliseconds, `[start, end)`. */
  periodStartMs: number;
  periodEndMs: number;
  /** Billable units; 0 for what is recorded but not billed. */
  quantity: number;
  /** The lease that the quantity was spent from, when there is a hard limit. */
  leaseId: LeaseId | undefined;
  /** The lease of the key's own quota that it was spent from as well. */
  keyLeaseId?: LeaseId | undefined;
};

/** What is known of a metered call only once it is over. */
export type CallMeasure = {
  /** Milliseconds; undefined when they say nothing about the API, as of a call that its client left. */
  latencyMs: number | undefined;
  /** Bytes of the bodies; after an upgrade everything on the connection. */
  bytesIn: number;
  bytesOut: number;
};

/**
 * Calls that are counted together, and what was measured of them. Times are epoch milliseconds; `minuteMs` is the start of
 * the minute. The optional parts are absent when nothing is known of them, and in journals of versions that did not have them.
 */
export type GroupEntry = {
  tenantId: TenantId;
  keyId: KeyId;
  originKeyId?: KeyId | undefined;
  environment: Environment;
  meterId: string;
  outcome: Outcome;
  status: number;
  method?: CallMethod | undefined;
  route?: string | undefined;
  minuteMs: number;
  periodStartMs: number;
  periodEndMs: number;
  /** 0 when what was measured came in a later group than the calls. */
  calls: number;
  quantity: number;
  bytesIn?: number | undefined;
  bytesOut?: number | undefined;
  latencies?: LatencyHistogram | undefined;
};

export type GroupSpend = { tenantId: TenantId; leaseId: LeaseId; quantity: number };

/** Calls of a few milliseconds, summed up: the unit of journal and commit. */
export type UsageGroup = {
  groupId: GroupId;
  processId: ProcessId;
  /** Epoch milliseconds at which the usage counts as recorded; null for the database's clock at commit. */
  recordedAtMs: number | null;
  entries: GroupEntry[];
  spends: GroupSpend[];
};

/** What tells two rows of the ledger apart. */
export function ledgerSlot(
  of: Pick<
    GroupEntry,
    "keyId" | "outcome" | "status" | "periodStartMs" | "environment" | "meterId"
  >,
  minuteMs: number,
): string {
  // The tenant follows from the key and the period's end from its start. The meter comes last: it is the only part without
  // a fixed form.
  return `${of.keyId}|${of.outcome}|${String(of.status)}|${String(minuteMs)}|${String(of.periodStartMs)}|${of.environment}|${of.meterId}`;
}

/** What tells two entries of a group apart. */
function entrySlot(call: MeteredCall, minuteMs: number): string {
  // A meter's name has no bar, so that what follows it is the route, whatever is in it.
  return `${call.method ?? ""}|${ledgerSlot(call, minuteMs)}|${call.route ?? ""}`;
}

/** Collects calls into the entries of one group. */
export class GroupBuilder {
  readonly #entries = new Map<string, GroupEntry>();
  readonly #spends = new Map<string, GroupSpend>();

  get isEmpty(): boolean {
    return this.#entries.size === 0;
  }

  add(call: MeteredCall): void {
    const entry = this.#entryOf(call);
    entry.calls += 1;
    entry.quantity += call.quantity;
    if (call.leaseId !== undefined && call.quantity > 0) {
      this.#addSpend(call.tenantId, call.leaseId, call.quantity);
    }
    if (call.keyLeaseId !== undefined && call.quantity > 0) {
      this.#addSpend(call.tenantId, call.keyLeaseId, call.quantity);
    }
  }

  /** Adds what was measured of a call that was added before, to this group or to an earlier one. */
  addMeasure(call: MeteredCall, measure: CallMeasure): void {
    const entry = this.#entryOf(call);
    entry.bytesIn = (entry.bytesIn ?? 0) + measure.bytesIn;
    entry.bytesOut = (entry.bytesOut ?? 0) + measure.bytesOut;
    if (measure.latencyMs !== undefined) {
      entry.latencies ??= emptyLatencies();
      addLatency(entry.latencies, measure.latencyMs);
    }
  }

  #entryOf(call: MeteredCall): GroupEntry {
    const minuteMs = minuteOf(call.occurredAtMs);
    const slot = entrySlot(call, minuteMs);
    const known = this.#entries.get(slot);
    if (known !== undefined) {
      return known;
    }
    const entry: GroupEntry = {
      tenantId: call.tenantId,
      keyId: call.keyId,
      originKeyId: call.originKeyId === call.keyId ? undefined : call.originKeyId,
      environment: call.environment,
      meterId: call.meterId,
      outcome: call.outcome,
      status: call.status,
      method: call.method,
      route: call.route,
      minuteMs,
      periodStartMs: call.periodStartMs,
      periodEndMs: call.periodEndMs,
      calls: 0,
      quantity: 0,
      bytesIn: undefined,
      bytesOut: undefined,
      latencies: undefined,
    };
    this.#entries.set(slot, entry);
    return entry;
  }

  #addSpend(tenantId: TenantId, leaseId: LeaseId, quantity: number): void {
    const spend = this.#spends.get(leaseId);
    if (spend === undefined) {
      this.#spends.set(leaseId, { tenantId, leaseId, quantity });
    } else {
      spend.quantity += quantity;
    }
  }

  build(identity: {
    groupId: GroupId;
    processId: ProcessId;
    recordedAtMs: number | null;
  }): UsageGroup {
    return {
      ...identity,
      entries: [...this.#entries.values()],
      spends: [...this.#spends.values()],
    };
  }
}

/** The form in which a group stands in the journal. */
export function encodeGroup(group: UsageGroup): Buffer {
  return Buffer.from(JSON.stringify(group), "utf8");
}

/** Reads what {@link encodeGroup} wrote. The journal's checksum has vouched for the bytes. */
export function decodeGroup(bytes: Buffer): UsageGroup {
  return JSON.parse(bytes.toString("utf8")) as UsageGroup;
}
