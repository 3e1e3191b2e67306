import { INSIGHTS_MAX } from "@turnpike/contract/insights";
import type { Tx } from "@turnpike/db/client";
import type { TenantId } from "@turnpike/domain/ids/ids";
import { advanceInsight, type InsightState } from "@turnpike/domain/insights/advance-insight";
import type { AppServices } from "#platform/app-services.ts";
import { findAnomalies } from "./find-anomalies.ts";
import { findRisks } from "./find-risks.ts";
import type { FoundInsight } from "./found-insight.ts";
import type { FindIncidents } from "./incident-finder.ts";
import {
  deleteEndedInsights,
  type InsightRow,
  lockInsightRows,
  saveInsightCheck,
  saveInsightRow,
} from "./insights.store.ts";
import { readHours } from "./read-hours.ts";

export type ScanDeps = AppServices & { findIncidents: FindIncidents };

const DAY_MS = 24 * 60 * 60_000;
const KEPT_DAYS = 90;

function toState(row: InsightRow): InsightState {
  return {
    sinceMs: row.since.getTime(),
    seenAtMs: row.seen_at.getTime(),
    endedAtMs: row.ended_at?.getTime() ?? null,
    dismissedAtMs: row.dismissed_at?.getTime() ?? null,
    isUseful: row.is_useful,
    ratedAtMs: row.rated_at?.getTime() ?? null,
  };
}

function toDate(epochMs: number | null): Date | null {
  return epochMs === null ? null : new Date(epochMs);
}

/** A fact that has been true for a while keeps the time at which it was first found. */
function sinceOf({ kind, sinceMs }: FoundInsight, row: InsightRow | undefined): number {
  const isKept = kind !== "anomaly" && row !== undefined && row.ended_at === null;
  return isKept ? row.since.getTime() : sinceMs;
}

async function save(
  deps: ScanDeps,
  tx: Tx,
  { tenantId, found }: { tenantId: TenantId; found: readonly FoundInsight[] },
): Promise<void> {
  const now = deps.clock.now();
  const known = await lockInsightRows(tx, tenantId);
  for (const insight of found) {
    const { kind, fingerprint, facts, isOver } = insight;
    const row = known.get(fingerprint);
    const state = advanceInsight(
      row && toState(row),
      { sinceMs: sinceOf(insight, row), isOver },
      now.getTime(),
    );
    known.delete(fingerprint);
    await saveInsightRow(tx, {
      tenant_id: tenantId,
      insight_id: row?.insight_id ?? deps.newId("insight"),
      fingerprint,
      kind,
      facts,
      since: new Date(state.sinceMs),
      seen_at: new Date(state.seenAtMs),
      ended_at: toDate(state.endedAtMs),
      dismissed_at: toDate(state.dismissedAtMs),
      is_useful: state.isUseful,
      rated_at: toDate(state.ratedAtMs),
    });
  }
  for (const row of known.values()) {
    if (row.ended_at === null) {
      await saveInsightRow(tx, { ...row, ended_at: now });
    }
  }
  await deleteEndedInsights(tx, tenantId, new Date(now.getTime() - KEPT_DAYS * DAY_MS));
}

/**
 * Looks at a tenant's usage, keys, quotas and invoices, and stores what was found: a cause that was known goes on, one that is
 * gone has ended.
 */
export async function scanTenant(deps: ScanDeps, tenantId: TenantId): Promise<void> {
  const usage = await readHours(deps, tenantId);
  const anomalies = await findAnomalies(deps, tenantId, usage);
  const found = [...anomalies, ...(await findRisks(deps, tenantId))].slice(0, INSIGHTS_MAX);
  await deps.transact.asTenant(tenantId, async (tx) => {
    await save(deps, tx, { tenantId, found });
    await saveInsightCheck(tx, tenantId, {
      checked_at: deps.clock.now(),
      history_hours: usage[0]?.hours.length ?? 0,
    });
  });
}
