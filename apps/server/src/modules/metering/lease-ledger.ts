import type { Tx } from "@turnpike/db/client";
import type { KeyId, LeaseId, ProcessId } from "@turnpike/domain/ids/ids";
import { type BalanceView, grantLease, LEASE_TTL_MS } from "@turnpike/domain/limits/lease";
import { insertChange } from "#platform/changes.store.ts";
import type { Transact } from "#platform/transact.ts";
import {
  type BalanceName,
  deleteLeases,
  extendLease,
  insertLease,
  lockBalance,
  lockLease,
  shrinkLeases,
} from "./leases.store.ts";
import { createKeyLimiter } from "./limit-key.ts";

/** What callers wait for when a slice is cut. */
export type WantedUnits = {
  /** Units for callers of whom each could have enough, 0 or more. What nobody can use is not held for them. */
  units: number;
  /** True when another one wants more than there is. */
  isTooMuch: boolean;
};

/** What a holder asks for: more for the lease it has, or else a new one. */
export type LeaseRequest = {
  name: BalanceName;
  /** The hard limit of the period, whole units. */
  limit: number;
  /** Asked when the balance is locked, with what is left of it; undefined: a slice is of no use any more. */
  countWanted: (left: number) => WantedUnits | undefined;
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
  /** Units added, from 0; negative when reported usage has taken of what the lease held. */
  granted: number;
  /** Units that nobody held or had used after this grant. */
  left: number;
  /** Units held under other active leases, within the limit: unless their holders spend them, they are left as well. */
  heldElsewhere: number;
  /** True when callers wait for more than was granted. */
  isShort: boolean;
  /** True for a balance that events are reported to: it is used past every lease. */
  isReported: boolean;
};

/** A lease that goes back. */
export type LeaseReturn = {
  name: BalanceName;
  leaseId: LeaseId;
  /** True when a transaction that makes or extends it may still be under way. */
  isDoubtful: boolean;
};

/** Units of a lease that go back before the rest of it. */
export type LeaseShrink = { name: BalanceName; leaseId: LeaseId; units: number };

/** A tenant or a line of keys has one balance for each meter and environment at a time, whatever the period. */
export function nameBalance({
  tenantId,
  keyId,
  environment,
  meterId,
}: Pick<BalanceName, "tenantId" | "environment" | "meterId"> & {
  keyId?: KeyId | undefined;
}): string {
  return `${keyId ?? tenantId}|${environment}|${meterId}`;
}

/** Who asks for units of which balance, as the entity of a change. */
export type LeaseRecall = { processId: string; balance: string };

export function parseLeaseRecall(entityId: string): LeaseRecall {
  const [processId = "", balance = ""] = entityId.split(" ", 2);
  return { processId, balance };
}

/** Where slices of balances are cut and given back: the database, which every process asks. */
export interface LeaseLedger {
  /** Cuts a slice. A failure leaves open whether it was cut. */
  cut(request: LeaseRequest): Promise<LeaseGrant>;
  /** Gives leases back, whatever is left of them; those that are gone are skipped. */
  giveBack(leases: readonly LeaseReturn[]): Promise<void>;
  /** Takes units off leases whose other units are still in use. A failure leaves open whether they were taken. */
  shrink(leases: readonly LeaseShrink[]): Promise<void>;
  /** Asks other processes to give back what they hold of a balance and do not need. */
  recall(name: BalanceName, processId: ProcessId): Promise<void>;
}

/**
 * Of what others hold, what is within the limit: it may have been lowered since, and what is reported is used past every
 * lease.
 */
function usableElsewhere(
  balance: { used: number; held: number; heldElsewhere: number },
  limit: number,
  granted: number,
): number {
  const taken = balance.used + balance.held - balance.heldElsewhere + granted;
  return Math.min(balance.heldElsewhere, Math.max(0, limit - taken));
}

function cutSlice(
  balance: BalanceView,
  { countWanted, ratePerMs }: Pick<LeaseRequest, "countWanted" | "ratePerMs">,
): { granted: number; isShort: boolean } {
  const wanted = countWanted(Math.max(0, balance.limit - balance.used - balance.held));
  if (wanted === undefined) {
    return { granted: 0, isShort: false };
  }
  const granted = grantLease(balance, wanted.units, ratePerMs);
  return { granted, isShort: wanted.isTooMuch || granted < wanted.units };
}

