import { assertMay, type CallContext } from "@turnpike/domain/access/actor";
import type { UsageClass } from "@turnpike/domain/metering/usage-history";
import type { Transact } from "#platform/transact.ts";
import {
  countLedger,
  type DriftRow,
  findBalanceDrift,
  findHistory,
  findHourlyDrift,
  findKeyBalanceDrift,
  findLockDrift,
  findMeterDrift,
  findOldHourDrift,
  findRollupDrift,
  findStrays,
} from "./usage.store.ts";

export type Reconciliation = {
  /** Places where a derived number differs from the ledger: 0 on every healthy database, live or not. */
  drift: number;
  entries: number;
  /** Calls and events that the entries count. */
  calls: number;
  rollups: number;
  balances: number;
  /** Units in leases of crashed processes: they block until their period ends and are never billed. */
  forfeited: string;
  /** Units that open locks reserve, whether a limit holds them or not. */
  locked: string;
  /** What lies before was not compared: it is not kept. ISO; null: everything was, as where nothing was dropped yet. */
  keptFrom: Record<UsageClass, string | null>;
  /** The first places that differ, at most 100 of each kind. */
  findings: DriftRow[];
};

const FINDINGS_MAX = 100;

/**
 * Recomputes rollups and balances from the raw entries and compares, as far back as they are kept: minutes with entries, hours
 * with minutes, hours whose minutes are gone with entries, and balances with entries of periods that are whole. Reads one snapshot, so that it is exact on a live
 * database: every commit writes entries, rollups and balances together or not at all.
 */
export async function reconcile(
  deps: { transact: Transact },
  context: CallContext,
): Promise<Reconciliation> {
  assertMay(context.actor, "usage:read");
  return await deps.transact.asOperatorSnapshot(async (tx) => {
    const findings = [
      ...(await findRollupDrift(tx, FINDINGS_MAX)),
      ...(await findOldHourDrift(tx, FINDINGS_MAX)),
      ...(await findHourlyDrift(tx, FINDINGS_MAX)),
      ...(await findBalanceDrift(tx, FINDINGS_MAX)),
      ...(await findKeyBalanceDrift(tx, FINDINGS_MAX)),
      ...(await findMeterDrift(tx, FINDINGS_MAX)),
      ...(await findLockDrift(tx, FINDINGS_MAX)),
      ...(await findStrays(tx, FINDINGS_MAX)),
    ];
    const counts = await countLedger(tx);
    const history = await findHistory(tx);
    return {
      drift: findings.length,
      entries: Number(counts.entries),
      calls: Number(counts.calls),
      rollups: Number(counts.rollups),
      balances: Number(counts.balances),
      forfeited: counts.forfeited,
      locked: counts.locked,
      keptFrom: {
        minutes: history.minutes?.toISOString() ?? null,
        hours: history.hours?.toISOString() ?? null,
        ledger: history.ledger?.toISOString() ?? null,
      },
      findings,
    };
  });
}
