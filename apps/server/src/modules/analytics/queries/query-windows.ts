import type { UsageValues } from "@turnpike/contract/usage";
import type { UsageQuestion } from "@turnpike/contract/usage-query";
import { assertMayInTenant, type CallContext } from "@turnpike/domain/access/actor";
import type { TenantId } from "@turnpike/domain/ids/ids";
import type { AppServices } from "#platform/app-services.ts";
import { planQuery } from "./plan-query.ts";
import { planSources } from "./plan-sources.ts";
import { listVersions } from "./query-usage.ts";
import { readRollups, readSums, rollupsMaxOf } from "./read-rollups.ts";
import { isLatency, sumsOfNothing, toUsageValues } from "./to-usage-values.ts";

/**
 * Answers one question about many consecutive windows of equal length in one statement. Each number is what `queryUsage`
 * answers for that window alone.
 *
 * @param input.question - Its `from` and `to` are the ends of all windows together; no dimensions, no grain.
 * @param input.windowMs - Length of each window in milliseconds, whole minutes.
 * @returns For each window, ascending, its end as epoch milliseconds and its values.
 * @throws {AppError} As `queryUsage`.
 */
export async function queryWindows(
  deps: AppServices,
  context: CallContext,
  input: { question: UsageQuestion & { tenantId: TenantId }; windowMs: number },
): Promise<{ endMs: number; values: UsageValues }[]> {
  const { windowMs } = input;
  const { tenantId, ...question } = input.question;
  assertMayInTenant(context.actor, "usage:read", tenantId);
  return await readRollups(deps, { tenantId, actor: context.actor }, async (tx) => {
    const plan = planQuery(question, deps.clock.now(), await listVersions(tx, question));
    const { fromMs, toMs } = plan.period;
    const count = Math.floor((toMs - fromMs) / windowMs);
    const starts = Array.from({ length: count }, (_, index) => fromMs + index * windowMs);
    const { rows } = await readSums(tx, {
      tenantId,
      rollupsMax: rollupsMaxOf(context.actor),
      plan,
      period: { ...plan.period, starts, sources: planSources(plan.period, starts) },
      hasLatency: plan.measures.some(isLatency),
      rowsMax: count + 1,
    });
    const nothing = sumsOfNothing(plan.meters);
    const byBucket = new Map(rows.map((row) => [row.bucket, row]));
    return starts.map((startMs, index) => ({
      endMs: startMs + windowMs,
      values: toUsageValues(plan.measures, byBucket.get(index + 1) ?? nothing),
    }));
  });
}
