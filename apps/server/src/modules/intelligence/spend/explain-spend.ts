import { USAGE_ROWS_MAX } from "@turnpike/contract/usage-query";
import type { TenantId } from "@turnpike/domain/ids/ids";
import { type ComparedCalls, explainChange } from "@turnpike/domain/insights/explain-change";
import type { IncidentGroup } from "@turnpike/domain/insights/group-incidents";
import { NOTHING } from "@turnpike/domain/insights/read-measure";
import type { Currency } from "@turnpike/domain/money/currency";
import { toScaled } from "@turnpike/domain/money/decimal";
import type { Picos } from "@turnpike/domain/money/exact";
import { queryUsage } from "#modules/analytics/index.ts";
import type { AppServices } from "#platform/app-services.ts";
import { systemContext } from "../ask-usage.ts";
import { comparedBackMs, type Explanation, toExplanation } from "../explain-incident.ts";
import { type Spend, type SpentMeter, toMinorNumber } from "./read-spend.ts";

/** Meters whose keys and routes are asked for: those that are charged most. */
const SPLIT_METERS_MAX = 3;

type Range = { fromMs: number; toMs: number };
type Amounts = Map<string, Picos>;
type Compared = { before: Amounts; after: Amounts };
/** A meter with what its units were charged in the hours of the incident: `charged` of `value`. */
type MeterThen = SpentMeter & { charged: Picos; value: Picos };

function sumIn({ hours }: SpentMeter, read: "charged" | "value", { fromMs, toMs }: Range): Picos {
  return hours.reduce(
    (sum, hour) => (hour.timeMs >= fromMs && hour.timeMs < toMs ? sum + hour[read] : sum),
    0n,
  );
}

/** What the units of a range would be charged at the prices of the incident. */
function chargeIn(meter: MeterThen, range: Range): Picos {
  return meter.value === 0n ? 0n : (sumIn(meter, "value", range) * meter.charged) / meter.value;
}

/** Splits what a meter comes to in a range by the units of each key or route. */
async function splitCharge(
  deps: AppServices,
  tenantId: TenantId,
  { meter, by, ...range }: Range & { meter: MeterThen; by: "key" | "route" },
): Promise<Amounts> {
  const { rows } = await queryUsage(deps, systemContext(deps), {
    tenantId,
    measures: ["billable"],
    meter: meter.meterId,
    dimensions: [by],
    environment: ["live"],
    from: new Date(range.fromMs).toISOString(),
    to: new Date(range.toMs).toISOString(),
    timeZone: "UTC",
    limit: USAGE_ROWS_MAX,
  });
  const units = rows.map(({ group, values }) => ({
    part: group[by] ?? "",
    units: toScaled(values.billable ?? "0"),
  }));
  const all = units.reduce((sum, each) => sum + each.units, 0n);
  const charge = chargeIn(meter, range);
  return new Map(
    all === 0n ? [] : units.map((each) => [each.part, (charge * each.units) / all] as const),
  );
}

function addTo(sums: Amounts, more: ReadonlyMap<string, Picos>): void {
  for (const [part, picos] of more) {
    sums.set(part, (sums.get(part) ?? 0n) + picos);
  }
}

function toCompared(
  dimension: ComparedCalls["dimension"],
  { before, after }: Compared,
  currency: Currency,
): ComparedCalls {
  const of = (sums: Amounts, part: string) => ({
    ...NOTHING,
    spend: toMinorNumber(sums.get(part) ?? 0n, currency),
  });
  return {
    dimension,
    values: [...new Set([...before.keys(), ...after.keys()])].map((part) => ({
      value: part,
      before: of(before, part),
      after: of(after, part),
    })),
  };
}

/**
 * Explains a change of what is spent by meter, key and route, against the same hours a week earlier, which are priced as those of the
 * incident: what came with the price then is no part of the change.
 */
export async function explainSpend(
  deps: AppServices,
  tenantId: TenantId,
  { incident, spend }: { incident: IncidentGroup; spend: Spend },
): Promise<Explanation> {
  const { currency, series } = spend;
  const backMs = comparedBackMs(incident, series.hours[0]?.timeMs ?? 0);
  const now = { fromMs: incident.sinceMs, toMs: incident.untilMs };
  const then = { fromMs: now.fromMs - backMs, toMs: now.toMs - backMs };
  const meters: MeterThen[] = spend.meters
    .map((meter) => ({
      ...meter,
      charged: sumIn(meter, "charged", now),
      value: sumIn(meter, "value", now),
    }))
    .toSorted((a, b) => (a.charged < b.charged ? 1 : a.charged > b.charged ? -1 : 0));
  const compared: ComparedCalls[] = [];
  for (const by of ["key", "route"] as const) {
    const sums: Compared = { before: new Map(), after: new Map() };
    for (const meter of meters.slice(0, SPLIT_METERS_MAX)) {
      addTo(sums.before, await splitCharge(deps, tenantId, { ...then, meter, by }));
      addTo(sums.after, await splitCharge(deps, tenantId, { ...now, meter, by }));
    }
    compared.push(toCompared(by, sums, currency));
  }
  const chargesIn = (range: Range): Amounts =>
    new Map(meters.map((meter) => [meter.meterId, chargeIn(meter, range)]));
  compared.push(toCompared("meter", { before: chargesIn(then), after: chargesIn(now) }, currency));
  return toExplanation(explainChange("spend", compared), then.fromMs);
}
