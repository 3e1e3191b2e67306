import type { GroupId, KeyId, LeaseId, ProcessId, TenantId } from "@turnpike/domain/ids/ids";
import type { Environment } from "@turnpike/domain/keys/key-format";
import type { CallMethod } from "@turnpike/domain/metering/call-method";
import {
  addLatency,
  emptyLatencies,
  type LatencyHistogram,
} from "@turnpike/domain/metering/latency-histogram";
import type { Outcome } from "@turnpike/domain/metering/outcome";
import type { TokenCounts } from "@turnpike/domain/metering/token-counts";
import { minuteOf } from "@turnpike/domain/time/period";
import { SumRegistry, type SumRules } from "./sum-registry.ts";

/** One metered call, as the gateway or verification saw it. */
export type MeteredCall = {
  tenantId: TenantId;
  keyId: KeyId;
  /** Of the request that made it. It is shown and not counted: no group holds it. */
  requestId?: string | undefined;
  /** Number of the group that it is recorded in, among those of its process. Like the request, no group holds it. */
  group?: number | undefined;
  /** The first key of its line, when the key was rolled from another one. */
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
  /** The model that was asked, where the upstream answers with tokens. */
  model?: string | undefined;
  /** Wall clock of the call, epoch milliseconds. */
  occurredAtMs: number;
  /** The billing period whose balance the quantity was taken from, epoch milliseconds, `[start, end)`. */
  periodStartMs: number;
  periodEndMs: number;
  /** Billable units; 0 for a call that is recorded but not billed. */
  quantity: number;
  /** The lease that the units were spent from, when the tenant has a hard limit. */
  leaseId: LeaseId | undefined;
  /** The lease that they were spent from as well, when the key has a quota of its own. */
  keyLeaseId?: LeaseId | undefined;
  /** How many of the units were spent from each lease; left out: all of them. */
  leased?: { tenant: number; key: number } | undefined;
};

/** Measures of a call, known only once it is over. */
export type CallMeasure = {
  /** Milliseconds; undefined when the time says nothing about the API, as when the client left. */
  latencyMs: number | undefined;
  /** Bytes of the bodies; after an upgrade, of everything on the connection. */
  bytesIn: number;
  bytesOut: number;
  /** What it used, where the upstream answers with tokens. It is shown and not counted: its units are calls of their own. */
  tokens?: TokenCounts | undefined;
};

/**
 * Calls that are counted together, with their measures. Times are epoch milliseconds; `minuteMs` is the start of the minute.
 * Optional fields are absent when nothing is known of them.
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
  model?: string | undefined;
  minuteMs: number;
  periodStartMs: number;
  periodEndMs: number;
  /** 0 when the measures came in a later group than the calls. */
  calls: number;
  quantity: number;
  bytesIn?: number | undefined;
  bytesOut?: number | undefined;
  latencies?: LatencyHistogram | undefined;
};

export type GroupSpend = { tenantId: TenantId; leaseId: LeaseId; quantity: number };

/** Hears which groups of a process are committed, and which are not. */
export interface GroupObserver {
  /**
   * Called when groups no longer wait for the ledger, in their order. Must return at once and never throw.
   *
   * @param upTo - Number of the last one; those before it that were not told of yet are meant as well.
   * @param isCommitted - False when the ledger refuses them: they may be committed at a later start, or never.
   */
  settle(upTo: number, isCommitted: boolean): void;
}

/** The sums of a few milliseconds of calls: the unit of journal and commit. */
export type UsageGroup = {
  groupId: GroupId;
  processId: ProcessId;
  /** When the usage is recorded, epoch milliseconds; null for the database's clock at commit. */
  recordedAtMs: number | null;
  entries: GroupEntry[];
  spends: GroupSpend[];
};

/** A group that is read when its turn comes. Objects that live that briefly cost calls almost nothing. */
export type StoredGroup = Pick<UsageGroup, "groupId" | "processId" | "recordedAtMs"> & {
  /** Reads it anew each time; throws when it cannot be read. */
  read(): UsageGroup;
};

type LedgerRowFields = Pick<
  GroupEntry,
  "tenantId" | "outcome" | "status" | "minuteMs" | "periodStartMs" | "environment" | "meterId"
>;

/** True when the ledger tells calls of one key apart by their minute at most. */
export function isSameButForMinute(
  one: Omit<LedgerRowFields, "minuteMs">,
  other: Omit<LedgerRowFields, "minuteMs">,
): boolean {
  return (
    one.meterId === other.meterId &&
    one.outcome === other.outcome &&
    one.status === other.status &&
    one.periodStartMs === other.periodStartMs &&
    one.environment === other.environment &&
    one.tenantId === other.tenantId
  );
}

/** Names a row of the ledger among those of one key. The period's end follows from its start. */
export function ledgerRowName(of: LedgerRowFields): string {
  // The meter comes last because it is the only field without a fixed form.
  return `${of.tenantId}|${of.outcome}|${String(of.status)}|${String(of.minuteMs)}|${String(of.periodStartMs)}|${of.environment}|${of.meterId}`;
}

function minuteMsOf(of: MeteredCall | GroupEntry): number {
  return "minuteMs" in of ? of.minuteMs : minuteOf(of.occurredAtMs);
}

const MINUTE_MS = 60_000;

const ENTRIES: SumRules<MeteredCall, GroupEntry> = {
  ownerOf: (call) => call.keyId,
  isOf: (entry, call) =>
    call.occurredAtMs >= entry.minuteMs &&
    call.occurredAtMs < entry.minuteMs + MINUTE_MS &&
    entry.route === call.route &&
    entry.method === call.method &&
    entry.model === call.model &&
    isSameButForMinute(entry, call),
  // The name of a meter and of a model has no bar, so the route may follow with anything in it.
  nameOf: (of) =>
    `${of.method ?? ""}|${of.model ?? ""}|${ledgerRowName({ ...of, minuteMs: minuteMsOf(of) })}|${of.route ?? ""}`,
  start: (call) => ({
    tenantId: call.tenantId,
    keyId: call.keyId,
    originKeyId: call.originKeyId === call.keyId ? undefined : call.originKeyId,
    environment: call.environment,
    meterId: call.meterId,
    outcome: call.outcome,
    status: call.status,
    method: call.method,
    route: call.route,
    model: call.model,
    minuteMs: minuteMsOf(call),
    periodStartMs: call.periodStartMs,
    periodEndMs: call.periodEndMs,
    calls: 0,
    quantity: 0,
    bytesIn: undefined,
    bytesOut: undefined,
    latencies: undefined,
  }),
};

/** Collects calls into the entries of one group. */
export class GroupBuilder {
  readonly #entries = new SumRegistry(ENTRIES);
  readonly #spends = new Map<string, GroupSpend>();

  get size(): number {
    return this.#entries.sums.length;
  }

  add(call: MeteredCall): void {
    const entry = this.#entryOf(call);
    entry.calls += 1;
    entry.quantity += call.quantity;
    const { tenant, key } = call.leased ?? { tenant: call.quantity, key: call.quantity };
    if (call.leaseId !== undefined && tenant > 0) {
      this.#addSpend(call.tenantId, call.leaseId, tenant);
    }
    if (call.keyLeaseId !== undefined && key > 0) {
      this.#addSpend(call.tenantId, call.keyLeaseId, key);
    }
  }

  /** Adds the measure of a call that was added before, to this group or to an earlier one. */
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
    return this.#entries.find(call);
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
      entries: this.#entries.sums,
      spends: [...this.#spends.values()],
    };
  }
}
