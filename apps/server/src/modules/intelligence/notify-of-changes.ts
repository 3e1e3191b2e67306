import { INSIGHTS_MAX } from "@turnpike/contract/insights";
import type { Tx } from "@turnpike/db/client";
import type { TenantId } from "@turnpike/domain/ids/ids";
import { type PublishedEvent, publishEvents } from "#modules/notifications/index.ts";
import type { AppServices } from "#platform/app-services.ts";
import {
  listInsightRows,
  listInsightRowsOf,
  lockInsightsOf,
  markInsightsOpened,
} from "./insights.store.ts";
import { toInsightReply } from "./stored-insight.ts";

/** The insights that are shown, neither over nor dismissed. Until the end of the transaction no other scan changes them. */
export async function lockOpenIds(tx: Tx, tenantId: TenantId): Promise<ReadonlySet<string>> {
  await lockInsightsOf(tx, tenantId);
  const rows = await listInsightRows(tx, tenantId, { isOpen: true, limit: INSIGHTS_MAX });
  return new Set(rows.map((row) => row.insight_id));
}

/**
 * Compares what is shown with what was, notes when the new ones were opened, and publishes `insight.opened` and `insight.ended`,
 * if the caller's transaction commits. What was over when it was first found, or is quiet, opens nothing.
 */
export async function notifyOfChanges(
  deps: Pick<AppServices, "clock" | "newId">,
  tx: Tx,
  { tenantId, before }: { tenantId: TenantId; before: ReadonlySet<string> },
): Promise<void> {
  const shown = await listInsightRows(tx, tenantId, { isOpen: true, limit: INSIGHTS_MAX });
  const shownIds = new Set(shown.map((row) => row.insight_id));
  const opened = shown.filter((row) => !before.has(row.insight_id));
  const gone = [...before].filter((insightId) => !shownIds.has(insightId));
  const ended = (await listInsightRowsOf(tx, tenantId, gone)).filter(
    (row) => row.ended_at !== null,
  );
  await markInsightsOpened(tx, tenantId, {
    insightIds: opened.map((row) => row.insight_id),
    at: deps.clock.now(),
  });
  const toEvent =
    (type: "insight.opened" | "insight.ended") =>
    (row: (typeof shown)[number]): PublishedEvent => ({
      tenantId,
      type,
      data: { insight: { ...toInsightReply(row), tenantId }, text: row.facts.text },
    });
  await publishEvents(deps, tx, [
    ...ended.map(toEvent("insight.ended")),
    ...opened.map(toEvent("insight.opened")),
  ]);
}
