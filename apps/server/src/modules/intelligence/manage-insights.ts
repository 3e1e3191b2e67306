import {
  INSIGHTS_MAX,
  type Insight,
  type InsightList,
  isAboutMoney,
} from "@turnpike/contract/insights";
import {
  assertMay,
  assertMayInTenant,
  type CallContext,
  may,
  mayInTenant,
} from "@turnpike/domain/access/actor";
import { resourceNotFound } from "@turnpike/domain/errors/app-error";
import type { TenantId } from "@turnpike/domain/ids/ids";
import { HISTORY_HOURS_NEEDED } from "@turnpike/domain/insights/find-incident";
import { writeAudit } from "#modules/audit/index.ts";
import type { AppServices } from "#platform/app-services.ts";
import { assertTenantExists } from "#platform/assert-tenant-exists.store.ts";
import { parseIdCursor } from "#platform/parse-cursor.ts";
import {
  findInsightCheck,
  type InsightRow,
  listInsightRows,
  listOpenInsightRows,
  lockInsightRow,
  saveInsightRow,
} from "./insights.store.ts";
import { type ScanDeps, scanTenant } from "./scan-tenant.ts";
import { type Feedback, toInsightReply, withFeedback } from "./stored-insight.ts";

function toReply(row: InsightRow): Insight {
  return { ...toInsightReply(row), tenantId: row.tenant_id };
}

function isMoneyRow({ kind, facts: { evidence } }: InsightRow): boolean {
  return isAboutMoney({ kind, evidence });
}

/**
 * Lists the insights of a tenant, newest first. What is about money is only for those who may read invoices.
 *
 * @throws {AppError} `RESOURCE_NOT_FOUND`; `INSUFFICIENT_SCOPE`.
 */
export async function listInsights(
  deps: AppServices,
  context: CallContext,
  { tenantId, state }: { tenantId: TenantId; state: "open" | "all" },
): Promise<InsightList> {
  assertMayInTenant(context.actor, "usage:read", tenantId);
  const seesMoney = mayInTenant(context.actor, "billing:read", tenantId);
  return await deps.transact.asTenant(tenantId, async (tx) => {
    await assertTenantExists(tx, tenantId);
    const page = { isOpen: state === "open", limit: INSIGHTS_MAX };
    const rows = await listInsightRows(tx, tenantId, page);
    const check = await findInsightCheck(tx, tenantId);
    return {
      items: rows.filter((row) => seesMoney || !isMoneyRow(row)).map(toReply),
      history: { hours: check?.history_hours ?? 0, needed: HISTORY_HOURS_NEEDED },
      checkedAt: check?.checked_at.toISOString() ?? null,
    };
  });
}

/** Lists the open insights of all tenants, newest first. What is about money is only for those who may read invoices. @throws {AppError} `INSUFFICIENT_SCOPE`. */
export async function listAllInsights(
  deps: AppServices,
  context: CallContext,
  { cursor, limit }: { cursor?: string | undefined; limit: number },
): Promise<{ items: Insight[]; nextCursor: string | null }> {
  assertMay(context.actor, "usage:read");
  const beforeId = parseIdCursor("insight", cursor);
  const seesMoney = may(context.actor, "billing:read");
  const rows = await deps.transact.asOperator((tx) =>
    listOpenInsightRows(tx, { beforeId, seesMoney, limit: limit + 1 }),
  );
  const items = rows.slice(0, limit).map(toReply);
  return { items, nextCursor: rows.length > limit ? (items.at(-1)?.insightId ?? null) : null };
}

/** Looks at the tenant now. @throws {AppError} As {@link listInsights}; `QUERY_TOO_COSTLY`; `OVERLOADED`. */
export async function refreshInsights(
  deps: ScanDeps,
  context: CallContext,
  { tenantId }: { tenantId: TenantId },
): Promise<InsightList> {
  assertMayInTenant(context.actor, "alerts:write", tenantId);
  assertMayInTenant(context.actor, "usage:read", tenantId);
  await deps.transact.asTenant(tenantId, (tx) => assertTenantExists(tx, tenantId));
  await scanTenant(deps, tenantId);
  return await listInsights(deps, context, { tenantId, state: "open" });
}

/**
 * Dismisses an insight or takes that back, and keeps whether it was useful: what was not stays quiet for thirty days.
 *
 * @throws {AppError} `RESOURCE_NOT_FOUND`; `INSUFFICIENT_SCOPE`.
 */
export async function updateInsight(
  deps: AppServices,
  context: CallContext,
  input: Feedback & { tenantId: TenantId; insightId: string },
): Promise<Insight> {
  const { tenantId, insightId, ...feedback } = input;
  assertMayInTenant(context.actor, "alerts:write", tenantId);
  assertMayInTenant(context.actor, "usage:read", tenantId);
  const seesMoney = mayInTenant(context.actor, "billing:read", tenantId);
  return await deps.transact.asTenant(tenantId, async (tx) => {
    await assertTenantExists(tx, tenantId);
    const row = await lockInsightRow(tx, tenantId, insightId);
    if (row === undefined || (isMoneyRow(row) && !seesMoney)) {
      throw resourceNotFound("insight");
    }
    const changed = withFeedback(row, feedback, deps.clock.now());
    await saveInsightRow(tx, changed);
    await writeAudit(deps, tx, context, {
      tenantId,
      action: "insight.updated",
      entityType: "insight",
      entityId: insightId,
      details: {
        kind: row.kind,
        isDismissed: changed.dismissed_at !== null,
        isUseful: changed.is_useful,
      },
    });
    return toReply(changed);
  });
}
