import {
  INSIGHTS_MAX,
  type InstallationInsight,
  type InstallationInsightList,
  isAboutMoney,
} from "@turnpike/contract/insights";
import { assertMay, type CallContext, may } from "@turnpike/domain/access/actor";
import { resourceNotFound } from "@turnpike/domain/errors/app-error";
import { HISTORY_HOURS_NEEDED } from "@turnpike/domain/insights/find-incident";
import { writeAudit } from "#modules/audit/index.ts";
import type { AppServices } from "#platform/app-services.ts";
import type { ScanDeps } from "../scan-tenant.ts";
import { type Feedback, toInsightReply, withFeedback } from "../stored-insight.ts";
import {
  findInstallationCheck,
  installationBook,
  listInstallationRows,
  lockInstallationRow,
} from "./installation-insights.store.ts";
import { scanInstallation } from "./scan-installation.ts";

/** Lists the insights of all tenants together, newest first. @throws {AppError} `INSUFFICIENT_SCOPE`. */
export async function listInstallationInsights(
  deps: AppServices,
  context: CallContext,
  { state }: { state: "open" | "all" },
): Promise<InstallationInsightList> {
  assertMay(context.actor, "usage:read");
  const seesMoney = may(context.actor, "billing:read");
  return await deps.transact.asOperator(async (tx) => {
    const page = { isOpen: state === "open", limit: INSIGHTS_MAX };
    const rows = await listInstallationRows(tx, page);
    const check = await findInstallationCheck(tx);
    return {
      items: rows.map(toInsightReply).filter((insight) => seesMoney || !isAboutMoney(insight)),
      history: { hours: check?.history_hours ?? 0, needed: HISTORY_HOURS_NEEDED },
      checkedAt: check?.checked_at.toISOString() ?? null,
    };
  });
}

/** Looks at all tenants together now. @throws {AppError} `INSUFFICIENT_SCOPE`; `QUERY_TOO_COSTLY`; `OVERLOADED`. */
export async function refreshInstallationInsights(
  deps: ScanDeps,
  context: CallContext,
): Promise<InstallationInsightList> {
  assertMay(context.actor, "alerts:write");
  assertMay(context.actor, "usage:read");
  await scanInstallation(deps);
  return await listInstallationInsights(deps, context, { state: "open" });
}

/** As for a tenant's: quiet after a dismissal. @throws {AppError} `RESOURCE_NOT_FOUND`; `INSUFFICIENT_SCOPE`. */
export async function updateInstallationInsight(
  deps: AppServices,
  context: CallContext,
  { insightId, ...feedback }: Feedback & { insightId: string },
): Promise<InstallationInsight> {
  assertMay(context.actor, "alerts:write");
  assertMay(context.actor, "usage:read");
  return await deps.transact.asOperator(async (tx) => {
    const row = await lockInstallationRow(tx, insightId);
    if (row === undefined) {
      throw resourceNotFound("insight");
    }
    const changed = withFeedback(row, feedback, deps.clock.now());
    await installationBook.save(tx, changed);
    await writeAudit(deps, tx, context, {
      tenantId: null,
      action: "insight.updated",
      entityType: "insight",
      entityId: insightId,
      details: {
        kind: row.kind,
        isDismissed: changed.dismissed_at !== null,
        isUseful: changed.is_useful,
      },
    });
    return toInsightReply(changed);
  });
}
