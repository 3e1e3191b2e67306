import type { KeyId, LeaseId, TenantId } from "@turnpike/domain/ids/ids";
import type { Environment } from "@turnpike/domain/keys/key-format";
import type { WantedUnits } from "./lease-ledger.ts";
import type { BalanceName } from "./leases.store.ts";

/** A hard limit of one balance, as the catalogue and the tenant's period give it. */
export type HardLimit = {
  tenantId: TenantId;
  /** The first of a line of rolled keys whose own limit this is; left out: the limit is the whole tenant's. */
  keyId?: KeyId | undefined;
  meterId: string;
  environment: Environment;
  /** Epoch milliseconds, `[start, end)`. */
  periodStartMs: number;
  periodEndMs: number;
  /** Whole units in the period. */
  limit: number;
  /**
   * When the key whose limit it is was changed last, epoch milliseconds. A limit of the same size from before is another one:
   * what was held under it may be beyond it by now.
   */
  changedAtMs?: number;
  /**
   * True when calls that were admitted under no such limit may still be on their way to the ledger: they are committed
   * before the first slice is cut.
   */
  isRecent?: boolean;
};

/** A lease in memory. What was spent and not yet recorded is in flight, and keeps the lease from being given back. */
export type Slice = {
  readonly name: BalanceName;
  readonly leaseId: LeaseId;
  remaining: number;
  inFlight: number;
  deadlineMs: number;
  /** True when the database may count more for it than is known here: an answer of it was lost. */
  isDoubtful: boolean;
};

/**
 * Units taken for a call. Ends in exactly one of `settle`, `giveBack` and `doubt` of the holder.
 */
export type LeaseHold = {
  readonly quantity: number;
  readonly slice: Slice;
  readonly slot: Slot;
};

/** What a holder knows of one balance. */
export type Slot = {
  readonly name: BalanceName;
  readonly limit: number;
  readonly changedAtMs: number | undefined;
  slice: Slice | undefined;
  /** What the slice held after it was last filled. */
  filledTo: number;
  readonly isRecent: boolean;
  /** True until the database was asked for the first time. */
  isUnknown: boolean;
  /** What nobody held when the database was last asked. */
  leftElsewhere: number;
  /** When it last answered, monotonic milliseconds. */
  answeredAtMs: number;
  /** True when events are reported to the balance, past every lease: what is known of it is soon out of date. */
  isReported: boolean;
  /** True when units went back at about the time of an answer: whether it counts them is found out with the next one. */
  isInDoubt: boolean;
  exhaustedUntilMs: number;
  /** Units that were held under other leases when the database last answered. */
  heldElsewhere: number;
  /** True when callers waited for more than it granted then, and until when it is not asked for as much again. */
  isShort: boolean;
  shortUntilMs: number;
  /** True when others were asked for what fell short. */
  hasAskedOthers: boolean;
  /** Until when it is not looked ahead again: the last units are cut for callers only. */
  sparedUntilMs: number;
  /** Why the database was of no help last, and until when it is not asked again. */
  failure: { error: unknown; untilMs: number } | undefined;
  refilling: Promise<void> | undefined;
  /** How many callers wait for how many units, and whether the question that is under way has counted them. */
  readonly waits: Map<number, number>;
  hasCounted: boolean;
  spentSinceRefill: number;
  refilledAtMs: number;
  released: boolean;
};

/** A balance that the database has not been asked about yet. @param nowMs - Monotonic milliseconds. */
export function newSlot(limit: HardLimit, nowMs: number): Slot {
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
    slice: undefined,
    filledTo: 0,
    isRecent: limit.isRecent === true,
    isUnknown: true,
    leftElsewhere: 0,
    answeredAtMs: Number.NEGATIVE_INFINITY,
    isReported: false,
    isInDoubt: false,
    exhaustedUntilMs: 0,
    heldElsewhere: 0,
    isShort: false,
    shortUntilMs: 0,
    hasAskedOthers: false,
    sparedUntilMs: 0,
    failure: undefined,
    refilling: undefined,
    waits: new Map(),
    hasCounted: false,
    spentSinceRefill: 0,
    refilledAtMs: nowMs,
    released: false,
  };
}

export function newSlice(name: BalanceName, leaseId: LeaseId, isDoubtful: boolean): Slice {
  return { name, leaseId, remaining: 0, inFlight: 0, deadlineMs: 0, isDoubtful };
}

/** Notes that a caller waits for units, or with -1 that it does not any more. */
export function noteWait({ waits }: Slot, quantity: number, callers: 1 | -1): void {
  const count = (waits.get(quantity) ?? 0) + callers;
  if (count > 0) {
    waits.set(quantity, count);
  } else {
    waits.delete(quantity);
  }
}

/** What callers wait for of a slot, beyond what is held already. */
export function countWaits({ waits }: Slot, held: number, left: number): WantedUnits {
  let units = -held;
  let isTooMuch = false;
  for (const [quantity, callers] of waits) {
    if (quantity > held + left) {
      isTooMuch = true;
    } else {
      units += quantity * callers;
    }
  }
  return { units: Math.max(0, units), isTooMuch };
}
