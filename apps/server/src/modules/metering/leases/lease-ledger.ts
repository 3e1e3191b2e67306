import type { Tx } from "@turnpike/db/client";
import type { KeyId, LeaseId, ProcessId } from "@turnpike/domain/ids/ids";
import { type BalanceView, grantLease, LEASE_TTL_MS } from "@turnpike/domain/limits/lease";
import type { LeaseAnswer, SpendNotice, WantedUnits } from "@turnpike/domain/limits/lease-state";
import { insertChange } from "#platform/changes.store.ts";
import type { Transact } from "#platform/transact.ts";
import { createKeyLimiter, isKeyLimited } from "../ledger/limited-keys.ts";
import {
  type BalanceName,
  deleteLeases,
  extendLease,
  insertLease,
  type LockedBalance,
  lockBalance,
  lockLease,
  shrinkLeases,
} from "./leases.store.ts";
import { lockSpendRoom } from "./spend-room.ts";

/** What a holder asks for: more for the lease it has, or a new one. */
export type LeaseRequest = {
  name: BalanceName;
  /** The hard limit of the period, whole units. */
  limit: number;
  /** Called when the balance is locked, with what is left of it; undefined: units are of no use any more. */
  countWanted: (left: number) => WantedUnits | undefined;
  /** Recent use of this balance by the holder, units per millisecond. */
  ratePerMs: number;
  /** The lease to add to, as long as the database still counts it as active. */
  extend: LeaseId | undefined;
  /** The id of the lease that is made otherwise. */
  newLeaseId: LeaseId;
  processId: ProcessId;
};

export type LeaseGrant = LeaseAnswer & { leaseId: LeaseId };

/** A lease that goes back. */
export type LeaseReturn = {
  name: BalanceName;
  leaseId: LeaseId;
  /** True when a transaction that makes or extends it may still be under way. */
  isInDoubt: boolean;
};

/** Units of a lease that go back before the rest of it. */
export type LeaseShrink = { name: BalanceName; leaseId: LeaseId; units: number };

/** Names a balance of a tenant or of a line of keys. Each has one at a time for each meter and environment. */
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

/** A process that asks for units, and the balance: its own, or all of a tenant. Written as the entity of a change. */
export type LeaseRecall = { processId: string; balance: string };

const OF_BUDGET = "|*";

/** Names all balances of a tenant in an environment whose use counts against its limits in money. */
export function nameBudget({
  tenantId,
  environment,
}: Pick<BalanceName, "tenantId" | "environment">): string {
  return `${tenantId}|${environment}${OF_BUDGET}`;
}

export function isBudgetName(name: string): boolean {
  return name.endsWith(OF_BUDGET);
}

export function parseLeaseRecall(entityId: string): LeaseRecall {
  const [processId = "", balance = ""] = entityId.split(" ", 2);
  return { processId, balance };
}

/** The database of all processes, in which leases are cut from balances and given back. */
export interface LeaseLedger {
  /** Cuts a lease or adds to one. After a failure it may be made or not. */
  cut(request: LeaseRequest): Promise<LeaseGrant>;
  /** Gives leases back with what is left of them. Skips those that are gone. */
  giveBack(leases: readonly LeaseReturn[]): Promise<void>;
  /** Takes units off leases whose other units are still in use. After a failure they may be taken or not. */
  shrink(leases: readonly LeaseShrink[]): Promise<void>;
  /** Asks other processes to give back what they hold of a balance and do not need; by `budget`, of all balances of the tenant. */
  recall(name: BalanceName, processId: ProcessId, of?: "balance" | "budget"): Promise<void>;
}

/** What may be taken of a balance: the limit of a period, and what a spend cap leaves of it. */
type Bounds = {
  /** The smaller of both, as a limit of the balance. */
  limit: number;
  /** The same if other active leases came back. */
  limitIfReturned: number;
  /** Set when the spend cap is the smaller one. */
  spend: SpendNotice | undefined;
};

async function boundsOf(
  tx: Tx,
  { name, limit, extend }: Pick<LeaseRequest, "name" | "limit" | "extend">,
  balance: LockedBalance,
): Promise<Bounds> {
  const room = balance.isBudgeted ? await lockSpendRoom(tx, name, extend) : undefined;
  if (room === undefined) {
    return { limit, limitIfReturned: limit, spend: undefined };
  }
  const taken = balance.used + balance.held;
  const capped = taken + room.units;
  return {
    limit: Math.min(limit, capped),
    limitIfReturned: Math.min(limit, taken - balance.heldElsewhere + room.unitsIfReturned),
    spend: capped < limit ? room.notice : undefined,
  };
}

/**
 * Units that other leases keep from this balance and that lie within the limit. The limit may have been lowered since they were cut, and
 * reported usage may exceed every lease. Under a spend cap leases of other meters count as well.
 */
