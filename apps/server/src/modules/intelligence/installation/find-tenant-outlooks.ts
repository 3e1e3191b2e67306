import type { TenantId } from "@turnpike/domain/ids/ids";
import { judgeLeaving, type Trouble, USUAL_WEEKS } from "@turnpike/domain/insights/tenant-outlook";
import { said } from "@turnpike/domain/text/said";
import { toGrouped } from "@turnpike/domain/text/to-grouped";
import { listEntitlements } from "#modules/entitlements/index.ts";
import { askUsage } from "../ask-usage.ts";
import type { FoundInsight } from "../found-insight.ts";
import { watchedRange } from "../read-hours.ts";
import { toFound } from "../risks/fact.ts";
import type { ScanDeps } from "../scan-tenant.ts";
import { type ForecastUse, listForecastUses, listTroubles } from "./tenant-outlooks.store.ts";

const WEEK_MS = 7 * 24 * 60 * 60_000;
const PERCENT = 100;
/** The whole of a forecast beyond its lower bound at 80 %. */
const SURE_BY_FORECAST = 0.9;
const TROUBLE_WORDS: Readonly<Record<Trouble, string>> = {
  payment_failed: said("a payment has failed"),
  invoice_overdue: said("an invoice is overdue"),
};

/** Calls of each tenant in each of the last weeks, the newest last. */
async function readWeeks(deps: ScanDeps): Promise<Map<TenantId, number[]>> {
  const { toMs } = watchedRange(deps);
  const calls = new Map<TenantId, number[]>();
  for (let week = USUAL_WEEKS; week >= 0; week -= 1) {
    const endMs = toMs - week * WEEK_MS;
    const range = { fromMs: endMs - WEEK_MS, toMs: endMs };
    const { rows } = await askUsage(
      deps,
      { tenantId: null },
      {
        ...{ ...range, isHourly: false, by: ["tenant"] },
      },
    );
    for (const { group, values } of rows) {
      const tenantId = group.tenant as TenantId;
      const weeks = calls.get(tenantId) ?? Array.from({ length: USUAL_WEEKS + 1 }, () => 0);
      weeks[USUAL_WEEKS - week] = values.requests ?? 0;
      calls.set(tenantId, weeks);
    }
  }
  return calls;
}

function toLeaving(
  tenantId: TenantId,
  weeks: readonly number[],
  { troubles, nowMs }: { troubles: readonly Trouble[]; nowMs: number },
): FoundInsight[] {
  const found = judgeLeaving(weeks, troubles);
  if (found === undefined) {
    return [];
  }
  const { calls, least, confidence } = found;
  const less = Math.round((1 - calls / least) * PERCENT);
  const use =
    calls === 0
      ? said(
          `has made no call for a week, after at least ${toGrouped(least)} a week in the four before`,
        )
      : said(
          `made ${toGrouped(calls)} calls in a week, ${String(less)}% less than in the weakest of the four before`,
        );
  const reasons = [use, ...found.troubles.map((trouble) => TROUBLE_WORDS[trouble])];
  return [
    toFound({
      kind: "tenant_leaving",
      fingerprint: `tenant_leaving ${tenantId}`,
      sinceMs: nowMs,
      confidence,
      text: `The tenant ${tenantId} may leave: it ${reasons.reduce((one, other) => said(`${one}, and ${other}`))}.`,
      action: { do: "open_tenant", tenantId },
    }),
  ];
}

type Limits = ReadonlyMap<TenantId, ReadonlyMap<string, number>>;

/** Hard quotas of tenants, by meter. */
async function readLimits(deps: ScanDeps, tenantIds: readonly TenantId[]): Promise<Limits> {
  const found = await deps.transact.asOperator((tx) => listEntitlements(tx, tenantIds));
  return new Map(
    found.map(({ tenantId, terms }) => [
      tenantId,
      new Map(
        terms.quotas
          .filter(({ kind }) => kind === "hard")
          .map(({ meter, limit }) => [meter, limit] as const),
      ),
    ]),
  );
}

function toOutgrowing(
  { tenantId, meter, lower80, periodTo }: ForecastUse,
  { limits, nowMs }: { limits: Limits; nowMs: number },
): FoundInsight[] {
  const limit = limits.get(tenantId)?.get(meter);
  // A forecast is a statistic, and so is what is said of it.
  const least = Number(lower80);
  if (limit === undefined || least <= limit) {
    return [];
  }
  const until = periodTo.toISOString().slice(0, 10);
  return [
    toFound({
      kind: "tenant_outgrowing",
      fingerprint: `tenant_outgrowing ${tenantId} ${meter} ${until}`,
      sinceMs: nowMs,
      confidence: SURE_BY_FORECAST,
      text: `The tenant ${tenantId} outgrows its plan: by ${until} it is forecast to use at least ${toGrouped(Math.round(least))} of ${meter}, and its quota is ${toGrouped(limit)}.`,
      action: { do: "open_tenant", tenantId },
    }),
  ];
}

/** Finds tenants that are likely to leave or to outgrow their plans, each with its reasons; those that are surest first. */
export async function findTenantOutlooks(deps: ScanDeps): Promise<FoundInsight[]> {
  const nowMs = deps.clock.now().getTime();
  const { troubles, uses } = await deps.transact.asOperator(async (tx) => ({
    troubles: await listTroubles(tx),
    uses: await listForecastUses(tx, new Date(nowMs)),
  }));
  const troublesOf = Map.groupBy(troubles, ({ tenantId }) => tenantId);
  const leaving = [...(await readWeeks(deps))].flatMap(([tenantId, weeks]) =>
    toLeaving(tenantId, weeks, {
      troubles: (troublesOf.get(tenantId) ?? []).map(({ kind }) => kind),
      nowMs,
    }),
  );
  const limits = await readLimits(deps, [...new Set(uses.map(({ tenantId }) => tenantId))]);
  const outgrowing = uses.flatMap((use) => toOutgrowing(use, { limits, nowMs }));
  return [...leaving, ...outgrowing].toSorted((a, b) => b.facts.confidence - a.facts.confidence);
}
