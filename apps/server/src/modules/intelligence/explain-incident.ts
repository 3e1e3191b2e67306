import type { Insight, InsightPart } from "@turnpike/contract/insights";
import type { UsageReport } from "@turnpike/contract/usage";
import {
  type ChangeExplanation,
  type ChangePart,
  type ComparedCalls,
  explainChange,
} from "@turnpike/domain/insights/explain-change";
import {
  type CallDimension,
  EXPLAINED_OF_ALL,
  EXPLAINED_OF_TENANT,
} from "@turnpike/domain/insights/explained-by";
import type { IncidentGroup } from "@turnpike/domain/insights/group-incidents";
import { NOTHING } from "@turnpike/domain/insights/read-measure";
import type { AppServices } from "#platform/app-services.ts";
import { askUsage, toSummedCalls } from "./ask-usage.ts";
import type { UsageScope } from "./usage-scope.ts";

type OtherParts = NonNullable<Insight["evidence"]>["others"][number];

const DAY_MS = 24 * 60 * 60_000;
const PARTS_SHOWN = 5;

export type Explanation = {
  comparedFromMs: number;
  cause: InsightPart | null;
  /** Of every dimension, that of the cause or the first one in front; of each the heaviest first. */
  parts: InsightPart[];
  others: OtherParts[];
};

function toCompared(
  dimension: CallDimension,
  { before, after }: { before: UsageReport; after: UsageReport },
): ComparedCalls {
  const values = new Map<string, ComparedCalls["values"][number]>();
  for (const row of before.rows) {
    const value = row.group[dimension] ?? "";
    values.set(value, { value, before: toSummedCalls(row.values), after: NOTHING });
  }
  for (const row of after.rows) {
    const value = row.group[dimension] ?? "";
    const { before: earlier } = values.get(value) ?? { before: NOTHING };
    values.set(value, { value, before: earlier, after: toSummedCalls(row.values) });
  }
  return { dimension, values: [...values.values()] };
}

function toOthers({
  dimension,
  parts,
}: {
  dimension: ChangePart["dimension"];
  parts: ChangePart[];
}): OtherParts[] {
  const hidden = parts.slice(PARTS_SHOWN);
  const share = hidden.reduce((sum, part) => sum + part.share, 0);
  return hidden.length === 0 ? [] : [{ dimension, count: hidden.length, share }];
}

export function toExplanation(
  { cause, byDimension }: ChangeExplanation,
  comparedFromMs: number,
): Explanation {
  return {
    comparedFromMs,
    cause,
    parts: byDimension.flatMap(({ parts }) => parts.slice(0, PARTS_SHOWN)),
    others: byDimension.flatMap(toOthers),
  };
}

/** How far back an incident is compared: a week, or a day when there was no usage a week before. */
export function comparedBackMs({ sinceMs }: IncidentGroup, firstMs: number): number {
  return sinceMs - 7 * DAY_MS >= firstMs ? 7 * DAY_MS : DAY_MS;
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
  const backMs = comparedBackMs(incident, firstMs);
  const of = route === null ? scope : { ...scope, route };
  const dimensions = (scope.tenantId === null ? EXPLAINED_OF_ALL : EXPLAINED_OF_TENANT)[measure];
  const compared: ComparedCalls[] = [];
  for (const dimension of dimensions) {
    if (route !== null && dimension === "route") {
      continue;
    }
    const ask = (fromMs: number, toMs: number) =>
      askUsage(deps, of, { fromMs, toMs, isHourly: false, by: [dimension] });
    const before = await ask(sinceMs - backMs, untilMs - backMs);
    compared.push(toCompared(dimension, { before, after: await ask(sinceMs, untilMs) }));
  }
  return toExplanation(explainChange(measure, compared), sinceMs - backMs);
}
