import type { LeaseId, ProcessId, TenantId } from "@turnpike/domain/ids/ids";
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

/** Names a lease that goes back. */
export type LeaseReturn = { name: BalanceName; tenantId: TenantId; leaseId: LeaseId };

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
      await transact.asMeter((tx) => deleteLeases(tx, leases));
    },
  };
}
