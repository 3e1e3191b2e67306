import { ANSWER_ROWS_MAX, type Answer, type AskedQuery } from "@turnpike/contract/questions";
import type { UsageReport } from "@turnpike/contract/usage";
import {
  USAGE_ROWS_MAX,
  type UsageDimension,
  type UsageQuestion,
} from "@turnpike/contract/usage-query";
import { REQUESTS_METER } from "@turnpike/domain/catalog/plan";
import { said } from "@turnpike/domain/text/said";
import { queryUsage, queryUsageOfAll } from "#modules/analytics/index.ts";
import type { AskDeps, Asker } from "./asker.ts";
import { CannotAnswer } from "./cannot-answer.ts";
import { describeMeasure } from "./describe-measure.ts";
import { type Joined, joinRuns, type Rows } from "./join-runs.ts";
import { nameGroups } from "./name-groups.ts";
import type { NamedVocabulary } from "./named-vocabulary.ts";
import { planRuns, type UsageFilters, type UsagePlan, type UsageRun } from "./plan-runs.ts";
import { type InstantRange, rangeOfQuery, yearBefore } from "./range-of-query.ts";
import { toUsageParams } from "./to-usage-params.ts";
import { includesZero, keepRows, knownGroups } from "./with-thresholds.ts";

export type Answered = { answer: Answer; assumed: readonly string[] };
type Question = Omit<UsageQuestion, "tenant" | "plan"> & Pick<UsageFilters, "tenant" | "plan">;

const iso = (ms: number) => new Date(ms).toISOString();
const unprefixed = (dimension: UsageDimension) => dimension.replace(/^event:/, "");

/** Asks the usage query with the rights of the caller. */
async function ask(
  deps: AskDeps,
  { context, tenantId }: Asker,
  question: Question,
): Promise<UsageReport> {
  return tenantId === null
    ? await queryUsageOfAll(deps, context, question)
    : await queryUsage(deps, context, { ...question, tenantId });
}

function toQuestion(
  asker: Asker,
  {
    run,
    plan,
    query,
    range,
  }: { run: UsageRun; plan: UsagePlan; query: AskedQuery; range: InstantRange },
): Question {
  const [first] = run.measures;
  const order = first === undefined ? [] : [`${query.order === "asc" ? "" : "-"}${first}`];
  return {
    measures: run.measures,
    meter: REQUESTS_METER,
    dimensions: plan.dimensions,
    ...run.filters,
    from: iso(range.fromMs),
    to: iso(range.toMs),
    ...(query.grain === undefined ? {} : { grain: query.grain }),
    ...(query.compare === "previous_period" ? { compare: "previous" as const } : {}),
    timeZone: asker.timeZone,
    order: query.grain === undefined ? order : ["time", ...order],
    limit: USAGE_ROWS_MAX,
  };
}

/** Names every value but the excluded ones; `undefined` when none is left. */
async function withoutExcluded(
  deps: AskDeps,
  asker: Asker,
  { question, plan }: { question: Question; plan: UsagePlan },
): Promise<Question | undefined> {
  let narrowed = question;
  for (const { field, values } of plan.excluded) {
    const { grain: _, order: __, ...rest } = narrowed;
    const { rows, previous, truncated } = await ask(deps, asker, { ...rest, dimensions: [field] });
    if (truncated) {
      throw new CannotAnswer("There are too many values to leave some out: narrow the range.");
    }
    const all = [...rows, ...(previous?.rows ?? [])].map(({ group }) => group[field] ?? "");
    const kept = [...new Set(all)].filter((value) => !values.includes(value));
    if (kept.length === 0) {
      return;
    }
    const name = unprefixed(field);
    narrowed = field.startsWith("event:")
      ? {
          ...narrowed,
          event: [
            ...(narrowed.event ?? []).filter((one) => one.name !== name),
            ...kept.map((value) => ({ name, value })),
          ],
        }
      : { ...narrowed, [field]: field === "status" ? kept.map(Number) : kept };
  }
  return narrowed;
}

type RunReport = {
  run: UsageRun;
  question: Question | undefined;
  report: Rows;
  before: Rows | null;
};

const NOTHING: Rows = { times: [], rows: [], totals: {}, truncated: false };

