import type { InsightPart } from "@turnpike/contract/insights";
import type { UsageReport, UsageRow } from "@turnpike/contract/usage";
import { chooseCause } from "@turnpike/domain/anomaly/cause/choose-cause";
import { explainRate, type Rate } from "@turnpike/domain/anomaly/cause/explain-rate";
import { explainSum } from "@turnpike/domain/anomaly/cause/explain-sum";
import type { TenantId } from "@turnpike/domain/ids/ids";
import type { IncidentGroup } from "@turnpike/domain/insights/group-incidents";
import type { WatchedMeasure } from "@turnpike/domain/insights/incident";
import type { AppServices } from "#platform/app-services.ts";
import { askUsage, readMeasure } from "./ask-usage.ts";

type Dimension = InsightPart["dimension"];

const DAY_MS = 24 * 60 * 60_000;
const PARTS_SHOWN = 5;
/** By which parts a change can be explained, the most useful first. */
const DIMENSIONS: Readonly<Record<WatchedMeasure, readonly Dimension[]>> = {
  requests: ["key", "route"],
  errors: ["route", "key", "status"],
  denied: ["key", "outcome", "route"],
  latency_avg: ["route", "key"],
};

export type Explanation = {
  comparedFromMs: number;
  cause: InsightPart | null;
  /** Of the dimension of the cause, or of the first one, the heaviest first. */
  parts: InsightPart[];
};

type Sides = { before: UsageReport; after: UsageReport };

function groupsOf({ before, after }: Sides, dimension: Dimension) {
  const rows = new Map<string, { before?: UsageRow; after?: UsageRow }>();
  for (const row of before.rows) {
    rows.set(row.group[dimension] ?? "", { before: row });
  }
  for (const row of after.rows) {
    const value = row.group[dimension] ?? "";
    rows.set(value, { ...rows.get(value), after: row });
  }
  return [...rows].map(([name, sides]) => ({ name, ...sides }));
}

function toLatency(row: UsageRow | undefined): Rate {
  const of = row?.values.requests ?? 0;
  return { hits: (row?.values.latency_avg ?? 0) * of, of };
}

function explainBy(measure: WatchedMeasure, sides: Sides, dimension: Dimension): InsightPart[] {
  const groups = groupsOf(sides, dimension);
  if (measure === "latency_avg") {
    const calls = groups.reduce((sum, { before }) => sum + (before?.values.requests ?? 0), 0);
    const explained = explainRate(
      groups.map(({ name, before, after }) => ({
        name,
        before: toLatency(before),
        after: toLatency(after),
      })),
    );
    return explained.parts.map(({ name, share, before }) => ({
      dimension,
      value: name,
      share,
      weight: calls === 0 ? 0 : before.of / calls,
    }));
  }
  const explained = explainSum(
    groups.map(({ name, before, after }) => ({
      name,
      before: readMeasure(before?.values, measure) ?? 0,
      after: readMeasure(after?.values, measure) ?? 0,
    })),
  );
  return explained.parts.map(({ name, share, before }) => ({
    dimension,
    value: name,
    share,
    weight: explained.before === 0 ? 0 : before / explained.before,
  }));
}

/**
 * Explains an incident by comparing it with the same hours a week earlier, or a day earlier when there was no usage yet: the
 * part that makes most of the change beyond its share of the whole.
 *
 * @param firstMs - When usage began.
 */
export async function explainIncident(
  deps: AppServices,
  tenantId: TenantId,
  { incident, firstMs }: { incident: IncidentGroup; firstMs: number },
): Promise<Explanation> {
  const { measure, sinceMs, untilMs } = incident;
  const backMs = sinceMs - 7 * DAY_MS >= firstMs ? 7 * DAY_MS : DAY_MS;
  const byDimension: { dimension: Dimension; parts: InsightPart[] }[] = [];
  for (const dimension of DIMENSIONS[measure]) {
    const ask = (fromMs: number, toMs: number) =>
      askUsage(deps, { tenantId, fromMs, toMs, by: dimension });
    const sides = {
      before: await ask(sinceMs - backMs, untilMs - backMs),
      after: await ask(sinceMs, untilMs),
    };
    byDimension.push({ dimension, parts: explainBy(measure, sides, dimension) });
  }
  const chosen = chooseCause(
    byDimension.map(({ dimension, parts }) => ({
      dimension,
      parts: parts.map(({ value, share, weight }) => ({ name: value, share, weight })),
    })),
  );
  const shown = byDimension.find(({ dimension }) => dimension === chosen?.dimension);
  return {
    comparedFromMs: sinceMs - backMs,
    cause:
      chosen === undefined
        ? null
        : {
            dimension: chosen.dimension,
            value: chosen.name,
            share: chosen.share,
            weight: chosen.weight,
          },
    parts: (shown ?? byDimension[0])?.parts.slice(0, PARTS_SHOWN) ?? [],
  };
}
