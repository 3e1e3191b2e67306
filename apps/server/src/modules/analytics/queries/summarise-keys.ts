import {
  KEY_SUMMARY_DAYS,
  type KeySummaries,
  type SummariseKeysQuery,
} from "@turnpike/contract/usage";
import type { UsageQuestion } from "@turnpike/contract/usage-query";
import { assertMayInTenant, type CallContext } from "@turnpike/domain/access/actor";
import { REQUESTS_METER } from "@turnpike/domain/catalog/plan";
import type { KeyId } from "@turnpike/domain/ids/ids";
import { DAY_MS, listBucketStarts } from "@turnpike/domain/time/zoned-buckets";
import type { AppServices } from "#platform/app-services.ts";
import { findLastUses, type SumRow } from "./analytics.store.ts";
import { planQuery } from "./plan-query.ts";
import { readRollups, readSums, rollupsMaxOf } from "./read-rollups.ts";

/** Days of the summary, the last of which contains `now`. */
function askForDays(input: SummariseKeysQuery, now: Date): UsageQuestion {
  const nowMs = now.getTime();
  const reach = { fromMs: nowMs - (KEY_SUMMARY_DAYS + 2) * DAY_MS, toMs: nowMs + 1 };
  const firstMs = listBucketStarts("day", input.timeZone, reach).at(-KEY_SUMMARY_DAYS) ?? nowMs;
  return {
    measures: ["requests", "denied"],
    meter: REQUESTS_METER,
    dimensions: ["key"],
    key: [...input.keys],
    from: new Date(firstMs).toISOString(),
    grain: "day",
    timeZone: input.timeZone,
    limit: KEY_SUMMARY_DAYS * input.keys.length,
  };
}

function toSummary(
  keyId: KeyId,
  rows: readonly SumRow[],
  lastUsedAt: Date | undefined,
  days: number,
) {
  const requestsByDay = Array.from({ length: days }, () => 0);
  for (const row of rows) {
    requestsByDay[row.bucket - 1] = Number(row.requests);
  }
  return {
    keyId,
    lastUsedAt: lastUsedAt?.toISOString() ?? null,
    requests: requestsByDay.reduce((sum, requests) => sum + requests, 0),
    denied: rows.reduce((sum, row) => sum + Number(row.denied), 0),
    requestsByDay,
  };
}

/**
 * Counts the calls of each key on each of the last 14 days of a zone, and finds when it was last used, in two bounded reads,
 * however many keys there are.
 *
 * @throws {AppError} `RESOURCE_NOT_FOUND`; `QUERY_TOO_COSTLY` when reading takes too long.
 */
export async function summariseKeys(
  deps: AppServices,
  context: CallContext,
  input: SummariseKeysQuery,
): Promise<KeySummaries> {
  const { tenantId, keys } = input;
  assertMayInTenant(context.actor, "usage:read", tenantId);
  const plan = planQuery(askForDays(input, deps.clock.now()), deps.clock.now());
  const { rows, uses } = await readRollups(
    deps,
    { tenantId, actor: context.actor },
    async (tx) => ({
      ...(await readSums(tx, {
        tenantId,
        rollupsMax: rollupsMaxOf(context.actor),
        plan,
        period: plan.period,
        hasLatency: false,
        rowsMax: plan.limit,
      })),
      uses: await findLastUses(tx, { tenantId, keyIds: keys }),
    }),
  );
  const byKey = Map.groupBy(rows, (row) => row.group_values[0] ?? "");
  const lastUses = new Map(uses.map((use) => [use.key_id, use.last_used_at]));
  return {
    times: plan.period.starts.map((ms) => new Date(ms).toISOString()),
    timeZone: input.timeZone,
    items: keys.map((keyId) =>
      toSummary(keyId, byKey.get(keyId) ?? [], lastUses.get(keyId), plan.period.starts.length),
    ),
  };
}
