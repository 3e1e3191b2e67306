import type { LeaseId } from "@turnpike/domain/ids/ids";
import { type LeaseLedger, nameBalance } from "./lease-ledger.ts";
import type { Slice } from "./lease-slot.ts";
import type { BalanceName } from "./leases.store.ts";

/** Leases given back in one statement. */
const RETURN_BATCH = 1_000;

/** Slices that were let go of, until the database has them back: each once its calls are recorded and committed. */
export class LeaseReturns {
  readonly #ledger: Pick<LeaseLedger, "giveBack" | "shrink">;
  /** Leases that usage outside of the ledger was spent from; they must cover it for as long as it waits. */
  readonly #kept = new Set<LeaseId>();
  #waiting: Slice[] = [];
  /** Slices that the database is being asked to take units off. */
  #shrinking: ReadonlySet<Slice> = new Set();
  /** Batches go back one after the other, so that none goes back twice. */
  #returning: Promise<unknown> = Promise.resolve();

  constructor(ledger: Pick<LeaseLedger, "giveBack" | "shrink">) {
    this.#ledger = ledger;
  }

  add(slice: Slice): void {
    this.#waiting.push(slice);
  }

  /** True when units of a balance wait to go back or are on their way; not for what calls in flight have taken. */
  hasUnitsOf(name: BalanceName): boolean {
    const balance = nameBalance(name);
    return this.#waiting.some(
      (slice) =>
        (slice.inFlight === 0 || slice.remaining > 0 || this.#shrinking.has(slice)) &&
        !this.#kept.has(slice.leaseId) &&
        nameBalance(slice.name) === balance,
    );
  }

  /** Keeps leases from ever going back, whether they wait for it already or not. */
  keep(leaseIds: readonly LeaseId[]): void {
    for (const leaseId of leaseIds) {
      this.#kept.add(leaseId);
    }
  }

  /** The same of all that wait. */
  keepAll(): void {
    this.keep(this.#waiting.map(({ leaseId }) => leaseId));
  }

  /**
   * Gives back what has no call in flight, a thousand leases at a time: of the others what no call has taken.
   *
   * @returns How many still wait.
   */
  giveBack(flush: () => Promise<unknown>): Promise<number> {
    const returning = this.#returning.then(() => this.#giveBackBatch(flush));
    this.#returning = returning.catch(() => undefined);
    return returning;
  }

  /** One call that takes its time must not keep from others what it did not take. */
  async #shrinkBatch(): Promise<void> {
    const shrunk = this.#waiting
      .filter(({ inFlight, remaining }) => inFlight > 0 && remaining > 0)
      .slice(0, RETURN_BATCH);
    if (shrunk.length > 0) {
      const leases = shrunk.map(({ name, leaseId, remaining }) => ({
        name,
        leaseId,
        units: remaining,
      }));
      for (const slice of shrunk) {
        // Whatever becomes of it: units that were not taken off go back with the whole lease.
        slice.remaining = 0;
      }
      this.#shrinking = new Set(shrunk);
      try {
        await this.#ledger.shrink(leases);
      } finally {
        this.#shrinking = new Set();
      }
    }
  }

  async #giveBackBatch(flush: () => Promise<unknown>): Promise<number> {
    this.#waiting = this.#waiting.filter((slice) => !this.#kept.has(slice.leaseId));
    await this.#shrinkBatch();
    const done = this.#waiting.filter((slice) => slice.inFlight === 0).slice(0, RETURN_BATCH);
    if (done.length > 0) {
      await flush();
      // What the flush could not commit may have been spent from these very leases.
      const free = done.filter((slice) => !this.#kept.has(slice.leaseId));
      await this.#ledger.giveBack(free);
      const returned = new Set(done);
      this.#waiting = this.#waiting.filter((slice) => !returned.has(slice));
    }
    return this.#waiting.length;
  }
}
