import { type HardLimit, type HeldLease, type LeaseEntry, newLeaseEntry } from "./lease-entry.ts";
import { isBudgetName, nameBalance, nameBudget } from "./lease-ledger.ts";
import type { BalanceName } from "./leases.store.ts";

function isOfPeriod(entry: LeaseEntry, periodStartMs: number): boolean {
  return entry.name.periodStart.getTime() === periodStartMs;
}

/**
 * The entries of a process, by balance. All keys of a line share one balance, and each may have a limit of its own on it: a
 * balance has an entry for each of these limits.
 */
export class LeaseRegistry {
  readonly #entries = new Map<string, readonly LeaseEntry[]>();
  /** By the object last asked with: callers pass the same one for as long as nothing changes. */
  readonly #entryOf = new WeakMap<HardLimit, LeaseEntry>();
  readonly #onRetired: (lease: HeldLease) => void;

  /** @param onRetired - Called with every lease that is no longer held and must go back. */
  constructor(onRetired: (lease: HeldLease) => void) {
    this.#onRetired = onRetired;
  }

  /** Balances with an entry. */
  get size(): number {
    return this.#entries.size;
  }

  /** Finds the entry of a limit, or makes one. @param nowMs - Monotonic. */
  find(limit: HardLimit, nowMs: number): LeaseEntry {
    let entry = this.#entryOf.get(limit);
    if (entry === undefined || entry.isReleased) {
      entry = this.#findByName(limit, nowMs);
      this.#entryOf.set(limit, entry);
    }
    return entry;
  }

  #findByName(limit: HardLimit, nowMs: number): LeaseEntry {
    const balance = nameBalance(limit);
    const entries = this.ofBalance(balance);
    const known = entries.find(
      (entry) =>
        entry.limit === limit.limit &&
        entry.changedAtMs === limit.changedAtMs &&
        isOfPeriod(entry, limit.periodStartMs),
    );
    if (known !== undefined) {
      return known;
    }
    // A new period, a new limit of the tenant or a changed key: the old lease goes back. Another key of the line whose entry is
    // older loses it too, once.
    const isOlder = ({ changedAtMs }: LeaseEntry) =>
      changedAtMs !== undefined &&
      limit.changedAtMs !== undefined &&
      changedAtMs < limit.changedAtMs;
    for (const entry of entries) {
      if (limit.keyId === undefined || !isOfPeriod(entry, limit.periodStartMs) || isOlder(entry)) {
        this.release(entry);
      }
    }
    const entry = newLeaseEntry(limit, nowMs);
    this.#entries.set(balance, [...this.ofBalance(balance), entry]);
    return entry;
  }

  all(): LeaseEntry[] {
    return [...this.#entries.values()].flat();
  }

  /** @param balance - As {@link nameBalance} names it. */
  ofBalance(balance: string): readonly LeaseEntry[] {
    return this.#entries.get(balance) ?? [];
  }

  /** Entries of a balance, or of all balances of a budget: see `nameBudget`. */
  named(name: string): readonly LeaseEntry[] {
    return isBudgetName(name)
      ? this.all().filter(({ name: own }) => own.keyId === undefined && nameBudget(own) === name)
      : this.ofBalance(name);
  }

  /** Entries of a tenant that its limits in money are about: those of its balances in an environment, not those of its keys. */
  ofBudget({ tenantId, environment }: Pick<BalanceName, "tenantId" | "environment">): LeaseEntry[] {
    return this.all().filter(
      ({ name }) =>
        name.tenantId === tenantId && name.keyId === undefined && name.environment === environment,
    );
  }

  /** Entries of a balance in one billing period. */
  ofPeriod(name: BalanceName): readonly LeaseEntry[] {
    const periodStartMs = name.periodStart.getTime();
    return this.ofBalance(nameBalance(name)).filter((entry) => isOfPeriod(entry, periodStartMs));
  }

  /** Changes the lease of an entry; the one before goes back. */
  replaceLease(entry: LeaseEntry, lease: HeldLease | undefined): void {
    if (entry.lease !== undefined) {
      this.#onRetired(entry.lease);
    }
    entry.lease = lease;
  }

  /** Drops an entry; its lease goes back. */
  release(entry: LeaseEntry): void {
    const balance = nameBalance(entry.name);
    const others = this.ofBalance(balance).filter((other) => other !== entry);
    if (others.length === 0) {
      this.#entries.delete(balance);
    } else {
      this.#entries.set(balance, others);
    }
    entry.isReleased = true;
    this.replaceLease(entry, undefined);
  }
}
