import type { GroupId, KeyId, LeaseId, ProcessId, TenantId } from "@turnpike/domain/ids/ids";
import type { Environment } from "@turnpike/domain/keys/key-format";
import type { Outcome } from "@turnpike/domain/metering/outcome";
import { minuteOf } from "@turnpike/domain/time/billing-period";

/** One metered call, as the gateway or verification saw it. */
export type MeteredCall = {
  tenantId: TenantId;
  keyId: KeyId;
  environment: Environment;
  meterId: string;
  outcome: Outcome;
  /** HTTP status of the answer. */
  status: number;
  /** Wall clock of the call, epoch milliseconds. */
  occurredAtMs: number;
  /** The billing period whose balance the quantity was taken from, epoch milliseconds, `[start, end)`. */
  periodStartMs: number;
  periodEndMs: number;
  /** Billable units; 0 for what is recorded but not billed. */
  quantity: number;
  /** The lease that the quantity was spent from, when there is a hard limit. */
  leaseId: LeaseId | undefined;
};

/** One future row of the ledger. Times are epoch milliseconds; `minuteMs` is the start of the minute. */
export type GroupEntry = {
  tenantId: TenantId;
  keyId: KeyId;
  environment: Environment;
  meterId: string;
  outcome: Outcome;
  status: number;
  minuteMs: number;
  periodStartMs: number;
  periodEndMs: number;
  calls: number;
  quantity: number;
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

/** What tells two entries apart: calls with the same slot are one entry. */
export function entrySlot(
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

/** Collects calls into the entries of one group. */
export class GroupBuilder {
  readonly #entries = new Map<string, GroupEntry>();
  readonly #spends = new Map<string, GroupSpend>();

  get isEmpty(): boolean {
    return this.#entries.size === 0;
  }

  add(call: MeteredCall): void {
    const minuteMs = minuteOf(call.occurredAtMs);
    const slot = entrySlot(call, minuteMs);
    const entry = this.#entries.get(slot);
    if (entry === undefined) {
      this.#entries.set(slot, {
        tenantId: call.tenantId,
        keyId: call.keyId,
        environment: call.environment,
        meterId: call.meterId,
        outcome: call.outcome,
        status: call.status,
        minuteMs,
        periodStartMs: call.periodStartMs,
        periodEndMs: call.periodEndMs,
        calls: 1,
        quantity: call.quantity,
      });
    } else {
      entry.calls += 1;
      entry.quantity += call.quantity;
    }
    if (call.leaseId !== undefined && call.quantity > 0) {
      this.#addSpend(call.tenantId, call.leaseId, call.quantity);
    }
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
