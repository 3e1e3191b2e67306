import type { LeaseId, TenantId } from "@turnpike/domain/ids/ids";
import { decideSpend, type SpendNotice, unitsLeft } from "@turnpike/domain/limits/lease-state";
import {
  coverUncounted,
  type HardLimit,
  isFree,
  type LeaseHold,
  reduceEntry,
} from "./lease-entry.ts";
import type { LeaseRecall } from "./lease-ledger.ts";
import { LeaseRefills, type LeaseRefillsDeps } from "./lease-refills.ts";
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

export type LeaseHolderDeps = LeaseRefillsDeps;

/**
 * Spends hard limits from memory. Holds at most one lease per limit, asks the database for more in the background before the
 * lease runs dry, and makes a caller wait only when nothing is held. Units that were spent stay taken in the database until
 * the usage is committed, so a limit is never overshot.
 *
 * What to decide is in `lease-state.ts` of the domain; this class keeps the leases, `lease-refills.ts` asks the database.
 */
export class LeaseHolder {
  readonly #deps: LeaseHolderDeps;
  readonly #registry: LeaseRegistry;
  readonly #returns: LeaseReturns;
  readonly #refills: LeaseRefills;

  constructor(deps: LeaseHolderDeps) {
    this.#deps = deps;
    this.#returns = new LeaseReturns(deps.ledger);
    this.#registry = new LeaseRegistry((lease) => this.#returns.add(lease));
    this.#refills = new LeaseRefills(deps, { registry: this.#registry, returns: this.#returns });
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
      void this.#refills.start(entry);
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
      reduceEntry(entry, { type: "changed_elsewhere", quantity, sinceMs, isAsking });
    }
  }

  /**
   * Asks the database for units; callers of one entry share the question.
   *
   * @throws the error of the database, now or a moment ago, or a connection error when it does not answer in time: then
   *   the limit cannot be decided.
   */
  refill(limit: HardLimit, quantity: number): Promise<void> {
    return this.#refills.refill(this.#registry.find(limit, this.#nowMs()), quantity);
  }

  /** Asks other processes for what they hold of balances and do not need, and waits a moment for it. */
  recallOthers(names: readonly BalanceName[]): Promise<void> {
    return this.#refills.recallOthers(names);
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
  settleRefills(): Promise<void> {
    return this.#refills.settle();
  }

  #nowMs(): number {
    return this.#deps.clock.monotonicMs();
  }
}
