import { isMeterMeasure } from "@turnpike/contract/meter-measure";
import {
  type CallMeasure,
  USAGE_MEASURES,
  type UsageDimension,
  type UsageMeasure,
  type UsageQuestion,
} from "@turnpike/contract/usage-query";
import { USAGE_RANGE_DAYS_MAX } from "@turnpike/domain/metering/usage-range";
import {
  DAY_MS,
  type Grain,
  listBucketStarts,
  MINUTE_MS,
  precedingRange,
} from "@turnpike/domain/time/zoned-buckets";
import { type MeterVersions, type PlannedMeter, planMeters, roundingOf } from "./plan-meters.ts";
import { planSources, type Sources } from "./plan-sources.ts";
import { refuseQuestion } from "./refuse-question.ts";

/** What rows are ordered by. Dimensions and meters are named by their index among the asked ones. */
export type OrderTerm = { isDescending: boolean } & (
  | { kind: "time" }
  | { kind: "dimension"; index: number }
  | { kind: "meter"; index: number; measure: UsageMeasure }
  | { kind: "measure"; measure: CallMeasure }
);

export type UsageFilters = Pick<
  UsageQuestion,
  | "key"
  | "route"
  | "method"
  | "status"
  | "status_class"
  | "outcome"
  | "environment"
  | "model"
  | "tenant"
  | "plan"
>;

export type PlannedPeriod = {
  fromMs: number;
  toMs: number;
  /** Starts of the buckets, ascending; empty without a time axis. */
  starts: readonly number[];
  sources: Sources;
};

/** A question with every choice made: all that the store needs. */
export type QueryPlan = {
  meterId: string;
  measures: readonly UsageMeasure[];
  /** The meters among the measures, in their order. */
  meters: readonly PlannedMeter[];
  dimensions: readonly UsageDimension[];
  filters: UsageFilters;
  grain: Grain | null;
  timeZone: string;
  order: readonly OrderTerm[];
  limit: number;
  period: PlannedPeriod;
  previous: PlannedPeriod | null;
};

/** The range when `from` is left out. */
const RANGE_DAYS_DEFAULT = 30;

/** Instants are written with years of four digits. */
const YEAR_10000_MS = Date.UTC(10_000, 0, 1);

function roundUp(ms: number, toMs: number): number {
  return Math.ceil(ms / toMs) * toMs;
}

function planRange(
  question: UsageQuestion,
  nowMs: number,
  unitMs: number,
): { fromMs: number; toMs: number } {
  const { grain } = question;
  const toMs = roundUp(question.to === undefined ? nowMs + 1 : Date.parse(question.to), unitMs);
  if (toMs >= YEAR_10000_MS) {
    throw refuseQuestion("to", "Rounded up, it must lie before the year 10000.");
  }
  const defaultDays =
    grain === undefined ? undefined : Math.min(RANGE_DAYS_DEFAULT, USAGE_RANGE_DAYS_MAX[grain]);
  const defaultFromMs = defaultDays === undefined ? 0 : Math.max(0, toMs - defaultDays * DAY_MS);
  const fromMs =
    question.from === undefined ? defaultFromMs : roundUp(Date.parse(question.from), unitMs);
  if (fromMs >= toMs) {
    const byWhat =
      unitMs === MINUTE_MS
        ? ""
        : " Both are rounded up to the quarter of an hour, by which what is asked is kept.";
    throw refuseQuestion(
      "from",
      `The range is empty: \`from\` must lie before \`to\`, which is now if left out.${byWhat}`,
    );
  }
  if (grain !== undefined && toMs - fromMs > USAGE_RANGE_DAYS_MAX[grain] * DAY_MS) {
    const days = String(USAGE_RANGE_DAYS_MAX[grain]);
    throw refuseQuestion("from", `By the ${grain} a range may have at most ${days} days.`);
  }
  return { fromMs, toMs };
}

