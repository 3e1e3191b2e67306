import type { Answer, AskedQuery } from "@turnpike/contract/questions";
import { chooseCause } from "@turnpike/domain/anomaly/cause/choose-cause";
import { explainRate } from "@turnpike/domain/anomaly/cause/explain-rate";
import { explainSum } from "@turnpike/domain/anomaly/cause/explain-sum";
import { move } from "@turnpike/domain/questions/calendar";
import { said } from "@turnpike/domain/text/said";
import { createOffsetAt, DAY_MS, toZonedInstant } from "@turnpike/domain/time/zoned-buckets";
import { type Answered, answerUsage } from "./answer-usage.ts";
import type { AnswerWords } from "./answer-words.ts";
import type { AskDeps, Asker } from "./asker.ts";
import { describeRange } from "./describe-range.ts";
import { formatCell } from "./format-cell.ts";
import { nameDimension } from "./name-dimension.ts";
import type { NamedVocabulary } from "./named-vocabulary.ts";
import { type InstantRange, rangeOfQuery } from "./range-of-query.ts";
import { describeChange, describeFilters } from "./write-sentence.ts";

const WEEK_DAYS = 7;
const PARTS_SHOWN = 10;
/** By which parts a change can be explained, the most useful first. */
const DIMENSIONS: Readonly<Record<string, readonly string[]>> = {
  errors: ["route", "key", "status"],
  error_rate: ["route", "key", "status"],
  denied: ["key", "outcome", "route"],
};
const OF_CALLS = ["key", "route", "method"];
const WEIGHED: Readonly<Record<string, readonly [hits: string, of: string]>> = {
  error_rate: ["errors", "requests"],
  latency_avg: ["latency_avg", "requests"],
};

type Sides = { before: Answer; after: Answer };
type Part = { name: string; share: number; weight: number };

/** As long, a week earlier, so that weekdays are alike; for more than a week the time before. */
function rangeBefore({ fromMs, toMs }: InstantRange, timeZone: string): InstantRange {
  if (toMs - fromMs > WEEK_DAYS * DAY_MS) {
    return { fromMs: Math.max(0, 2 * fromMs - toMs), toMs: fromMs };
  }
  const offsetAt = createOffsetAt(timeZone);
  const back = (ms: number) => toZonedInstant(timeZone, move("day", ms + offsetAt(ms), -WEEK_DAYS));
  return { fromMs: back(fromMs), toMs: back(toMs) };
}

function listDimensions(
  vocabulary: NamedVocabulary,
  query: AskedQuery,
  isOfAll: boolean,
): readonly string[] {
  const [measure = ""] = query.measures;
  const meter = vocabulary.index.vocabulary.meters.find(({ slug }) => slug === measure);
  const of = meter === undefined ? (DIMENSIONS[measure] ?? OF_CALLS) : meter.dimensions;
  const one = new Set(query.filters.filter(({ op }) => op === "eq").map(({ field }) => field));
  if (query.dimensions.length > 0) {
    return query.dimensions;
  }
  const all = isOfAll ? ["tenant", ...of] : of;
  return all.filter((name) => !one.has(name));
}

function explainBy({ before, after }: Sides, measure: string, dimension: string): Part[] {
  const names = new Set([...before.rows, ...after.rows].map(({ group }) => group[dimension] ?? ""));
  const valuesOf = (answer: Answer, name: string) =>
    answer.rows.find(({ group }) => (group[dimension] ?? "") === name)?.values;
  const weighed = WEIGHED[measure];
  if (weighed === undefined) {
    const explained = explainSum(
      [...names].map((name) => ({
        name,
        before: Number(valuesOf(before, name)?.[measure] ?? 0),
        after: Number(valuesOf(after, name)?.[measure] ?? 0),
      })),
    );
    return explained.parts.map(({ name, share, before: past }) => ({
      name,
      share,
      weight: explained.before === 0 ? 0 : past / explained.before,
    }));
  }
  const [hits, of] = weighed;
  const rateOf = (answer: Answer, name: string) => {
    const values = valuesOf(answer, name);
    const calls = Number(values?.[of] ?? 0);
    const value = Number(values?.[hits] ?? 0);
    return { hits: hits.startsWith("latency") ? value * calls : value, of: calls };
  };
  const explained = explainRate(
    [...names].map((name) => ({ name, before: rateOf(before, name), after: rateOf(after, name) })),
  );
  const calls = explained.parts.reduce((sum, part) => sum + part.before.of, 0);
  return explained.parts.map(({ name, share, before: past }) => ({
    name,
    share,
    weight: calls === 0 ? 0 : past.of / calls,
  }));
}

