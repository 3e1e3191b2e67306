import type { LeaseId, NewId, ProcessId, TenantId } from "@turnpike/domain/ids/ids";
import { leaseDeadlineMs } from "@turnpike/domain/limits/lease";
import {
  countWaits,
  decideSpend,
  type LeaseEvent,
  leaseStatus,
  needsOthers,
  reduceLease,
  type SpendNotice,
  spendableUnits,
  unitsLeft,
} from "@turnpike/domain/limits/lease-state";
import { withTimeout } from "#platform/bounded-wait.ts";
import type { Clock } from "#platform/clock.ts";
import type { Logger } from "#platform/logger.ts";
import {
  coverUncounted,
  type HardLimit,
  type HeldLease,
  type LeaseEntry,
  type LeaseHold,
  newHeldLease,
} from "./lease-entry.ts";
import {
  type LeaseGrant,
  type LeaseLedger,
  type LeaseRecall,
  nameBalance,
} from "./lease-ledger.ts";
import { LeaseRegistry } from "./lease-registry.ts";
import { LeaseReturns } from "./lease-returns.ts";
import type { BalanceName } from "./leases.store.ts";

export type SpendResult =
  | { status: "spent"; hold: LeaseHold; remaining: number }
  /**
   * Nothing is left in the period, as far as the database knew a moment ago; `mayComeBack` when other processes hold units
   * that they were asked to give back. `spend` when it is the spend cap that leaves nothing.
   */
  | { status: "exhausted"; mayComeBack: boolean; spend: SpendNotice | undefined }
  /** Not known from memory: wait for {@link LeaseHolder.refill} and try again. */
  | { status: "unknown" };

export type LeaseHolderDeps = {
  ledger: LeaseLedger;
  clock: Clock;
  newId: NewId;
  processId: ProcessId;
  logger: Logger;
  /** Commits everything this process has recorded. */
  flush?: () => Promise<unknown>;
  /** Waits for so many milliseconds. Left out: units that other processes were asked for are not waited for. */
  pause?: (ms: number) => Promise<unknown>;
};

/** A caller who would wait longer for units is refused and may come back; the question goes on for the next one. */
const REFILL_TIMEOUT_MS = 5_000;
/** How long callers wait for units that other processes were asked for: several times what giving back takes. */
const RECALL_WAIT_MS = 250;
/**
 * The shortest time over which use is measured, in milliseconds. One expensive call right after a grant is not a rate for the
 * next seconds, and a crash forfeits what was granted for them. Callers who keep up that rate get more each time.
 */
const RATE_WINDOW_MS = 1_000;

/**
 * Spends hard limits from memory. Holds at most one lease per limit, asks the database for more in the background before the
 * lease runs dry, and makes a caller wait only when nothing is held. Units that were spent stay taken in the database until
 * the usage is committed, so a limit is never overshot.
 *
 * What to decide is in `lease-state.ts` of the domain; this class keeps the leases and asks the database.
 */
export class LeaseHolder {
  readonly #deps: LeaseHolderDeps;
  readonly #registry: LeaseRegistry;
  readonly #returns: LeaseReturns;
  readonly #refills = new Set<Promise<void>>();

  constructor(deps: LeaseHolderDeps) {
    this.#deps = deps;
    this.#returns = new LeaseReturns(deps.ledger);
    this.#registry = new LeaseRegistry((lease) => this.#returns.add(lease));
  }

  /** Balances held. */
  get size(): number {
    return this.#registry.size;
  }

  /** Takes `quantity` units from memory, or says why it cannot. Never waits. */
  spend(limit: HardLimit, quantity: number): SpendResult {
    const nowMs = this.#nowMs();
    const entry = this.#registry.find(limit, nowMs);
    const { lease } = entry;
    const decision = decideSpend(entry.state, lease, { quantity, nowMs });
    if (decision === "refuse" || decision === "refuse_for_now") {
      const { spend } = entry.state;
      return { status: "exhausted", mayComeBack: decision === "refuse_for_now", spend };
    }
    if (decision === "ask" || lease === undefined) {
      return { status: "unknown" };
    }
    lease.remaining -= quantity;
    lease.inFlight += quantity;
    entry.spentSinceAsked += quantity;
    if (decision === "spend_and_ask") {
      void this.#startRefill(entry);
    }
    return { status: "spent", hold: { quantity, lease, entry }, remaining: lease.remaining };
  }

