import type { KeyId, LeaseId, TenantId } from "@turnpike/domain/ids/ids";
import type { Environment } from "@turnpike/domain/keys/key-format";
import {
  type HeldUnits,
  type LeaseEvent,
  type LeaseState,
  reduceLease,
  UNKNOWN_LEASE,
} from "@turnpike/domain/limits/lease-state";
import type { BalanceName } from "./leases.store.ts";

/** A hard limit of one balance, from the plan and the tenant's billing period. */
export type HardLimit = {
  tenantId: TenantId;
  /** The first of a line of rolled keys that this limit belongs to; left out: the limit is the whole tenant's. */
  keyId?: KeyId | undefined;
  meterId: string;
  environment: Environment;
  /** Epoch milliseconds, `[start, end)`. */
  periodStartMs: number;
  periodEndMs: number;
  /** Whole units in the period; {@link NO_LIMIT} where a spend cap alone limits the meter. */
  limit: number;
  /**
   * When the key was last changed, epoch milliseconds. A limit of the same size from before that is another limit: what was
   * held under it may exceed the new one.
   */
  changedAtMs?: number;
  /**
   * True when calls admitted without this limit may still be on their way to the ledger: they are committed before the first
   * units are granted.
   */
  isRecent?: boolean;
};

/** More than anyone uses in a period. */
export const NO_LIMIT = Number.MAX_SAFE_INTEGER;

/**
 * A lease in memory. Units in flight were spent by calls that are not recorded yet; the lease cannot be given back until they
 * are.
 */
export type HeldLease = {
  -readonly [Field in keyof HeldUnits]: HeldUnits[Field];
} & {
  readonly name: BalanceName;
  readonly leaseId: LeaseId;
  inFlight: number;
};

/** What a process knows and holds of one balance under one limit. */
export type LeaseEntry = {
  readonly name: BalanceName;
  readonly limit: number;
  readonly changedAtMs: number | undefined;
  readonly isRecent: boolean;
  state: LeaseState;
  lease: HeldLease | undefined;
  /** Why the database last failed to answer. */
  error: unknown;
  /** The question under way, which all callers of the entry share. */
  refilling: Promise<void> | undefined;
  /** How many callers wait for how many units each. */
  readonly waits: Map<number, number>;
  /** True once the question under way has counted them. */
  hasCounted: boolean;
  /** Units spent since the database was last asked, and when that was (monotonic milliseconds). */
  spentSinceAsked: number;
  askedAtMs: number;
  /** Units that calls used beyond what was held for them and what the lease had, as long as the database may not know of them. */
  uncounted: number;
  /** True once the entry was released: its lease goes back, and later calls get a new entry. */
  isReleased: boolean;
};

/** Units taken for a call. Ends in exactly one of `settle`, `giveBack` and `markInDoubt` of the holder. */
export type LeaseHold = {
  readonly quantity: number;
  readonly lease: HeldLease;
  readonly entry: LeaseEntry;
};

/** A lease without units. @param isInDoubt - True when the database may or may not have made it. */
export function newHeldLease(name: BalanceName, leaseId: LeaseId, isInDoubt: boolean): HeldLease {
  return { name, leaseId, remaining: 0, filledTo: 0, inFlight: 0, deadlineMs: 0, isInDoubt };
}

/**
 * Takes what calls used beyond their hold from what the lease has: an answer that was asked for before does not count it. The
 * database still counts these units for the lease, and they go back with it.
 */
export function coverUncounted(entry: LeaseEntry, lease: HeldLease): void {
  const covered = Math.min(entry.uncounted, Math.max(0, lease.remaining));
  lease.remaining -= covered;
  entry.uncounted -= covered;
}

/** An entry before the first question. @param nowMs - Monotonic. */
export function newLeaseEntry(limit: HardLimit, nowMs: number): LeaseEntry {
  return {
    name: {
      tenantId: limit.tenantId,
      keyId: limit.keyId,
      meterId: limit.meterId,
      environment: limit.environment,
      periodStart: new Date(limit.periodStartMs),
      periodEnd: new Date(limit.periodEndMs),
    },
    limit: limit.limit,
    changedAtMs: limit.changedAtMs,
    isRecent: limit.isRecent === true,
    state: UNKNOWN_LEASE,
    lease: undefined,
    error: undefined,
    refilling: undefined,
    waits: new Map(),
    hasCounted: false,
    spentSinceAsked: 0,
    askedAtMs: nowMs,
    uncounted: 0,
    isReleased: false,
  };
}

/** Moves the state of an entry on. @returns What to do with its lease. */
export function reduceEntry(entry: LeaseEntry, event: LeaseEvent) {
  const { state, effect } = reduceLease(entry.state, event);
  entry.state = state;
  return effect;
}

/** True when a lease is held and no caller waits for more of it. */
export function isFree(entry: LeaseEntry): boolean {
  return entry.lease !== undefined && entry.refilling === undefined;
}