function usableElsewhere(balance: LockedBalance, bounds: Bounds, granted: number): number {
  const { used, held, heldElsewhere } = balance;
  const taken = used + held - heldElsewhere + granted;
  const room = Math.max(0, bounds.limitIfReturned - taken);
  return bounds.spend === undefined
    ? Math.min(heldElsewhere, room)
    : Math.max(0, room - Math.max(0, bounds.limit - used - held - granted));
}

function cutUnits(
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

function toAnswer(
  balance: LockedBalance,
  bounds: Bounds,
  { granted, isShort }: { granted: number; isShort: boolean },
): LeaseAnswer {
  return {
    granted,
    left: Math.max(0, bounds.limit - balance.used - balance.held - granted),
    heldElsewhere: usableElsewhere(balance, bounds, granted),
    isShort,
    isReported: balance.isReported,
    spend: bounds.spend,
  };
}

/**
 * Adjusts a lease of a reported balance to what is left. No units are spent from such a lease; it only shows whether anything
 * is left. So it does not grow, and it gives up what was reported since.
 *
 * @returns Undefined when the lease is not active any more.
 */
async function adjustReported(
  tx: Tx,
  request: LeaseRequest & { extend: LeaseId },
  { balance, bounds }: { balance: LockedBalance; bounds: Bounds },
): Promise<LeaseGrant | undefined> {
  const { name, extend } = request;
  const { limit } = bounds;
  const remaining = await lockLease(tx, name, extend);
  if (remaining === undefined) {
    return;
  }
  const over = Math.max(0, balance.used + balance.held - limit);
  const taken = Math.min(remaining, Math.ceil(over));
  const units =
    remaining > 0
      ? { granted: -taken, isShort: false }
      : cutUnits({ ...balance, limit }, { ...request, ratePerMs: 0 });
  await extendLease(tx, name, { leaseId: extend, granted: units.granted, ttlMs: LEASE_TTL_MS });
  return { leaseId: extend, ...toAnswer(balance, bounds, units) };
}

async function cutLease(tx: Tx, request: LeaseRequest): Promise<LeaseGrant> {
  const { name, extend } = request;
  const balance = await lockBalance(tx, name, extend);
  const bounds = await boundsOf(tx, request, balance);
  if (balance.isReported && extend !== undefined) {
    const adjusted = await adjustReported(tx, { ...request, extend }, { balance, bounds });
    if (adjusted !== undefined) {
      return adjusted;
    }
  }
  const units = cutUnits({ ...balance, limit: bounds.limit }, request);
  const { granted } = units;
  const answer = toAnswer(balance, bounds, units);
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

/** @returns Undefined for a line of keys that is not limited yet: its balance need not hold all that was used. */
async function tryCut(tx: Tx, request: LeaseRequest): Promise<LeaseGrant | undefined> {
  const { tenantId, keyId } = request.name;
  const isReady = keyId === undefined || (await isKeyLimited(tx, { tenantId, keyId }));
  return isReady ? await cutLease(tx, request) : undefined;
}

/** Cuts and returns leases in PostgreSQL. The row of the balance is locked while units are cut, so that none is cut twice. */
export function createLeaseLedger(transact: Pick<Transact, "asMeter">): LeaseLedger {
  const limitKey = createKeyLimiter(transact);
  return {
    cut: async (request) => {
      const { tenantId, keyId } = request.name;
      const first = await transact.asMeter((tx) => tryCut(tx, request));
      if (first !== undefined || keyId === undefined) {
        return first ?? neverLimited();
      }
      await limitKey({ tenantId, keyId });
      return (await transact.asMeter((tx) => tryCut(tx, request))) ?? neverLimited();
    },
    // In a transaction of its own: changes are written one after the other, and no balance may be locked meanwhile.
    recall: (name, processId, of = "balance") =>
      transact.asMeter(async (tx) => {
        const entityId = `${processId} ${of === "budget" ? nameBudget(name) : nameBalance(name)}`;
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
      const known = leases.filter(({ isInDoubt }) => !isInDoubt).map(toNamed);
      if (known.length > 0) {
        await transact.asMeter((tx) => deleteLeases(tx, known));
      }
      for (const lease of leases.filter(({ isInDoubt }) => isInDoubt)) {
        await transact.asMeter(async (tx) => {
          // Waits for the transaction whose answer was lost: it holds the lock until it ends.
          await lockBalance(tx, lease.name);
          await deleteLeases(tx, [toNamed(lease)]);
        });
      }
    },
  };
}

function neverLimited(): never {
  throw new Error("A line of keys was made limited and is not.");
}

function toNamed({ name, leaseId }: LeaseReturn) {
  return { tenantId: name.tenantId, leaseId };
}
