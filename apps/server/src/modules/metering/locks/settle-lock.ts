import type { Lock, SettleLockRequest } from "@turnpike/contract/locks";
import type { Tx } from "@turnpike/db/client";
import { assertMay, type CallContext } from "@turnpike/domain/access/actor";
import { AppError } from "@turnpike/domain/errors/app-error";
import type { AppServices } from "#platform/app-services.ts";
import { withTimeout } from "#platform/bounded-wait.ts";
import { type BalanceName, lockBalance } from "../leases/leases.store.ts";
import { lockSpendRoom } from "../leases/spend-room.ts";
import { writeGroups } from "../ledger/commit-groups.ts";
import { limitKey } from "../ledger/limited-keys.ts";
import { GroupBuilder, type UsageGroup } from "../ledger/usage-group.ts";
import type { Metering } from "../metering.ts";
import { endLock, findCaps, type LockCaps, type LockRow } from "./locks.store.ts";
import { balancesOf, claimOpenLock, countEndedLock, freeUnits, toLockReply } from "./open-lock.ts";

export type EndLockDeps = Pick<AppServices, "transact" | "clock" | "newId" | "logger"> & {
  metering: Pick<Metering, "leases" | "recorder" | "processId">;
};

/** After an outage more may wait to be committed than a caller should wait for. */
const FLUSH_WAIT_MS = 5_000;

type Settled = { row: LockRow; isEnded: boolean };

function toGroup(deps: EndLockDeps, row: LockRow, cost: number): UsageGroup {
  const builder = new GroupBuilder();
  builder.add({
    tenantId: row.tenant_id,
    keyId: row.key_id,
    originKeyId: row.origin_key_id,
    environment: row.environment,
    meterId: row.meter_id,
    outcome: "VALID",
    status: 200,
    method: undefined,
    route: row.route ?? undefined,
    occurredAtMs: deps.clock.now().getTime(),
    periodStartMs: row.period_start.getTime(),
    periodEndMs: row.period_end.getTime(),
    quantity: cost,
    leaseId: undefined,
  });
  return builder.build({
    groupId: deps.newId("group"),
    processId: deps.metering.processId,
    recordedAtMs: null,
  });
}

/** Units by which a balance exceeds its limit, or the spend cap, once the cost counts in it and the lock does not; 0 without either. */
async function overshootOf(
  tx: Tx,
  name: BalanceName,
  { limit, isCapped }: { limit: number | undefined; isCapped: boolean },
): Promise<number> {
  if (limit === undefined && !isCapped) {
    return 0;
  }
  const balance = await lockBalance(tx, name);
  const room = balance.isBudgeted ? await lockSpendRoom(tx, name) : undefined;
  const overLimit = limit === undefined ? 0 : balance.used + balance.held - limit;
  return Math.max(0, overLimit, -(room?.units ?? 0));
}

/** @throws {AppError} `LOCK_EXCEEDED`, which rolls the settlement back with its transaction. */
async function assertRoom(tx: Tx, row: LockRow, input: { cost: number; caps: LockCaps }) {
  const { cost, caps } = input;
  const { tenant, key } = balancesOf(row);
  const over = Math.max(
    await overshootOf(tx, tenant, { limit: caps.tenant, isCapped: caps.isSpendCapped }),
    await overshootOf(tx, key, { limit: caps.key, isCapped: false }),
  );
  if (over > 0) {
    throw new AppError({
      code: "LOCK_EXCEEDED",
      publicMessage: `The lock holds ${String(row.reserved)}, and the limits have no room for all of ${String(cost)}.`,
      // The highest cost that fits right now.
      extensions: { reserved: row.reserved, costMax: Math.max(row.reserved, cost - over) },
    });
  }
}

/**
 * Tries to settle a lock in one transaction: usage goes to the ledger, the units leave the lock, and the lock ends; or nothing
 * of it happens.
 *
 * @param caps - Undefined: not read yet.
 * @returns `needsCaps` when the cost exceeds what was reserved, so that they must be read first.
 */
