import type { GroupId, LeaseId, ProcessId } from "@turnpike/domain/ids/ids";
import { grantLease, LEASE_TTL_MS } from "@turnpike/domain/limits/lease";
import type { LeaseLedger } from "../leases/lease-ledger.ts";
import type { UsageGroup } from "../ledger/usage-group.ts";

/** A lease in the simulated database. */
export type SimLease = {
  leaseId: LeaseId;
  processId: ProcessId;
  periodStartMs: number;
  state: "active" | "forfeited";
  granted: number;
  remaining: number;
  /** Units that committed usage took off it. */
  settled: number;
  expiresAtMs: number;
};

/** What limits need of the ledger, with the rules of its SQL and one balance per period. */
export class SimDatabase {
  nowMs = 0;
  readonly used = new Map<number, number>();
  readonly leases = new Map<LeaseId, SimLease>();
  /** Usage committed beyond its lease: 0 unless escrow is broken. */
  unsettled = 0;
  readonly #groups = new Set<GroupId>();

  heldOf(periodStartMs: number, state?: SimLease["state"]): number {
    let held = 0;
    for (const lease of this.leases.values()) {
      const isMeant = state === undefined || lease.state === state;
      held += lease.periodStartMs === periodStartMs && isMeant ? lease.remaining : 0;
    }
    return held;
  }

  usedOf(periodStartMs: number): number {
    return this.used.get(periodStartMs) ?? 0;
  }

  commit(groups: readonly UsageGroup[]): void {
    for (const group of groups) {
      if (this.#groups.has(group.groupId)) {
        continue;
      }
      this.#groups.add(group.groupId);
      for (const entry of group.entries) {
        this.used.set(entry.periodStartMs, this.usedOf(entry.periodStartMs) + entry.quantity);
      }
      for (const spend of group.spends) {
        const lease = this.leases.get(spend.leaseId);
        if (lease === undefined || lease.remaining < spend.quantity) {
          this.unsettled += 1;
        } else {
          lease.remaining -= spend.quantity;
          lease.settled += spend.quantity;
        }
      }
    }
  }

  forfeit(isGone: (lease: SimLease) => boolean): void {
    for (const lease of this.leases.values()) {
      if (lease.state === "active" && isGone(lease)) {
        lease.state = "forfeited";
      }
    }
  }
}

/** A transaction that holds the lock: how it is committed, and the units that it grants then. */
type Begun<Result = unknown> = { commit: () => Result; granting: number };

type Message = {
  /** The incarnation of a node that waits for the answer. */
  from: ProcessId;
  /** Runs under the lock and returns how to commit. */
  begin: () => Begun;
  begun: Begun | undefined;
  /** False once no process waits for it. */
  isAwaited: boolean;
  resolve: (result: unknown) => void;
  reject: (error: Error) => void;
};

/** What happens to a message next. `roll back` and `commit` also happen when no process waits any more. */
export const FATES = ["begin", "commit", "commit unheard", "fail", "roll back"] as const;
export type Fate = (typeof FATES)[number];

/**
 * Transactions on their way. The test decides the fate of each: it begins and takes the lock of the balance, it is committed and
 * answered, it is committed and the answer is lost, or its connection breaks and its end stays unknown.
 */
export class SimNetwork {
  readonly database: SimDatabase;
  #messages: Message[] = [];

  constructor(database: SimDatabase) {
    this.database = database;
  }

  get pending(): number {
    return this.#messages.length;
  }