  /** See {@link unitsLeft}. @returns `undefined` before the database was asked. */
  remaining(limit: HardLimit): number | undefined {
    const nowMs = this.#nowMs();
    const { state, lease } = this.#registry.find(limit, nowMs);
    return unitsLeft(state, lease, nowMs);
  }

  /**
   * The call was recorded: its units leave the lease when its group is committed.
   *
   * @param used - Units that are recorded. Of fewer than were held, the others can be spent again. More are taken from what the lease
   *   has left, then from what it is granted; before the database is asked again, it learns of the rest.
   * @returns How many of the units are the lease's.
   */
  settle(hold: LeaseHold, used = hold.quantity): number {
    const { lease, entry, quantity } = hold;
    lease.inFlight -= quantity;
    const leased = Math.min(used, quantity + Math.max(0, lease.remaining));
    lease.remaining += quantity - leased;
    entry.spentSinceAsked = Math.max(0, entry.spentSinceAsked + leased - quantity);
    entry.uncounted += used - leased;
    coverUncounted(entry, lease);
    return leased;
  }

  /** The call is not billed: its units can be spent again. */
  giveBack({ lease, entry, quantity }: LeaseHold): void {
    lease.inFlight -= quantity;
    lease.remaining += quantity;
    coverUncounted(entry, lease);
    // What was not used must not look like demand in the next question.
    entry.spentSinceAsked = Math.max(0, entry.spentSinceAsked - quantity);
  }

  /**
   * The database was asked to move the units elsewhere and its answer was lost. They are not spent again; the lease is replaced
   * and goes back with what the database counts for it.
   */
  markInDoubt({ lease, quantity }: LeaseHold): void {
    lease.inFlight -= quantity;
    lease.isInDoubt = true;
  }

  /**
   * Counts units of a balance that went back, or were taken, without this holder, so that no call waits to learn of it.
   *
   * @param quantity - Units that went back; negative for units that were taken.
   * @param sinceMs - When that began, monotonic milliseconds. An answer from then on may or may not count them.
   */
  applyChange(name: BalanceName, quantity: number, sinceMs: number): void {
    for (const entry of this.#registry.ofPeriod(name)) {
      const isAsking = entry.refilling !== undefined;
      reduce(entry, { type: "changed_elsewhere", quantity, sinceMs, isAsking });
    }
  }

  /**
   * Asks the database for units; callers of one entry share the question.
   *
   * @throws the error of the database, now or a moment ago, or a connection error when it does not answer in time: then
   *   the limit cannot be decided.
   */
  async refill(limit: HardLimit, quantity: number): Promise<void> {
    const nowMs = this.#nowMs();
    const entry = this.#registry.find(limit, nowMs);
    if (nowMs < (entry.state.failedUntilMs ?? 0)) {
      throw entry.error;
    }
    countWait(entry, quantity, 1);
    try {
      await withTimeout(this.#refillFor(entry, quantity), REFILL_TIMEOUT_MS);
    } finally {
      countWait(entry, quantity, -1);
    }
  }

  async #refillFor(entry: LeaseEntry, quantity: number): Promise<void> {
    // The question under way was asked without this caller, so it may have granted nothing.
    const isLate = entry.refilling !== undefined && entry.hasCounted;
    await this.#startRefill(entry);
    if (isLate && (entry.lease?.remaining ?? 0) < quantity) {
      await this.#startRefill(entry);
    }
  }