function describeCause(
  chosen: (Part & { dimension: string }) | undefined,
  { nameOf, isSame }: { nameOf: (value: string) => string; isSame: boolean },
  words: AnswerWords,
): string {
  const { say, percent } = words;
  if (chosen === undefined) {
    return isSame ? "" : ` ${say("No part stands out: the change is everywhere.")}`;
  }
  const { dimension, name, share } = chosen;
  const text = name === "" ? say(said("that is not known")) : nameOf(name);
  const part =
    dimension === "outcome"
      ? say(said("reason “{0}”"), text)
      : `${nameDimension(words, dimension)} ${text}`;
  const rounded = Math.round(100 * share);
  return rounded > 100
    ? ` ${say("The {0} changed by more than that, others the other way.", part)}`
    : ` ${say("The {0} accounts for {1} of the change.", part, percent(rounded))}`;
}

/** Medians and percentiles have no parts that add up: the mean of the same calls has. */
const explainable = (measure: string) =>
  measure.startsWith("latency_p") ? "latency_avg" : measure;

/**
 * Explains why a figure of a range differs from the one a week earlier: by the part that makes most of the change beyond its share
 * of the whole.
 *
 * @throws {CannotAnswer} as `answerUsage`.
 */
export async function answerExplain(
  deps: AskDeps,
  asker: Asker,
  { vocabulary, query }: { vocabulary: NamedVocabulary; query: AskedQuery },
): Promise<Answered & { sentence: string }> {
  const { timeZone, nowMs, words } = asker;
  const { say } = words;
  const [asked = "requests"] = query.measures;
  const measure = explainable(asked);
  const whole = rangeOfQuery(query, timeZone);
  // A range that is not over is compared with as much of the other.
  const range = whole.fromMs < nowMs ? { ...whole, toMs: Math.min(whole.toMs, nowMs) } : whole;
  const beforeRange = rangeBefore(range, timeZone);
  const measures = [...new Set([measure, ...(WEIGHED[measure] ?? [])])];
  const { filters } = query;
  const ask = async (of: InstantRange, dimensions: readonly string[]) =>
    await answerUsage(deps, asker, {
      vocabulary,
      query: {
        measures,
        dimensions: [...dimensions],
        filters,
        from: new Date(of.fromMs).toISOString(),
        to: new Date(of.toMs).toISOString(),
      },
    });
  const { answer: total, assumed } = await ask(range, []);
  const { answer: past } = await ask(beforeRange, []);
  const found: { dimension: string; parts: Part[]; sides: Sides }[] = [];
  for (const dimension of listDimensions(vocabulary, query, asker.tenantId === null)) {
    const sides = {
      after: (await ask(range, [dimension])).answer,
      before: (await ask(beforeRange, [dimension])).answer,
    };
    if (!sides.after.truncated && !sides.before.truncated) {
      found.push({ dimension, parts: explainBy(sides, measure, dimension), sides });
    }
  }
  const chosen = chooseCause(found);
  const shown = found.find(({ dimension }) => dimension === chosen?.dimension) ?? found[0];
  const [described] = total.measures;
  if (described === undefined) {
    throw new Error("an answer has a measure");
  }
  const now = total.totals?.[measure];
  const before = past.totals?.[measure];
  const { during, dates } = describeRange(words, beforeRange, timeZone);
  const nameOf = (value: string) =>
    ({ ...shown?.sides.before.names, ...shown?.sides.after.names })[value] ?? value;
  const cause = describeCause(chosen, { nameOf, isSame: now === before }, words);
  const where = describeFilters(query, new Set(measures), words);
  const asRange = describeRange(words, whole, timeZone).during;
  const when = range.toMs < whole.toMs ? say(said("{0} so far"), asRange) : asRange;
  const head = `${say(described.title)}${where} ${when}: ${formatCell(described, now, words)}.`;
  const change = describeChange(
    described,
    { now, before, when: { of: say(said("of {0}"), dates), during } },
    words,
  );
  const rows = (shown?.parts ?? []).slice(0, PARTS_SHOWN).map(({ name }) => {
    const dimension = shown?.dimension ?? "";
    const cells = (answer: Answer | undefined) => {
      const row = answer?.rows.find(({ group }) => (group[dimension] ?? "") === name);
      return { [measure]: row?.values[measure] ?? (measure.startsWith("latency") ? null : 0) };
    };
    return {
      time: null,
      group: { [dimension]: name },
      values: cells(shown?.sides.after),
      before: cells(shown?.sides.before),
    };
  });
  return {
    assumed: [
      ...assumed,
      ...(measure === asked ? [] : [said("explained by the average latency")]),
      said(`compared with ${dates}`),
    ],
    sentence: `${head}${change}${cause}`,
    answer: {
      ...total,
      measures: [described],
      dimensions: shown === undefined ? [] : [shown.dimension],
      rows,
      totals: { [measure]: now ?? null },
      totalsBefore: { [measure]: before ?? null },
      names: { ...shown?.sides.before.names, ...shown?.sides.after.names },
      truncated: (shown?.parts.length ?? 0) > rows.length,
      usage: null,
    },
  };
}
