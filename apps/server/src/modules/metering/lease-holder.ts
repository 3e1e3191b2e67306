import type { KeyId, LeaseId, NewId, ProcessId, TenantId } from "@turnpike/domain/ids/ids";
import type { Environment } from "@turnpike/domain/keys/key-format";
import { leaseDeadlineMs, shouldRefill } from "@turnpike/domain/limits/lease";
import { withTimeout } from "#platform/bounded-wait.ts";
import type { Clock } from "#platform/clock.ts";
import type { Logger } from "#platform/logger.ts";
import type { LeaseGrant, LeaseLedger } from "./lease-ledger.ts";
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
   * True when calls that were admitted under no such limit may still be on their way to the ledger: they are committed
   * before the first slice is cut.
   */
  isRecent?: boolean;
};

/** A lease in memory. What was spent and not yet recorded is in flight, and keeps the lease from being given back. */
type Slice = {
  readonly name: BalanceName;
  readonly leaseId: LeaseId;
  remaining: number;
  inFlight: number;
  deadlineMs: number;
  /** True when the database may count more for it than is known here: an answer of it was lost. */
  isDoubtful: boolean;
};

/** Units taken for a call. Ends in exactly one of {@link LeaseHolder.settle} and {@link LeaseHolder.giveBack}. */
export type LeaseHold = {
  readonly quantity: number;
  readonly slice: Slice;
  readonly slot: Slot;
};

export type SpendResult =
  | { status: "spent"; hold: LeaseHold; remaining: number }
  /** Nothing is left in the period, as far as the database knew a moment ago. */
  | { status: "exhausted" }
  /** Not known from memory: wait for {@link LeaseHolder.refill} and try again. */
  | { status: "unknown" };

type Slot = {
  readonly name: BalanceName;
  readonly limit: number;
  slice: Slice | undefined;
  /** What the slice held after it was last filled. */
  filledTo: number;
  readonly isRecent: boolean;
  /** True until the database was asked for the first time. */
  isUnknown: boolean;
  /** What nobody held when the database was last asked. */
  leftElsewhere: number;
  exhaustedUntilMs: number;
  /** Why the database was of no help last, and until when it is not asked again. */
  failure: { error: unknown; untilMs: number } | undefined;
  refilling: Promise<void> | undefined;
  /** Units that callers wait for. */
  wanted: number;
  spentSinceRefill: number;
  refilledAtMs: number;
  released: boolean;
};

export type LeaseHolderDeps = {
  ledger: LeaseLedger;
  clock: Clock;
  newId: NewId;
  processId: ProcessId;
  logger: Logger;
  /** Commits everything this process has recorded. */
  flush?: () => Promise<unknown>;
};

/** After the database said that nothing is left, it is asked again this much later: others may have given back. */
const EXHAUSTED_FOR_MS = 1_000;
/** After the database could not be asked, it is left alone this long: an outage must not turn every call into an attempt. */
const FAILED_FOR_MS = 500;
/** A caller who waits longer for units is better told to come back; the question goes on for those who come then. */
const REFILL_TIMEOUT_MS = 5_000;
/** Leases given back in one statement. */
const RETURN_BATCH = 1_000;
/** A lease is prolonged in the background when less than this is left until its deadline. */
const RENEW_BEFORE_MS = 20_000;

/**
 * Spends hard limits from memory. Holds at most one lease per balance, asks the database for more in the background before
 * it runs dry, and makes a caller wait only when nothing is held. Units that were spent stay taken in the database until
 * the usage is committed, so the limit is never overshot.
 */
export class LeaseHolder {
  readonly #deps: LeaseHolderDeps;
  readonly #slots = new Map<string, Slot>();
  readonly #refills = new Set<Promise<void>>();
  /** Leases that usage outside of the ledger was spent from; they must cover it for as long as it waits. */
  readonly #kept = new Set<LeaseId>();
  #retired: Slice[] = [];

  constructor(deps: LeaseHolderDeps) {
    this.#deps = deps;
  }

  /** Takes `quantity` units from memory, or says why it cannot. Never waits. */
  spend(limit: HardLimit, quantity: number): SpendResult {
    const slot = this.#find(limit);
    const { slice } = slot;
    const nowMs = this.#deps.clock.monotonicMs();
    if (slice === undefined || nowMs >= slice.deadlineMs || slice.remaining < quantity) {
      return { status: nowMs < slot.exhaustedUntilMs ? "exhausted" : "unknown" };
    }
    slice.remaining -= quantity;
    slice.inFlight += quantity;
    slot.spentSinceRefill += quantity;
    const runsLow =
      shouldRefill(slice.remaining, slot.filledTo) || slice.deadlineMs - nowMs < RENEW_BEFORE_MS;
    const mayAsk = nowMs >= slot.exhaustedUntilMs && nowMs >= (slot.failure?.untilMs ?? 0);
    if (runsLow && mayAsk) {
      void this.#startRefill(slot);
    }
    return { status: "spent", hold: { quantity, slice, slot }, remaining: slice.remaining };
  }