  #startRefill(entry: LeaseEntry): Promise<void> {
    if (entry.refilling === undefined) {
      const refilling = this.#refill(entry).finally(() => {
        entry.refilling = undefined;
        this.#refills.delete(refilling);
      });
      this.#refills.add(refilling);
      // A background refill that fails is tried again by the next call that needs it.
      refilling.catch((error: unknown) => {
        this.#deps.logger.debug({ err: error }, "A lease could not be refilled");
      });
      entry.refilling = refilling;
    }
    return entry.refilling;
  }

  async #refill(entry: LeaseEntry): Promise<void> {
    const { flush, pause } = this.#deps;
    if (entry.uncounted > 0) {
      const known = entry.uncounted;
      await flush?.();
      entry.uncounted = Math.max(0, entry.uncounted - known);
    }
    if (leaseStatus(entry.state, this.#nowMs()) === "unknown") {
      if (entry.isRecent) {
        await flush?.();
      }
      await this.#returnOwn(entry);
    }
    await this.#ask(entry);
    const isWaitedFor = () => needsOthers(entry.state, entry.lease, entry.waits);
    if (isWaitedFor()) {
      this.#releaseOthersOf(entry);
      // This also returns what was released a moment ago: no one can use it before it is back.
      if (await this.#returnOwn(entry)) {
        await this.#ask(entry);
      }
    }
    if (isWaitedFor()) {
      if (pause !== undefined) {
        await this.#recall(entry);
        await this.#returnOwn(entry);
        await this.#ask(entry);
      }
      reduce(entry, { type: "others_asked" });
    }
  }

  /** Asks for what keeps units from an entry: leases of its balance, or under a spend cap all of the tenant. */
  async #recall({ name, state }: LeaseEntry): Promise<void> {
    if (state.spend === undefined) {
      await this.recallOthers([name]);
      return;
    }
    await this.#deps.ledger.recall(name, this.#deps.processId, "budget");
    await this.#deps.pause?.(RECALL_WAIT_MS);
  }

  /** Asks other processes for what they hold of balances and do not need, and waits a moment for it. */
  async recallOthers(names: readonly BalanceName[]): Promise<void> {
    for (const name of names) {
      await this.#deps.ledger.recall(name, this.#deps.processId);
    }
    await this.#deps.pause?.(RECALL_WAIT_MS);
  }

  /** Releases what is held of the balance under other limits, or of the spend cap by other meters, unless callers wait for it. */
  #releaseOthersOf(entry: LeaseEntry): void {
    const balances =
      entry.state.spend === undefined
        ? this.#registry.ofBalance(nameBalance(entry.name))
        : this.#registry.ofBudget(entry.name);
    for (const other of balances) {
      if (other !== entry && isFree(other)) {
        this.#registry.release(other);
      }
    }
  }

  /**
   * Returns what this process released and has not given back yet: until then it looks like held by another process.
   *
   * @returns True when it tried to give units of the balance back.
   */
  async #returnOwn(entry: LeaseEntry): Promise<boolean> {
    const { flush, logger } = this.#deps;
    const isWaiting =
      entry.state.spend === undefined
        ? this.#returns.hasUnitsOf(entry.name)
        : this.#returns.hasUnitsOfTenant(entry.name.tenantId);
    if (flush === undefined || !isWaiting) {
      return false;
    }
    await this.returnRetired(flush).catch((error: unknown) => {
      logger.debug({ err: error }, "Leases could not be given back yet");
    });
    return true;
  }

  async #ask(entry: LeaseEntry): Promise<void> {
    const askedAtMs = this.#nowMs();
    reduce(entry, { type: "asked" });
    entry.hasCounted = false;
    const measuredMs = Math.max(RATE_WINDOW_MS, askedAtMs - entry.askedAtMs);
    const ratePerMs = entry.spentSinceAsked / measuredMs;
    const current = entry.lease;
    // A lease in doubt is replaced, so that it goes back with what the database counts for it.
    const extended = current?.isInDoubt === true ? undefined : current;
    const leaseId = this.#deps.newId("lease");
    let mayExist = false;
    const cut = this.#deps.ledger.cut({
      name: entry.name,
      limit: entry.limit,
      countWanted: (left) => {
        mayExist = true;
        entry.hasCounted = true;
        // No one could use units of an entry that was released meanwhile until they are given back.
        return entry.isReleased
          ? undefined
          : countWaits(entry.waits, spendableUnits(extended, this.#nowMs()), left);
      },
      ratePerMs,
      extend: extended?.leaseId,
      newLeaseId: leaseId,
      processId: this.#deps.processId,
    });
    try {
      this.#applyGrant(entry, current, { grant: await cut, askedAtMs });
    } catch (error) {
      entry.error = error;
      reduce(entry, { type: "failed", nowMs: this.#nowMs() });
      if (mayExist) {
        // Whether the lease was made is not known: giving it back is right in both cases.
        this.#returns.add(newHeldLease(entry.name, leaseId, true));
        if (current !== undefined) {
          current.isInDoubt = true;
        }
      }
      throw error;
    }
  }

  /** @param current - The lease that the entry had when it asked; it may have been released since. */
  #applyGrant(
    entry: LeaseEntry,
    current: HeldLease | undefined,
    { grant, askedAtMs }: { grant: LeaseGrant; askedAtMs: number },
  ): void {
    const isSameLease = grant.leaseId === current?.leaseId;
    const effect = reduce(entry, {
      type: "answered",
      answer: grant,
      lease: entry.lease,
      isSameLease,
      waits: entry.waits,
      nowMs: this.#nowMs(),
    });
    if (effect === "hold") {
      // One lease is one object, even when it was released meanwhile: a second one would be given back on its own, with units
      // that calls in flight took from the first.
      const lease =
        current !== undefined && isSameLease
          ? current
          : newHeldLease(entry.name, grant.leaseId, false);
      lease.remaining = Math.max(0, lease.remaining + grant.granted);
      coverUncounted(entry, lease);
      lease.deadlineMs = leaseDeadlineMs(askedAtMs);
      if (lease !== current) {
        this.#registry.replaceLease(entry, lease);
      }
    } else if (effect === "drop") {
      this.#registry.replaceLease(entry, undefined);
    }
    if (entry.lease !== undefined) {
      entry.lease.filledTo = entry.lease.remaining;
    }
    entry.error = undefined;
    entry.spentSinceAsked = 0;
    entry.askedAtMs = askedAtMs;
    if (entry.isReleased) {
      this.#registry.replaceLease(entry, undefined);
    }
    this.#releaseBelow(entry, entry.limit - grant.left);
  }

  /** Keys of a line may have different limits on what they use together. Leases under limits below what is taken go back. */
  #releaseBelow(entry: LeaseEntry, taken: number): void {
    for (const other of this.#registry.ofPeriod(entry.name)) {
      if (other !== entry && other.limit < taken && other.lease !== undefined) {
        this.#registry.release(other);
      }
    }
  }

  /** Releases the leases of a tenant whose terms changed, or all leases; {@link returnRetired} gives them back. */
  release(tenantId: TenantId | undefined): void {
    for (const entry of this.#registry.all()) {
      if (tenantId === undefined || entry.name.tenantId === tenantId) {
        this.#registry.release(entry);
      }
    }
  }

  /** True while this process holds a lease of a tenant, or has one to give back. */
  holdsLeasesOf(tenantId: TenantId): boolean {
    const isHeld = this.#registry
      .all()
      .some(({ name, lease }) => name.tenantId === tenantId && lease !== undefined);
    return isHeld || this.#returns.hasLeasesOf(tenantId);
  }

  /**
   * Another process has calls for units of a balance: releases what is held of it, unless callers here wait for it as well.
   *
   * @returns True when {@link returnRetired} has something to give back.
   */
  recall({ processId, balance }: LeaseRecall): boolean {
    if (processId === this.#deps.processId) {
      return false;
    }
    const free = this.#registry.named(balance).filter(isFree);
    for (const entry of free) {
      this.#registry.release(entry);
    }
    return free.length > 0;
  }

  /** Releases idle leases, so that a rarely used balance keeps no units from other processes. */
  releaseIdle(idleMs: number): void {
    const nowMs = this.#nowMs();
    for (const entry of this.#registry.all()) {
      if (entry.refilling === undefined && nowMs - entry.askedAtMs > idleMs) {
        this.#registry.release(entry);
      }
    }
  }

  /**
   * Gives leases back to the database whose calls are all recorded, a thousand at a time.
   *
   * @param flush - Commits everything recorded so far. Only then does the database's `remaining` equal what is left.
   * @returns How many leases still wait, for calls in flight or for the next time.
   */
  returnRetired(flush: () => Promise<unknown>): Promise<number> {
    return this.#returns.giveBack(flush);
  }

  /**
   * Keeps leases from ever going back, because usage spent from them is not in the ledger and may come later.
   *
   * @param leaseIds - Undefined: it is not known which, so all that are held now.
   */
  keep(leaseIds: readonly LeaseId[] | undefined): void {
    if (leaseIds !== undefined) {
      this.#returns.keep(leaseIds);
      return;
    }
    this.#returns.keepAll();
    this.#returns.keep(this.#registry.all().flatMap(({ lease }) => lease?.leaseId ?? []));
  }

  /** Waits for the questions under way. */
  async settleRefills(): Promise<void> {
    await Promise.allSettled(this.#refills);
  }

  #nowMs(): number {
    return this.#deps.clock.monotonicMs();
  }
}

/** Moves the state of an entry on. @returns What to do with its lease. */
function reduce(entry: LeaseEntry, event: LeaseEvent) {
  const { state, effect } = reduceLease(entry.state, event);
  entry.state = state;
  return effect;
}

/** True when a lease is held and no caller waits for more of it. */
function isFree(entry: LeaseEntry): boolean {
  return entry.lease !== undefined && entry.refilling === undefined;
}

/** Counts a caller who waits for units, or with -1 one who no longer does. */
function countWait({ waits }: LeaseEntry, quantity: number, callers: 1 | -1): void {
  const count = (waits.get(quantity) ?? 0) + callers;
  if (count > 0) {
    waits.set(quantity, count);
  } else {
    waits.delete(quantity);
  }
}
