import type { Insight, InsightPart } from "@turnpike/contract/insights";
import type { UsageReport, UsageRow } from "@turnpike/contract/usage";
import { chooseCause } from "@turnpike/domain/anomaly/cause/choose-cause";
import { explainRate, type Rate } from "@turnpike/domain/anomaly/cause/explain-rate";
import { explainSum } from "@turnpike/domain/anomaly/cause/explain-sum";
import type { IncidentGroup } from "@turnpike/domain/insights/group-incidents";
import type { WatchedMeasure } from "@turnpike/domain/insights/incident";
import type { AppServices } from "#platform/app-services.ts";
import { askUsage, readMeasure } from "./ask-usage.ts";
import type { UsageScope } from "./usage-scope.ts";

type Dimension = InsightPart["dimension"];
type OtherParts = NonNullable<Insight["evidence"]>["others"][number];

const DAY_MS = 24 * 60 * 60_000;
const PARTS_SHOWN = 5;
type Dimensions = Readonly<Record<WatchedMeasure, readonly Dimension[]>>;
/** By which parts a change can be explained, the most useful first. */
const OF_TENANT: Dimensions = {
  requests: ["key", "route"],
  error_rate: ["route", "key"],
  errors: ["route", "key", "status"],
  denied: ["key", "outcome", "route"],
  latency_avg: ["route", "key"],
};
const OF_ALL: Dimensions = {
  requests: ["tenant", "route"],
  error_rate: ["route", "tenant"],
  errors: ["route", "tenant", "status"],
  denied: ["tenant", "outcome", "route"],
  latency_avg: ["route", "tenant"],
};

export type Explanation = {
  comparedFromMs: number;
  cause: InsightPart | null;
  /** Of every dimension, that of the cause or the first one in front; of each the heaviest first. */
  parts: InsightPart[];
  others: OtherParts[];
};

type Sides = { before: UsageReport; after: UsageReport };
type PartsBy = { dimension: Dimension; parts: InsightPart[] };

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

/** The calls that were let through, and their errors or milliseconds. */
function toRate(row: UsageRow | undefined, measure: "latency_avg" | "error_rate"): Rate {
  const values = row?.values;
  const of = (values?.requests ?? 0) - (values?.denied ?? 0);
  const isLatency = measure === "latency_avg";
  return { hits: isLatency ? (values?.latency_avg ?? 0) * of : (values?.errors ?? 0), of };
}

function explainBy(measure: WatchedMeasure, sides: Sides, dimension: Dimension): InsightPart[] {
  const groups = groupsOf(sides, dimension);
  if (measure === "latency_avg" || measure === "error_rate") {
    const { parts } = explainRate(
      groups.map(({ name, before, after }) => ({
        name,
        before: toRate(before, measure),
        after: toRate(after, measure),
      })),
    );
    const calls = parts.reduce((sum, { before }) => sum + before.of, 0);
    return parts.map(({ name, share, before }) => ({
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

function toOthers({ dimension, parts }: PartsBy): OtherParts[] {
  const hidden = parts.slice(PARTS_SHOWN);
  return hidden.length === 0
    ? []
    : [
        {
          dimension,
          count: hidden.length,
          share: hidden.reduce((sum, { share }) => sum + share, 0),
        },
      ];
}

/**
 * Explains an incident by comparing it with the same hours a week earlier, or a day earlier when there was no usage yet: the
 * part that makes most of the change beyond its share of the whole.
 *
 * @param firstMs - When usage began.
 */
export async function explainIncident(
  deps: AppServices,
  scope: UsageScope,
  { incident, firstMs }: { incident: IncidentGroup; firstMs: number },
): Promise<Explanation> {
  const { measure, route, sinceMs, untilMs } = incident;
  const backMs = sinceMs - 7 * DAY_MS >= firstMs ? 7 * DAY_MS : DAY_MS;
  const of = route === null ? scope : { ...scope, route };
  const byDimension: PartsBy[] = [];
  for (const dimension of (scope.tenantId === null ? OF_ALL : OF_TENANT)[measure]) {
    if (route !== null && dimension === "route") {
      continue;
    }
    const ask = (fromMs: number, toMs: number) =>
      askUsage(deps, of, { fromMs, toMs, isHourly: false, by: [dimension] });
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
  const isOfCause = ({ dimension }: PartsBy) => dimension === chosen?.dimension;
  const shown = [...byDimension.filter(isOfCause), ...byDimension.filter((by) => !isOfCause(by))];
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
    parts: shown.flatMap(({ parts }) => parts.slice(0, PARTS_SHOWN)),
    others: shown.flatMap(toOthers),
  };
}