  /**
   * Units left in the period, as this process knows: exact but for what others used since it last asked.
   *
   * @returns `undefined` while it has not asked yet.
   */
  remaining(limit: HardLimit): number | undefined {
    const slot = this.#find(limit);
    return slot.isUnknown ? undefined : slot.leftElsewhere + (slot.slice?.remaining ?? 0);
  }

  /** The call was recorded: its units leave the lease when its group is committed. */
  settle(hold: LeaseHold): void {
    hold.slice.inFlight -= hold.quantity;
  }

  /** The call is not billed: its units can be spent again. */
  giveBack(hold: LeaseHold): void {
    hold.slice.inFlight -= hold.quantity;
    hold.slice.remaining += hold.quantity;
    // What was not used must not look like demand when the next slice is cut.
    hold.slot.spentSinceRefill = Math.max(0, hold.slot.spentSinceRefill - hold.quantity);
  }

  /**
   * Asks the database for units; callers of one balance share the question.
   *
   * @throws whatever the database throws, now or a moment ago, or a connection error when it does not answer in time: then
   *   the limit cannot be decided.
   */
  async refill(limit: HardLimit, quantity: number): Promise<void> {
    const slot = this.#find(limit);
    if (slot.failure !== undefined && this.#deps.clock.monotonicMs() < slot.failure.untilMs) {
      throw slot.failure.error;
    }
    slot.wanted += quantity;
    try {
      await withTimeout(this.#startRefill(slot), REFILL_TIMEOUT_MS);
    } finally {
      slot.wanted -= quantity;
    }
  }

  #find(limit: HardLimit): Slot {
    const owner = limit.keyId ?? limit.tenantId;
    const slotName = `${owner}|${limit.environment}|${limit.meterId}`;
    const known = this.#slots.get(slotName);
    if (known !== undefined) {
      if (known.limit === limit.limit && known.name.periodStart.getTime() === limit.periodStartMs) {
        return known;
      }
      // A new period or a new limit: the old slice goes back and a new one is cut.
      this.#releaseSlot(slotName, known);
    }
    const slot: Slot = {
      name: {
        tenantId: limit.tenantId,
        keyId: limit.keyId,
        meterId: limit.meterId,
        environment: limit.environment,
        periodStart: new Date(limit.periodStartMs),
        periodEnd: new Date(limit.periodEndMs),
      },
      limit: limit.limit,
      slice: undefined,
      filledTo: 0,
      isRecent: limit.isRecent === true,
      isUnknown: true,
      leftElsewhere: 0,
      exhaustedUntilMs: 0,
      failure: undefined,
      refilling: undefined,
      wanted: 0,
      spentSinceRefill: 0,
      refilledAtMs: this.#deps.clock.monotonicMs(),
      released: false,
    };
    this.#slots.set(slotName, slot);
    return slot;
  }

