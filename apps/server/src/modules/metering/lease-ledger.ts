import type { LeaseId, ProcessId } from "@turnpike/domain/ids/ids";
import { grantLease, LEASE_TTL_MS } from "@turnpike/domain/limits/lease";
import type { Transact } from "#platform/transact.ts";
import {
  type BalanceName,
  deleteLeases,
  extendLease,
  insertLease,
  lockBalance,
} from "./leases.store.ts";

/** What a holder asks for: more for the lease it has, or else a new one. */
export type LeaseRequest = {
  name: BalanceName;
  /** The hard limit of the period, whole units. */
  limit: number;
  /** Asked when the balance is locked: units that callers wait for by then, 1 or more. */
  countWanted: () => number;
  /** Recent use of this balance by the holder, units per millisecond. */
  ratePerMs: number;
  /** The lease to add to, as long as the database still counts it as active. */
  extend: LeaseId | undefined;
  /** The id of the lease that is made otherwise. */
  newLeaseId: LeaseId;
  processId: ProcessId;
};

export type LeaseGrant = {
  leaseId: LeaseId;
  /** Units added, from 0. */
  granted: number;
  /** Units that nobody held or had used after this grant. */
  left: number;
};

/** A lease that goes back. */
export type LeaseReturn = {
  name: BalanceName;
  leaseId: LeaseId;
  /** True when a transaction that makes or extends it may still be under way. */
  isDoubtful: boolean;
};

/** Where slices of balances are cut and given back: the database, which every process asks. */
export interface LeaseLedger {
  /** Cuts a slice. A failure leaves open whether it was cut. */
  cut(request: LeaseRequest): Promise<LeaseGrant>;
  /** Gives leases back, whatever is left of them; those that are gone are skipped. */
  giveBack(leases: readonly LeaseReturn[]): Promise<void>;
}

/** Cuts and returns leases in PostgreSQL. The row of the balance is locked while a slice is cut, so that none is cut twice. */
export function createLeaseLedger(transact: Pick<Transact, "asMeter">): LeaseLedger {
  return {
    cut: (request) =>
      transact.asMeter(async (tx) => {
        const { name, limit, extend } = request;
        const balance = await lockBalance(tx, name);
        const granted = grantLease(
          { ...balance, limit },
          Math.max(1, request.countWanted()),
          request.ratePerMs,
        );
        const left = Math.max(0, limit - balance.used - balance.held - granted);
        if (
          extend !== undefined &&
          (await extendLease(tx, name, { leaseId: extend, granted, ttlMs: LEASE_TTL_MS }))
        ) {
          return { leaseId: extend, granted, left };
        }
        if (granted > 0) {
          await insertLease(tx, name, {
            leaseId: request.newLeaseId,
            processId: request.processId,
            granted,
            ttlMs: LEASE_TTL_MS,
          });
        }
        return { leaseId: request.newLeaseId, granted, left };
      }),
    giveBack: async (leases) => {
      const [doubtful, known] = [true, false].map((isDoubtful) =>
        leases.filter((lease) => lease.isDoubtful === isDoubtful).map(toNamed),
      );
      if (known !== undefined && known.length > 0) {
        await transact.asMeter((tx) => deleteLeases(tx, known));
      }
      for (const lease of doubtful ?? []) {
        await transact.asMeter(async (tx) => {
          // Behind the transaction whose answer was lost: it has the lock until it is over.
          await lockBalance(tx, lease.name);
          await deleteLeases(tx, [lease]);
        });
      }
    },
  };
}

function toNamed({ name, leaseId }: LeaseReturn) {
  return { name, tenantId: name.tenantId, leaseId };
}
