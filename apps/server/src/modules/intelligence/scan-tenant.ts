import { INSIGHTS_MAX } from "@turnpike/contract/insights";
import type { TenantId } from "@turnpike/domain/ids/ids";
import type { WatchedMeasure } from "@turnpike/domain/insights/incident";
import type { AdviceDeps } from "./advice/advise-plans.ts";
import { findPlanAdvice } from "./advice/find-plan-advice.ts";
import { heedFeedback } from "./feedback/heed-feedback.ts";
import { findAnomalies } from "./find-anomalies.ts";
import type { FindIncidents } from "./incident-finder.ts";
import { bookOf, saveInsightCheck } from "./insights.store.ts";
import { lockOpenIds, notifyOfChanges } from "./notify-of-changes.ts";
import { readHours } from "./read-hours.ts";
import { findRisks } from "./risks/find-risks.ts";
import { saveFound } from "./save-found.ts";
import { readSpend } from "./spend/read-spend.ts";

export type ScanDeps = AdviceDeps & { findIncidents: FindIncidents };

const MEASURES: readonly WatchedMeasure[] = ["errors", "latency_avg", "denied", "requests"];

/** Looks at a tenant's usage, keys, limits, invoices and payments, and stores what was found. */
export async function scanTenant(deps: ScanDeps, tenantId: TenantId): Promise<void> {
  const usage = await readHours(deps, { tenantId }, MEASURES);
  const spend = await readSpend(deps, tenantId);
  const anomalies = await findAnomalies(deps, { tenantId }, usage, spend);
  const found = [
    ...anomalies,
    ...(await findRisks(deps, tenantId)),
    ...(await findPlanAdvice(deps, tenantId)),
  ].slice(0, INSIGHTS_MAX);
  await deps.transact.asTenant(tenantId, async (tx) => {
    const before = await lockOpenIds(tx, tenantId);
    const heeded = await heedFeedback(tx, { tenantId, found, nowMs: deps.clock.now().getTime() });
    await saveFound(deps, tx, { book: bookOf(tenantId), found: heeded });
    await notifyOfChanges(deps, tx, { tenantId, before });
    await saveInsightCheck(tx, tenantId, {
      checked_at: deps.clock.now(),
      history_hours: usage[0]?.hours.length ?? 0,
    });
  });
}