/**
 * Brings a lease of a balance that events are reported to up to what is left. Nobody spends from such a lease: whoever holds
 * it only tells by it whether there is anything left, so it grows no further, and gives up what has been reported meanwhile.
 *
 * @returns Undefined when the lease is not active any more.
 */
async function look(
  tx: Tx,
  request: LeaseRequest & { extend: LeaseId },
  balance: { used: number; held: number; heldElsewhere: number },
): Promise<LeaseGrant | undefined> {
  const { name, limit, extend } = request;
  const remaining = await lockLease(tx, name, extend);
  if (remaining === undefined) {
    return;
  }
  const over = Math.max(0, balance.used + balance.held - limit);
  const taken = Math.min(remaining, Math.ceil(over));
  const { granted, isShort } =
    remaining > 0
      ? { granted: -taken, isShort: false }
      : cutSlice({ ...balance, limit }, { ...request, ratePerMs: 0 });
  await extendLease(tx, name, { leaseId: extend, granted, ttlMs: LEASE_TTL_MS });
  const left = Math.max(0, limit - balance.used - balance.held - granted);
  const heldElsewhere = usableElsewhere(balance, limit, granted);
  return { leaseId: extend, granted, left, heldElsewhere, isShort, isReported: true };
}

/** @returns Undefined when the balance is of a line of keys that is not limited yet. */
async function tryCut(tx: Tx, request: LeaseRequest): Promise<LeaseGrant | undefined> {
  const { name, limit, extend } = request;
  const locked = await lockBalance(tx, name, extend);
  if (locked === undefined) {
    return;
  }
  const { isReported, ...balance } = locked;
  if (isReported && extend !== undefined) {
    const looked = await look(tx, { ...request, extend }, balance);
    if (looked !== undefined) {
      return looked;
    }
  }
  const { granted, isShort } = cutSlice({ ...balance, limit }, request);
  const left = Math.max(0, limit - balance.used - balance.held - granted);
  const heldElsewhere = usableElsewhere(balance, limit, granted);
  const answer = { granted, left, heldElsewhere, isShort, isReported };
  if (
    extend !== undefined &&
    (await extendLease(tx, name, { leaseId: extend, granted, ttlMs: LEASE_TTL_MS }))
  ) {
    return { leaseId: extend, ...answer };
  }
  if (granted > 0) {
    await insertLease(tx, name, {
      leaseId: request.newLeaseId,
      processId: request.processId,
      granted,
      ttlMs: LEASE_TTL_MS,
    });
  }
  return { leaseId: request.newLeaseId, ...answer };
}

function assertCut(grant: LeaseGrant | undefined): LeaseGrant {
  if (grant === undefined) {
    throw new Error("A line of keys was made limited and is not.");
  }
  return grant;
}

/** Cuts and returns leases in PostgreSQL. The row of the balance is locked while a slice is cut, so that none is cut twice. */
export function createLeaseLedger(transact: Pick<Transact, "asMeter">): LeaseLedger {
  const limitKey = createKeyLimiter(transact);
  return {
    cut: async (request) => {
      const { tenantId, keyId } = request.name;
      const cut = () => transact.asMeter((tx) => tryCut(tx, request));
      const first = await cut();
      if (first !== undefined || keyId === undefined) {
        return assertCut(first);
      }
      await limitKey({ tenantId, keyId });
      return assertCut(await cut());
    },
    // A transaction of its own: changes are written one after the other, and nobody waits for that with a balance locked.
    recall: (name, processId) =>
      transact.asMeter(async (tx) => {
        const entityId = `${processId} ${nameBalance(name)}`;
        await insertChange(tx, { kind: "lease", tenantId: name.tenantId, entityId });
      }),
    shrink: (leases) =>
      transact.asMeter((tx) =>
        shrinkLeases(
          tx,
          leases.map(({ name, leaseId, units }) => ({ tenantId: name.tenantId, leaseId, units })),
        ),
      ),
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
