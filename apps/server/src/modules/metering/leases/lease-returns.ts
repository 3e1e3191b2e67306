import type { LeaseId, TenantId } from "@turnpike/domain/ids/ids";
import type { HeldLease } from "./lease-entry.ts";
import { type LeaseLedger, nameBalance } from "./lease-ledger.ts";
import type { BalanceName } from "./leases.store.ts";

/** Leases given back in one statement. */
const LEASES_AT_ONCE = 1_000;

/** Leases that were released and wait to go back to the database: each once its calls are recorded and committed. */
export class LeaseReturns {
  readonly #ledger: Pick<LeaseLedger, "giveBack" | "shrink">;
  /** Leases that usage outside of the ledger was spent from; they must cover it for as long as it waits. */
  readonly #kept = new Set<LeaseId>();
  #waiting: HeldLease[] = [];
  /** Leases that the database is being asked to take units off. */
  #shrinking: ReadonlySet<HeldLease> = new Set();
  /** Batches go back one after the other, so that no lease goes back twice. */
  #returning: Promise<unknown> = Promise.resolve();

  constructor(ledger: Pick<LeaseLedger, "giveBack" | "shrink">) {
    this.#ledger = ledger;
  }

  add(lease: HeldLease): void {
    this.#waiting.push(lease);
  }

  /** True when units of a balance wait to go back or are on their way. Units that calls in flight took do not count. */
  hasUnitsOf(name: BalanceName): boolean {
    const balance = nameBalance(name);
    return this.#hasUnits((lease) => nameBalance(lease.name) === balance);
  }

  /** The same for any balance of a tenant. */
  hasUnitsOfTenant(tenantId: TenantId): boolean {
    return this.#hasUnits(({ name }) => name.tenantId === tenantId);
  }

  /** True while a lease of a tenant waits, also for calls in flight. */
  hasLeasesOf(tenantId: TenantId): boolean {
    return this.#waiting.some(
      ({ name, leaseId }) => name.tenantId === tenantId && !this.#kept.has(leaseId),
    );
  }

  #hasUnits(isMeant: (lease: HeldLease) => boolean): boolean {
    return this.#waiting.some(
      (lease) =>
        (lease.inFlight === 0 || lease.remaining > 0 || this.#shrinking.has(lease)) &&
        !this.#kept.has(lease.leaseId) &&
        isMeant(lease),
    );
  }

  /** Keeps leases from ever going back, whether they wait for it already or not. */
  keep(leaseIds: readonly LeaseId[]): void {
    for (const leaseId of leaseIds) {
      this.#kept.add(leaseId);
    }
  }

  /** Keeps every lease that waits. */
  keepAll(): void {
    this.keep(this.#waiting.map(({ leaseId }) => leaseId));
  }

  /**
   * Gives back leases without calls in flight, a thousand at a time, and of the others the units that no call has taken.
   *
   * @returns How many still wait.
   */
  giveBack(flush: () => Promise<unknown>): Promise<number> {
    const returning = this.#returning.then(() => this.#giveBackBatch(flush));
    this.#returning = returning.catch(() => undefined);
    return returning;
  }

  /** Gives back what slow calls did not take: one of them must not keep the rest of its lease from others. */
  async #shrinkBatch(): Promise<void> {
    const shrunk = this.#waiting
      .filter(({ inFlight, remaining }) => inFlight > 0 && remaining > 0)
      .slice(0, LEASES_AT_ONCE);
    if (shrunk.length === 0) {
      return;
    }
    const leases = shrunk.map(({ name, leaseId, remaining }) => ({
      name,
      leaseId,
      units: remaining,
    }));
    for (const lease of shrunk) {
      // Whether the statement succeeds or not: units that were not taken off go back with the whole lease.
      lease.remaining = 0;
    }
    this.#shrinking = new Set(shrunk);
    try {
      await this.#ledger.shrink(leases);
    } finally {
      this.#shrinking = new Set();
    }
  }

  async #giveBackBatch(flush: () => Promise<unknown>): Promise<number> {
    this.#waiting = this.#waiting.filter((lease) => !this.#kept.has(lease.leaseId));
    await this.#shrinkBatch();
    const done = this.#waiting.filter((lease) => lease.inFlight === 0).slice(0, LEASES_AT_ONCE);
    if (done.length > 0) {
      await flush();
      // What the flush could not commit may have been spent from these very leases.
      await this.#ledger.giveBack(done.filter((lease) => !this.#kept.has(lease.leaseId)));
      const returned = new Set(done);
      this.#waiting = this.#waiting.filter((lease) => !returned.has(lease));
    }
    return this.#waiting.length;
  }
}