function planPeriod(
  range: { fromMs: number; toMs: number },
  grain: Grain | null,
  timeZone: string,
): PlannedPeriod {
  const starts = grain === null ? [] : listBucketStarts(grain, timeZone, range);
  if ((starts[0] ?? 0) < 0) {
    throw refuseQuestion(
      "from",
      `Its first ${String(grain)} begins before 1970: give a later \`from\`.`,
    );
  }
  return { ...range, starts, sources: planSources(range, starts) };
}

function planPrevious(
  question: UsageQuestion,
  range: { fromMs: number; toMs: number },
): PlannedPeriod | null {
  const { compare, grain = null, timeZone } = question;
  if (compare === undefined) {
    return null;
  }
  const before = precedingRange(grain, timeZone, range);
  if (before.fromMs < 0) {
    throw refuseQuestion(
      "compare",
      "There is no preceding period of this length: give a later `from`.",
    );
  }
  return planPeriod(before, grain, timeZone);
}

function isCallMeasure(name: string): name is CallMeasure {
  return USAGE_MEASURES.some((measure) => measure === name);
}

function toOrderTerm(question: UsageQuestion, text: string): OrderTerm {
  const isDescending = text.startsWith("-");
  const name = isDescending ? text.slice(1) : text;
  if (isCallMeasure(name)) {
    return { kind: "measure", measure: name, isDescending };
  }
  if (isMeterMeasure(name)) {
    const index = question.measures.filter(isMeterMeasure).indexOf(name);
    if (index === -1) {
      throw refuseQuestion("order", `"${name}" is not one of the asked measures.`);
    }
    return { kind: "meter", index, measure: name, isDescending };
  }
  if (name === "time") {
    if (question.grain === undefined) {
      throw refuseQuestion("order", "There is no time to order by without `grain`.");
    }
    return { kind: "time", isDescending };
  }
  const asked: readonly string[] = question.dimensions;
  const index = asked.indexOf(name);
  if (index === -1) {
    throw refuseQuestion("order", `"${name}" is not one of the asked dimensions.`);
  }
  return { kind: "dimension", index, isDescending };
}

function planOrder(question: UsageQuestion): OrderTerm[] {
  if (question.order !== undefined) {
    return question.order.map((text) => toOrderTerm(question, text));
  }
  const byTime: OrderTerm[] =
    question.grain === undefined ? [] : [{ kind: "time", isDescending: false }];
  const [first] = question.measures;
  const byMost: OrderTerm =
    first !== undefined && question.measures.every(isMeterMeasure)
      ? { kind: "meter", index: 0, measure: first, isDescending: true }
      : { kind: "measure", measure: "requests", isDescending: true };
  return [...byTime, byMost];
}

/**
 * Decides how a question is answered: its exact range, its buckets in its time zone, what each interval is read from, what its
 * meters are summed from, and the order of the rows.
 *
 * @param versionsOf - Of every meter that is asked about.
 * @throws {AppError} `INVALID_REQUEST` as `planMeters`, and when the range is empty or too long for its grain, there is no
 *   preceding period to compare with, or the order names something that was not asked for.
 */
export function planQuery(
  question: UsageQuestion,
  now: Date,
  versionsOf: ReadonlyMap<string, MeterVersions> = new Map(),
): QueryPlan {
  const { grain = null, timeZone } = question;
  const meters = planMeters(question, versionsOf);
  const range = planRange(question, now.getTime(), roundingOf(meters));
  const { key, route, method, status, status_class, outcome, environment, model, tenant, plan } =
    question;
  return {
    meterId: question.meter,
    measures: question.measures,
    meters,
    dimensions: question.dimensions,
    filters: {
      key,
      route,
      method,
      status,
      status_class,
      outcome,
      environment,
      model,
      tenant,
      plan,
    },
    grain,
    timeZone,
    order: planOrder(question),
    limit: question.limit,
    period: planPeriod(range, grain, timeZone),
    previous: planPrevious(question, range),
  };
}
