import type { NewId, ProcessId } from "@turnpike/domain/ids/ids";
import { leaseDeadlineMs } from "@turnpike/domain/limits/lease";
import {
  countWaits,
  leaseStatus,
  needsOthers,
  spendableUnits,
} from "@turnpike/domain/limits/lease-state";
import { withTimeout } from "#platform/bounded-wait.ts";
import type { Clock } from "#platform/clock.ts";
import type { Logger } from "#platform/logger.ts";
import {
  coverUncounted,
  type HeldLease,
  isFree,
  type LeaseEntry,
  newHeldLease,
  reduceEntry,
} from "./lease-entry.ts";
import { type LeaseGrant, type LeaseLedger, nameBalance } from "./lease-ledger.ts";
import type { LeaseRegistry } from "./lease-registry.ts";
import type { LeaseReturns } from "./lease-returns.ts";
import type { BalanceName } from "./leases.store.ts";

export type LeaseRefillsDeps = {
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

/** Asks the database for units of leases, and other processes for what they hold and do not need. */
export class LeaseRefills {
  readonly #deps: LeaseRefillsDeps;
  readonly #registry: LeaseRegistry;
  readonly #returns: LeaseReturns;
  /** Questions under way. */
  readonly #refills = new Set<Promise<void>>();

  constructor(
    deps: LeaseRefillsDeps,
    { registry, returns }: { registry: LeaseRegistry; returns: LeaseReturns },
  ) {
    this.#deps = deps;
    this.#registry = registry;
    this.#returns = returns;
  }

  /**
   * Asks the database for units; callers of one entry share the question.
   *
   * @throws the error of the database, now or a moment ago, or a connection error when it does not answer in time: then
   *   the limit cannot be decided.
   */
  async refill(entry: LeaseEntry, quantity: number): Promise<void> {
    if (this.#nowMs() < (entry.state.failedUntilMs ?? 0)) {
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
    await this.start(entry);
    if (isLate && (entry.lease?.remaining ?? 0) < quantity) {
      await this.start(entry);
    }
  }

  /** Asks without anyone waiting for it; the question under way is the answer to the next caller too. */
  start(entry: LeaseEntry): Promise<void> {
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
      reduceEntry(entry, { type: "others_asked" });
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
    await this.#returns.giveBack(flush).catch((error: unknown) => {
      logger.debug({ err: error }, "Leases could not be given back yet");
    });
    return true;
  }

  async #ask(entry: LeaseEntry): Promise<void> {
    const askedAtMs = this.#nowMs();
    reduceEntry(entry, { type: "asked" });
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
      reduceEntry(entry, { type: "failed", nowMs: this.#nowMs() });
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
    const effect = reduceEntry(entry, {
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

  /** Waits for the questions under way. */
  async settle(): Promise<void> {
    await Promise.allSettled(this.#refills);
  }

  #nowMs(): number {
    return this.#deps.clock.monotonicMs();
  }
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