  #startRefill(slot: Slot): Promise<void> {
    if (slot.refilling === undefined) {
      const refilling = this.#refill(slot).finally(() => {
        slot.refilling = undefined;
        this.#refills.delete(refilling);
      });
      this.#refills.add(refilling);
      // A background refill that fails is tried again by the next call that needs it.
      refilling.catch((error: unknown) => {
        this.#deps.logger.debug({ err: error }, "A lease could not be refilled");
      });
      slot.refilling = refilling;
    }
    return slot.refilling;
  }

  async #refill(slot: Slot): Promise<void> {
    if (slot.isRecent && slot.isUnknown) {
      await this.#deps.flush?.();
    }
    const askedAtMs = this.#deps.clock.monotonicMs();
    const ratePerMs = slot.spentSinceRefill / Math.max(1, askedAtMs - slot.refilledAtMs);
    const current = slot.slice;
    const leaseId = this.#deps.newId("lease");
    let mayExist = false;
    const cut = this.#deps.ledger.cut({
      name: slot.name,
      limit: slot.limit,
      countWanted: () => {
        mayExist = true;
        return slot.wanted;
      },
      ratePerMs,
      // A lease in doubt is replaced, so that it goes back with whatever the database counts for it.
      extend: current?.isDoubtful === true ? undefined : current?.leaseId,
      newLeaseId: leaseId,
      processId: this.#deps.processId,
    });
    try {
      this.#applyGrant(slot, current, { grant: await cut, askedAtMs });
    } catch (error) {
      slot.failure = { error, untilMs: this.#deps.clock.monotonicMs() + FAILED_FOR_MS };
      if (mayExist) {
        // Whether the lease was made is not known: giving it back is right in both cases.
        this.#retired.push(this.#toSlice(slot.name, leaseId, true));
        if (current !== undefined) {
          current.isDoubtful = true;
        }
      }
      throw error;
    }
  }

  #toSlice(name: BalanceName, leaseId: LeaseId, isDoubtful: boolean): Slice {
    return { name, leaseId, remaining: 0, inFlight: 0, deadlineMs: 0, isDoubtful };
  }

  /** @param current - The slice that the slot had when it asked; it may have been let go of since. */
  #applyGrant(
    slot: Slot,
    current: Slice | undefined,
    { grant, askedAtMs }: { grant: LeaseGrant; askedAtMs: number },
  ): void {
    if (grant.granted > 0 || grant.leaseId === current?.leaseId) {
      // One lease is one slice, also when it was let go of meanwhile: a second one would be given back on its own, with what
      // calls in flight took of the first.
      const slice =
        grant.leaseId === current?.leaseId
          ? current
          : this.#toSlice(slot.name, grant.leaseId, false);
      slice.remaining += grant.granted;
      slice.deadlineMs = leaseDeadlineMs(askedAtMs);
      if (slice !== current) {
        this.#replaceSlice(slot, slice);
      }
    } else if (!this.#isSpendable(slot.slice)) {
      this.#replaceSlice(slot, undefined);
    }
    slot.isUnknown = false;
    slot.leftElsewhere = grant.left;
    slot.filledTo = slot.slice?.remaining ?? 0;
    slot.failure = undefined;
    slot.exhaustedUntilMs = grant.granted === 0 ? askedAtMs + EXHAUSTED_FOR_MS : 0;
    slot.spentSinceRefill = 0;
    slot.refilledAtMs = askedAtMs;
    if (slot.released) {
      this.#replaceSlice(slot, undefined);
    }
  }

  #isSpendable(slice: Slice | undefined): boolean {
    return (
      slice !== undefined &&
      slice.remaining > 0 &&
      this.#deps.clock.monotonicMs() < slice.deadlineMs
    );
  }

  /** What was spent of the old slice is known exactly, so it goes back even when the database let it expire. */
  #replaceSlice(slot: Slot, slice: Slice | undefined): void {
    if (slot.slice !== undefined) {
      this.#retired.push(slot.slice);
    }
    slot.slice = slice;
  }

  #releaseSlot(slotName: string, slot: Slot): void {
    this.#slots.delete(slotName);
    slot.released = true;
    this.#replaceSlice(slot, undefined);
  }

  /** Lets go of the leases of a tenant whose terms changed, or of all tenants; {@link returnRetired} gives them back. */
  release(tenantId: TenantId | undefined): void {
    for (const [slotName, slot] of this.#slots) {
      if (tenantId === undefined || slot.name.tenantId === tenantId) {
        this.#releaseSlot(slotName, slot);
      }
    }
  }

  /** Lets go of leases that lie idle, so that a rarely used balance does not keep units from other processes. */
  releaseIdle(idleMs: number): void {
    const nowMs = this.#deps.clock.monotonicMs();
    for (const [slotName, slot] of this.#slots) {
      if (slot.refilling === undefined && nowMs - slot.refilledAtMs > idleMs) {
        this.#releaseSlot(slotName, slot);
      }
    }
  }

  /**
   * Gives leases back to the database whose calls are all recorded, a thousand at a time.
   *
   * @param flush - Commits everything recorded so far. Only then does the database's `remaining` equal what is left.
   * @returns How many leases still wait, for calls in flight or for the next time.
   */
  async returnRetired(flush: () => Promise<unknown>): Promise<number> {
    this.#retired = this.#retired.filter((slice) => !this.#kept.has(slice.leaseId));
    const done = this.#retired.filter((slice) => slice.inFlight === 0).slice(0, RETURN_BATCH);
    if (done.length > 0) {
      const returning = new Set(done);
      this.#retired = this.#retired.filter((slice) => !returning.has(slice));
      try {
        await flush();
        // What the flush could not commit may have been spent from these very leases.
        const free = done.filter((slice) => !this.#kept.has(slice.leaseId));
        await this.#deps.ledger.giveBack(free);
      } catch (error) {
        this.#retired.push(...done);
        throw error;
      }
    }
    return this.#retired.length;
  }

  /**
   * Keeps leases from ever being given back, because usage that was spent from them is not in the ledger and may come later.
   *
   * @param leaseIds - Undefined: it is not known which, so all that are held now.
   */
  keep(leaseIds: readonly LeaseId[] | undefined): void {
    const held = [...this.#retired, ...[...this.#slots.values()].map((slot) => slot.slice)];
    for (const leaseId of leaseIds ?? held.map((slice) => slice?.leaseId)) {
      if (leaseId !== undefined) {
        this.#kept.add(leaseId);
      }
    }
  }

  /** Refills under way, so that an end can wait for them. */
  async settleRefills(): Promise<void> {
    await Promise.allSettled(this.#refills);
  }

  /** Balances held. */
  get size(): number {
    return this.#slots.size;
  }
}
