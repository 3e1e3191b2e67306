import {
  type Exhaustion,
  type ExhaustionForecast,
  FORECAST_DAYS,
  FORECAST_DAYS_NEEDED,
} from "@turnpike/contract/forecasts";
import { assertMayInTenant, type CallContext, mayInTenant } from "@turnpike/domain/access/actor";
import type { MoneyRunOut } from "@turnpike/domain/billing/projection/project-run-out";
import type { Entitlement } from "@turnpike/domain/entitlements/entitlement";
import type { Room, RunOut } from "@turnpike/domain/forecast/run-out";
import type { TenantId } from "@turnpike/domain/ids/ids";
import { type Currency, formatMinor } from "@turnpike/domain/money/currency";
import { said } from "@turnpike/domain/text/said";
import { periodAt } from "@turnpike/domain/time/period";
import { DAY_MS } from "@turnpike/domain/time/zoned-buckets";
import { openProjection } from "#modules/billing/index.ts";
import { getLimits } from "#modules/metering/index.ts";
import { systemContext } from "../ask-usage.ts";
import { choosePriced, type MoneyForecastDeps } from "./forecast-invoice.ts";
import { readEntitlement } from "./forecast-usage.ts";
import type { ReadDays } from "./read-days.ts";
import { readUsageDays } from "./read-usage-days.ts";

type Quota = Awaited<ReturnType<typeof getLimits>>["quotas"][number];
type Looking = { nowMs: number; toMs: number };

function toInstant(epochMs: number | undefined): string | null {
  return epochMs === undefined ? null : new Date(epochMs).toISOString();
}

const NO_DATES = {
  at: null,
  earliest80: null,
  latest80: null,
  earliest95: null,
  latest95: null,
} as const;

/** More usage is earlier: the upper bound of usage is the earliest date. */
function toDates({ mean, lower80, upper80, lower95, upper95 }: RunOut, { toMs }: Looking) {
  const until = (epochMs: number | undefined) =>
    toInstant(epochMs !== undefined && epochMs <= toMs ? epochMs : undefined);
  const at = until(mean);
  return {
    state: at === null ? ("not_within_90_days" as const) : ("runs_out" as const),
    at,
    earliest80: until(upper80),
    latest80: until(lower80),
    earliest95: until(upper95),
    latest95: until(lower95),
  };
}

/** What is left of the running period, and the periods to come. */
function listRooms(
  { limit, remaining }: Quota,
  { periodAnchor, periodUnit }: Entitlement,
  { nowMs, toMs }: Looking,
): Room[] {
  const rooms: Room[] = [];
  let fromMs = nowMs;
  while (fromMs < toMs) {
    const endMs = periodAt(periodAnchor, periodUnit, new Date(fromMs)).end.getTime();
    rooms.push({ fromMs, toMs: endMs, left: fromMs === nowMs ? Number(remaining) : limit });
    fromMs = endMs;
  }
  return rooms;
}

function toQuotaItem(
  quota: Quota,
  { meters }: ReadDays,
  found: { runOut: RunOut | undefined } & Looking,
): Exhaustion {
  const { meter, kind, limit, remaining, used, resetAt } = quota;
  const named = meters.find((each) => each.meter === meter);
  const base = {
    kind: "quota" as const,
    meter,
    name: named?.name ?? meter,
    unit: named?.unit ?? meter,
    limit: String(limit),
    used,
    left: remaining,
    isHard: kind === "hard",
    resetsAt: resetAt,
  };
  if (Number(remaining) === 0) {
    return { ...base, ...NO_DATES, state: "exhausted" };
  }
  const isUnused = named?.days.values.length === 0 && named.days.today === 0;
  if (found.runOut === undefined) {
    return { ...base, ...NO_DATES, state: isUnused ? "not_within_90_days" : "not_enough_history" };
  }
  return { ...base, ...toDates(found.runOut, found) };
}

function toMoneyItem(
  kind: "spend_cap" | "credit",
  found: MoneyRunOut,
  { currency, isEnough, ...looking }: { currency: Currency; isEnough: boolean } & Looking,
): Exhaustion {
  const money = (minor: bigint) => formatMinor(minor, currency);
  const base = {
    kind,
    meter: null,
    name: kind === "credit" ? said("Credit") : said("Spend cap"),
    unit: currency.code,
    limit: money(found.limit),
    used: money(found.used),
    left: money(found.left),
    isHard: kind === "spend_cap",
    resetsAt: toInstant(found.resetsAtMs),
  };
  if (found.isExhausted) {
    return { ...base, ...NO_DATES, state: "exhausted" };
  }
  return isEnough
    ? { ...base, ...toDates(found.runOut, looking) }
    : { ...base, ...NO_DATES, state: "not_enough_history" };
}

/**
 * Forecasts when what a tenant may use runs out within 90 days: its quotas and, for those who may read invoices, its spend cap and
 * credit.
 *
 * @throws {AppError} `RESOURCE_NOT_FOUND`; `INSUFFICIENT_SCOPE`; `QUERY_TOO_COSTLY`; `OVERLOADED`.
 */
export async function forecastExhaustion(
  deps: MoneyForecastDeps,
  context: CallContext,
  { tenantId }: { tenantId: TenantId },
): Promise<ExhaustionForecast> {
  assertMayInTenant(context.actor, "usage:read", tenantId);
  const entitlement = await readEntitlement(deps, tenantId);
  const nowMs = deps.clock.now().getTime();
  const looking = { nowMs, toMs: nowMs + FORECAST_DAYS * DAY_MS };
  const days = await readUsageDays(deps, entitlement, "UTC");
  const limits = await getLimits(deps, systemContext(deps), { tenantId });
  const quotas = limits.quotas.filter(({ environment }) => environment === "live");
  const projection = mayInTenant(context.actor, "billing:read", tenantId)
    ? await openProjection(deps, context, { tenantId })
    : undefined;
  const priced = projection && choosePriced(days, projection);
  const result = await deps.forecaster.run("exhaustion", {
    quotas: quotas.map((quota) => ({
      days: days.meters.find(({ meter }) => meter === quota.meter)?.days ?? {
        startsMs: [],
        values: [],
        today: 0,
      },
      rooms: listRooms(quota, entitlement, looking),
    })),
    money: projection && priced && { projected: projection.projected, meters: priced.used },
    toMs: looking.toMs,
  });
  const items = quotas.map((quota, index) =>
    toQuotaItem(quota, days, { ...looking, runOut: result.quotas[index] }),
  );
  for (const [kind, found] of [
    ["spend_cap", result.cap],
    ["credit", result.credit],
  ] as const) {
    if (found !== undefined && projection !== undefined && priced !== undefined) {
      const isEnough = priced.days >= FORECAST_DAYS_NEEDED;
      const { currency } = projection;
      items.push(toMoneyItem(kind, found, { currency, isEnough, ...looking }));
    }
  }
  return { tenantId, asOf: new Date(nowMs).toISOString(), items };
}