async function trySettle(
  deps: EndLockDeps,
  { lockId, cost }: SettleLockRequest,
  caps: LockCaps | undefined,
): Promise<Settled | { needsCaps: LockRow }> {
  const write = async (tx: Tx): Promise<Settled | { needsCaps: LockRow }> => {
    const { row, isEnded } = await claimOpenLock(
      tx,
      lockId,
      (ended) => ended.state === "settled" && ended.cost === cost,
    );
    if (isEnded) {
      return { row, isEnded };
    }
    if (cost > row.reserved && caps === undefined) {
      return { needsCaps: row };
    }
    const group = toGroup(deps, row, cost);
    await writeGroups(tx, deps.logger, [group]);
    await freeUnits(tx, row);
    if (cost > row.reserved && caps !== undefined) {
      await assertRoom(tx, row, { cost, caps });
    }
    const { groupId } = group;
    return { row: await endLock(tx, lockId, { state: "settled", cost, groupId }), isEnded };
  };
  return await deps.metering.recorder.hurry(() => deps.transact.asMeter(write));
}

/** Gives back what this process holds of a tenant's limits for future calls. */
async function giveBackLeases({ leases, recorder }: EndLockDeps["metering"], row: LockRow) {
  leases.release(row.tenant_id);
  await leases.returnRetired(() => recorder.flush());
}

async function settleBeyond(
  deps: EndLockDeps,
  input: SettleLockRequest,
  open: LockRow,
): Promise<Settled> {
  const caps = await deps.transact.asOperator((tx) => findCaps(tx, open));
  const isLimited = caps.tenant !== undefined || caps.key !== undefined || caps.isSpendCapped;
  if (caps.isRecent && isLimited) {
    // Calls admitted before there was a limit are held by no lease and count once they are committed.
    await withTimeout(deps.metering.recorder.flush(), FLUSH_WAIT_MS);
  }
  if (caps.key !== undefined) {
    await limitKey(deps.transact, { tenantId: open.tenant_id, keyId: open.origin_key_id });
  }
  const settle = async (): Promise<Settled> => {
    const settled = await trySettle(deps, input, caps);
    if ("needsCaps" in settled) {
      throw new Error("The limits of a lock were read and are asked for again.");
    }
    return settled;
  };
  const { tenant, key } = balancesOf(open);
  /** Ways to make room, nearest first: none, leases of this process, leases of all others. */
  const rooms = [
    () => Promise.resolve(),
    () => giveBackLeases(deps.metering, open),
    () => deps.metering.leases.recallOthers([tenant, key]),
  ];
  let exceeded: unknown;
  for (const makeRoom of rooms) {
    await makeRoom();
    try {
      return await settle();
    } catch (error) {
      if (!(error instanceof AppError) || error.code !== "LOCK_EXCEEDED") {
        throw error;
      }
      exceeded = error;
    }
  }
  throw exceeded;
}

/**
 * Meters the cost of a lock's call in the billing period in which it was admitted, and gives back the rest. A cost above what
 * was reserved is taken when the current limits have room for it. Idempotent for the same cost.
 *
 * It does not matter whether the key or its tenant still exists: the work was done.
 *
 * @throws {AppError} `INSUFFICIENT_SCOPE`, `RESOURCE_NOT_FOUND`, `LOCK_LAPSED`, `LOCK_ENDED` (by another settlement or a
 *   release), `LOCK_EXCEEDED` (the lock stays open, nothing is metered).
 */
export async function settleLock(
  deps: EndLockDeps,
  context: CallContext,
  input: SettleLockRequest,
): Promise<Lock> {
  assertMay(context.actor, "keys:verify");
  const sinceMs = deps.clock.monotonicMs();
  const first = await trySettle(deps, input, undefined);
  const settled = "needsCaps" in first ? await settleBeyond(deps, input, first.needsCaps) : first;
  if (!settled.isEnded) {
    const quantity = settled.row.reserved - input.cost;
    countEndedLock(deps.metering.leases, settled.row, { quantity, sinceMs });
  }
  return toLockReply(settled.row);
}
