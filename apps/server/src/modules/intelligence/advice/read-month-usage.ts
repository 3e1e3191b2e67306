import { USAGE_ROWS_MAX } from "@turnpike/contract/usage-query";
import type { Usage } from "@turnpike/domain/billing/lifecycle/record-usage";
import type { Span } from "@turnpike/domain/billing/rating/line";
import type { TenantId } from "@turnpike/domain/ids/ids";
import { toScaled } from "@turnpike/domain/money/decimal";
import { queryUsage } from "#modules/analytics/index.ts";
import type { AppServices } from "#platform/app-services.ts";
import { systemContext } from "../ask-usage.ts";

/**
 * Reads live units that count, by meter and day of UTC.
 *
 * @returns In the order of time.
 * @throws {AppError} `QUERY_TOO_COSTLY`.
 */
export async function readMonthUsage(
  deps: AppServices,
  tenantId: TenantId,
  { meters, span }: { meters: readonly string[]; span: Span },
): Promise<Usage[]> {
  const usages: Usage[] = [];
  for (const meterId of meters) {
    const { rows } = await queryUsage(deps, systemContext(deps), {
      tenantId,
      measures: ["billable"],
      meter: meterId,
      dimensions: [],
      environment: ["live"],
      from: new Date(span.fromMs).toISOString(),
      to: new Date(span.toMs).toISOString(),
      grain: "day",
      timeZone: "UTC",
      limit: USAGE_ROWS_MAX,
    });
    for (const { time, values } of rows) {
      const quantity = toScaled(values.billable ?? "0");
      if (time !== null && quantity > 0n) {
        usages.push({ meterId, atMs: Date.parse(time), quantity });
      }
    }
  }
  return usages.toSorted((a, b) => a.atMs - b.atMs);
}

/** Counts calls that the quotas of the plan refused. */
export async function countRefused(
  deps: AppServices,
  tenantId: TenantId,
  span: Span,
): Promise<number> {
  const { totals } = await queryUsage(deps, systemContext(deps), {
    tenantId,
    measures: ["requests"],
    meter: "requests",
    dimensions: [],
    environment: ["live"],
    outcome: ["QUOTA_EXCEEDED"],
    from: new Date(span.fromMs).toISOString(),
    to: new Date(span.toMs).toISOString(),
    timeZone: "UTC",
    limit: 1,
  });
  return totals.requests ?? 0;
}
