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
  /** How many derived numbers differ from the ledger: 0 on every healthy database, live or not. */
  drift: number;
  entries: number;
  /** Calls and events in the entries. */
  calls: number;
  rollups: number;
  balances: number;
  /** Units in leases of crashed processes: they block until their period ends and are never billed. */
  forfeited: string;
  /** Units that open locks reserve, with or without a limit. */
  locked: string;
  /** Usage before this instant (ISO) is not kept and was not compared; null: everything was compared. */
  keptFrom: Record<UsageClass, string | null>;
  /** The first differences, at most 100 of each kind. */
  findings: DriftRow[];
};

const FINDINGS_MAX = 100;

/**
 * Recomputes rollups and balances from the entries and compares them, as far back as they are kept: minutes with entries, hours
 * with minutes, hours whose minutes are gone with entries, and balances with the entries of whole periods. Reads one snapshot,
 * so it is exact on a live database: a commit writes entries, recent usage and balances together or not at all.
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
