import type { UsageReport, UsageRow } from "@turnpike/contract/usage";
import { USAGE_ROWS_MAX, type UsageQuestion } from "@turnpike/contract/usage-query";
import type { Tx } from "@turnpike/db/client";
import {
  assertMay,
  assertMayInTenant,
  type CallContext,
  isTenantProgram,
} from "@turnpike/domain/access/actor";
import type { TenantId } from "@turnpike/domain/ids/ids";
import { listMeterVersionRows } from "#modules/catalog/index.ts";
import type { AppServices } from "#platform/app-services.ts";
import { type PrepareSums, prepareRollups } from "../copies/copied-sums.ts";
import { findKeptFrom, type SumRow } from "./analytics.store.ts";
import { listNamedMeters, type MeterVersions } from "./plan-meters.ts";
import { type PlannedPeriod, planQuery, type QueryPlan } from "./plan-query.ts";
import { type RollupScope, readRollups, rollupsMaxOf, tooCostly } from "./read-rollups.ts";
import { isSortedHere, sortRows } from "./sort-rows.ts";
import { isLatency, toUsageValues } from "./to-usage-values.ts";

type PeriodReport = NonNullable<UsageReport["previous"]>;

export type QueryDeps = Pick<AppServices, "transact" | "clock"> & {
  /** Where questions over all tenants are summed. Left out: from the rollups, as those of one tenant. */
  sumAllTenants?: PrepareSums | undefined;
};

type PeriodInput = { deps: QueryDeps; scope: RollupScope; plan: QueryPlan; period: PlannedPeriod };

function toInstant(epochMs: number): string {
  return new Date(epochMs).toISOString();
}

export function toRow(plan: QueryPlan, period: PlannedPeriod, row: SumRow): UsageRow {
  const startMs = period.starts[row.bucket - 1];
  return {
    time: startMs === undefined ? null : toInstant(startMs),
    group: Object.fromEntries(
      plan.dimensions.map((name, index) => [name, row.group_values[index] ?? ""]),
    ),
    values: toUsageValues(plan.measures, row),
  };
}

function toPeriodReport(
  plan: QueryPlan,
  period: PlannedPeriod,
  { total, rows }: { total: SumRow | undefined; rows: readonly SumRow[] },
): PeriodReport {
  const sorted = isSortedHere(plan) ? sortRows(rows, plan) : rows;
  return {
    from: toInstant(period.fromMs),
    to: toInstant(period.toMs),
    times: period.starts.map(toInstant),
    rows: sorted.slice(0, plan.limit).map((row) => toRow(plan, period, row)),
    totals: toUsageValues(plan.measures, total),
    truncated: rows.length > plan.limit,
  };
}

/** Reads one period in the transaction. What is returned reads the rest of it elsewhere and makes the report. */
async function preparePeriod(
  tx: Tx,
  { deps, scope, plan, period }: PeriodInput,
): Promise<() => Promise<PeriodReport>> {
  const isWhole = isSortedHere(plan);
  const prepare = (scope.tenantId === null ? deps.sumAllTenants : undefined) ?? prepareRollups;
  const readRest = await prepare(tx, {
    tenantId: scope.tenantId,
    rollupsMax: rollupsMaxOf(scope.actor),
    plan,
    period,
    hasLatency: isWhole || plan.measures.some(isLatency),
    rowsMax: (isWhole ? USAGE_ROWS_MAX : plan.limit) + 1,
  });
  return async () => {
    const { total, rows } = await readRest();
    if (isWhole && rows.length > USAGE_ROWS_MAX) {
      throw tooCostly(
        `Only ${USAGE_ROWS_MAX.toLocaleString("en")} rows can be ordered by a latency: narrow the range, ask for fewer dimensions, or order by requests.`,
      );
    }
    return toPeriodReport(plan, period, { total, rows });
  };
}

/** Reads the definitions of the meters that a question names. */
export async function listVersions(
  tx: Tx,
  question: Pick<UsageQuestion, "measures" | "meter">,
): Promise<Map<string, MeterVersions>> {
  const versionsOf = new Map<string, MeterVersions>();
  for (const meterId of listNamedMeters(question)) {
    versionsOf.set(meterId, await listMeterVersionRows(tx, meterId));
  }
  return versionsOf;
}

async function answer(
  deps: QueryDeps,
  scope: RollupScope,
  question: UsageQuestion,
): Promise<UsageReport> {
  const prepared = await readRollups(deps, scope, async (tx) => {
    const plan = planQuery(question, deps.clock.now(), await listVersions(tx, question));
    const { period, previous } = plan;
    const keptFrom = await findKeptFrom(tx, "hours");
    const isCut = keptFrom !== null && keptFrom.getTime() > (previous ?? period).fromMs;
    const prepare = (of: PlannedPeriod) => preparePeriod(tx, { deps, scope, plan, period: of });
    return {
      plan,
      readPeriod: await prepare(period),
      readPrevious: previous === null ? null : await prepare(previous),
      kept: isCut ? { keptFrom: keptFrom.toISOString() } : {},
    };
  });
  const { plan, readPeriod, readPrevious, kept } = prepared;
  return {
    ...(await readPeriod()),
    grain: plan.grain,
    timeZone: plan.timeZone,
    measures: [...plan.measures],
    dimensions: [...plan.dimensions],
    previous: readPrevious === null ? null : await readPrevious(),
    ...kept,
  };
}

/**
 * Answers a question about one tenant's usage: measures by dimensions and time, over calls that occurred in `[from, to)`.
 *
 * @throws {AppError} `RESOURCE_NOT_FOUND`; `INVALID_REQUEST` when the question contradicts itself; `QUERY_TOO_COSTLY` when
 *   the answer would be summed from too much or takes too long; `OVERLOADED` when it takes too long for a person.
 */
export async function queryUsage(
  deps: AppServices,
  context: CallContext,
  input: UsageQuestion & { tenantId: TenantId },
): Promise<UsageReport> {
  const { tenantId, ...question } = input;
  assertMayInTenant(context.actor, "usage:read", tenantId);
  return await answer(deps, { tenantId, actor: context.actor }, question);
}

/**
 * Answers a question about the usage of all tenants, as {@link queryUsage} does for one. A tenant's own key asks about its
 * tenant: no filter or dimension shows another one.
 *
 * @throws {AppError} as {@link queryUsage}; `INSUFFICIENT_SCOPE` for members of a tenant, who must name the tenant;
 *   `CLICKHOUSE_UNAVAILABLE` where all tenants are summed there and it does not answer.
 */
export async function queryUsageOfAll(
  deps: QueryDeps,
  context: CallContext,
  input: UsageQuestion,
): Promise<UsageReport> {
  const { actor } = context;
  if (isTenantProgram(actor)) {
    assertMayInTenant(actor, "usage:read", actor.tenantId);
    return await answer(deps, { tenantId: actor.tenantId, actor }, input);
  }
  assertMay(actor, "usage:read");
  return await answer(deps, { tenantId: null, actor }, input);
}