  send<Result>(from: ProcessId, begin: () => Begun<Result>): Promise<Result> {
    return new Promise<Result>((resolve, reject) => {
      this.#messages.push({
        from,
        begin,
        begun: undefined,
        isAwaited: true,
        resolve: (result) => resolve(result as Result),
        reject,
      });
    });
  }

  /**
   * Disconnects a process that is gone. Transactions that had begun may still be committed.
   *
   * @returns Units that they would grant.
   */
  disconnect(from: ProcessId): number {
    let granting = 0;
    for (const message of this.#messages) {
      if (message.from === from) {
        message.isAwaited = false;
        granting += message.begun?.granting ?? 0;
      }
    }
    this.#dropUnheard();
    return granting;
  }

  /** Rolls back transactions whose client was gone before it asked for the commit. */
  #dropUnheard(): void {
    this.#messages = this.#messages.filter(
      (message) => message.isAwaited || message.begun !== undefined,
    );
  }

  apply(nth: number, fate: Fate, isReachable: (from: ProcessId) => boolean): void {
    const message = this.#messages[nth % Math.max(1, this.#messages.length)];
    if (message === undefined) {
      return;
    }
    switch (fate) {
      case "begin":
        this.#begin(message);
        return;
      case "commit":
      case "commit unheard":
        if (message.isAwaited && !isReachable(message.from)) {
          return;
        }
        this.#begin(message);
        this.#commit(message, fate === "commit");
        return;
      case "fail":
        this.#fail(message);
        return;
      case "roll back":
        if (!message.isAwaited) {
          this.#messages = this.#messages.filter((other) => other !== message);
        }
        return;
      default:
        fate satisfies never;
    }
  }

  #begin(message: Message): void {
    const isLocked = this.#messages.some((other) => other.begun !== undefined);
    if (message.begun === undefined && !isLocked) {
      message.begun = message.begin();
    }
  }

  #commit(message: Message, isHeard: boolean): void {
    if (message.begun === undefined) {
      return;
    }
    const result = message.begun.commit();
    this.#messages = this.#messages.filter((other) => other !== message);
    if (isHeard && message.isAwaited) {
      message.resolve(result);
    } else if (message.isAwaited) {
      message.reject(new Error("connection lost"));
    }
  }

  #fail(message: Message): void {
    if (message.isAwaited) {
      message.isAwaited = false;
      message.reject(new Error("connection lost"));
    }
    this.#dropUnheard();
  }
}

/** Simulated holders know nothing of one another, and no events are reported. */
const ALONE = { heldElsewhere: 0, isReported: false } as const;

/** Creates the ledger of leases over the network, for one incarnation of a node. */
export function createSimLedger(network: SimNetwork, processId: ProcessId): LeaseLedger {
  const { database } = network;
  return {
    cut: ({ name, limit, countWanted, ratePerMs, extend, newLeaseId }) =>
      network.send(processId, () => {
        const periodStartMs = name.periodStart.getTime();
        const used = database.usedOf(periodStartMs);
        const held = database.heldOf(periodStartMs);
        const wanted = countWanted(Math.max(0, limit - used - held));
        const granted =
          wanted === undefined ? 0 : grantLease({ limit, used, held }, wanted.units, ratePerMs);
        const left = Math.max(0, limit - used - held - granted);
        const isShort = wanted !== undefined && (wanted.isTooMuch || granted < wanted.units);
        const expiresAtMs = database.nowMs + LEASE_TTL_MS;
        const known = extend === undefined ? undefined : database.leases.get(extend);
        const commit = () => {
          if (known?.state === "active" && known.expiresAtMs > database.nowMs) {
            known.granted += granted;
            known.remaining += granted;
            known.expiresAtMs = expiresAtMs;
            return { leaseId: known.leaseId, granted, left, isShort, ...ALONE };
          }
          if (granted > 0) {
            database.leases.set(newLeaseId, {
              leaseId: newLeaseId,
              processId,
              periodStartMs,
              state: "active",
              granted,
              remaining: granted,
              settled: 0,
              expiresAtMs,
            });
          }
          return { leaseId: newLeaseId, granted, left, isShort, ...ALONE };
        };
        return { commit, granting: granted };
      }),
    giveBack: (leases) =>
      network.send(processId, () => ({
        granting: 0,
        commit: () => {
          for (const { leaseId } of leases) {
            database.leases.delete(leaseId);
          }
        },
      })),
    shrink: (leases) =>
      network.send(processId, () => ({
        granting: 0,
        commit: () => {
          for (const { leaseId, units } of leases) {
            const lease = database.leases.get(leaseId);
            if (lease !== undefined && lease.remaining >= units) {
              lease.granted -= units;
              lease.remaining -= units;
            }
          }
        },
      })),
    // Simulated holders do not wait for others.
    recall: () => Promise.resolve(),
  };
}