async function readRun(
  deps: AskDeps,
  asker: Asker,
  input: { run: UsageRun; plan: UsagePlan; query: AskedQuery; range: InstantRange },
): Promise<RunReport> {
  const { run, plan, query, range } = input;
  const question = await withoutExcluded(deps, asker, { question: toQuestion(asker, input), plan });
  if (question === undefined) {
    return { run, question, report: NOTHING, before: query.compare === undefined ? null : NOTHING };
  }
  const report = await ask(deps, asker, question);
  if (query.compare !== "previous_year") {
    return { run, question, report, before: report.previous };
  }
  const earlier = { ...input, range: yearBefore(range, asker.timeZone) };
  const before = await withoutExcluded(deps, asker, { question: toQuestion(asker, earlier), plan });
  return {
    run,
    question,
    report,
    before: before === undefined ? NOTHING : await ask(deps, asker, before),
  };
}

/** Keeps the series of the groups that rank first over the whole range. */
async function keepRanked(
  deps: AskDeps,
  asker: Asker,
  { vocabulary, query, joined }: { vocabulary: NamedVocabulary; query: AskedQuery; joined: Joined },
): Promise<Joined> {
  const { grain: _, compare: __, ...ranked } = query;
  const { answer } = await answerUsage(deps, asker, { vocabulary, query: ranked });
  const nameOf = (group: Readonly<Record<string, string>>) =>
    JSON.stringify(query.dimensions.map((name) => group[name]));
  const first = new Set(answer.rows.map(({ group }) => nameOf(group)));
  return { ...joined, rows: joined.rows.filter(({ group }) => first.has(nameOf(group))) };
}

/**
 * Answers a question about usage by the usage query, so that its figures are those of the API.
 *
 * @throws {CannotAnswer} when usage cannot say it; {@link AppError} as `queryUsage`.
 */
export async function answerUsage(
  deps: AskDeps,
  asker: Asker,
  { vocabulary, query }: { vocabulary: NamedVocabulary; query: AskedQuery },
): Promise<Answered> {
  const plan = planRuns(vocabulary, query);
  const range = rangeOfQuery(query, asker.timeZone);
  const reports: RunReport[] = [];
  for (const run of plan.runs) {
    reports.push(await readRun(deps, asker, { run, plan, query, range }));
  }
  const isCut = reports.some(
    ({ report, before }) => report.truncated || before?.truncated === true,
  );
  const isByParts =
    plan.thresholds.length > 0 || plan.runs.length > 1 || query.compare !== undefined;
  if (isCut && isByParts) {
    throw new CannotAnswer(
      "That is more than 10,000 rows: narrow the range, or ask for fewer of them.",
    );
  }
  let joined = joinRuns(reports, { query, plan });
  const assumed = [...plan.assumed];
  if (plan.thresholds.some(includesZero) && query.grain === undefined) {
    joined = { ...joined, rows: knownGroups(vocabulary, { query, plan, rows: joined.rows }) };
  }
  joined = { ...joined, rows: keepRows(joined.rows, { query, thresholds: plan.thresholds }) };
  const isRanked = query.order !== undefined && query.dimensions.length > 0;
  if (isRanked && query.grain !== undefined) {
    joined = await keepRanked(deps, asker, { vocabulary, query, joined });
  }
  const limit =
    isRanked && query.grain === undefined ? (query.limit ?? ANSWER_ROWS_MAX) : ANSWER_ROWS_MAX;
  if (isRanked && query.order === "asc" && !plan.thresholds.some(includesZero)) {
    assumed.push(said("only those with usage"));
  }
  const rows = joined.rows.slice(0, Math.min(limit, ANSWER_ROWS_MAX));
  const [only, ...more] = reports;
  const isOneQuestion =
    more.length === 0 && query.compare !== "previous_year" && plan.thresholds.length === 0;
  const isWhole = plan.thresholds.length === 0 || query.dimensions.length === 0;
  return {
    assumed,
    answer: {
      measures: query.measures.map((name) => describeMeasure(vocabulary, name)),
      dimensions: query.dimensions,
      from: iso(range.fromMs),
      to: iso(range.toMs),
      grain: query.grain ?? null,
      rows,
      totals: isWhole ? joined.totals : null,
      totalsBefore: isWhole ? joined.totalsBefore : null,
      names: await nameGroups(deps, asker, { vocabulary, dimensions: query.dimensions, rows }),
      truncated: isCut || joined.rows.length > rows.length,
      usage:
        isOneQuestion && only?.question !== undefined
          ? toUsageParams(only.question, isRanked ? query.limit : undefined)
          : null,
    },
  };
}
