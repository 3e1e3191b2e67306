import { said } from "../text/said.ts";
import { type LocalRange, move, type QuestionUnit } from "./calendar.ts";
import { toComparison } from "./find-comparison.ts";
import { isOutOfPlace } from "./is-out-of-place.ts";
import type { QuestionParts } from "./parts/question-parts.ts";
import type { QuestionFilter } from "./question-reading.ts";
import type { VocabularyIndex } from "./question-vocabulary.ts";

function shift(range: LocalRange, by: string): LocalRange {
  const units: readonly QuestionUnit[] = ["day", "week", "month", "quarter", "year"];
  const named = units.find((unit) => unit === by);
  const whole = units.findLast((unit) => move(unit, range.fromMs, 1) === range.toMs);
  const unit = named ?? whole;
  if (unit === undefined) {
    return { fromMs: 2 * range.fromMs - range.toMs, toMs: range.fromMs };
  }
  return { fromMs: move(unit, range.fromMs, -1), toMs: move(unit, range.toMs, -1) };
}

/** What a follow-up measures; nothing where a word of its own, such as “slowest”, says it. */
function measuresOf(before: QuestionParts, parts: QuestionParts): readonly string[] {
  const { measures, ranking } = parts;
  const ranksByMeasure = ranking?.measure !== undefined && !ranking.isJudgement;
  return measures.length > 0 || ranksByMeasure ? measures : before.measures;
}

/** “Why?” asks for a cause; “by route?” after it asks for figures again. */
function intentOf(before: QuestionParts, parts: QuestionParts): QuestionParts["intent"] {
  const asksFigures =
    parts.dimensions.length > 0 ||
    [parts.ranking, parts.grain, parts.compare].some((part) => part !== undefined);
  return parts.intent ?? (before.intent === "explain" && asksFigures ? undefined : before.intent);
}

const describe = ({ field, value }: QuestionFilter) =>
  `${field.replaceAll("_", " ")} ${[value].flat().join(" or ")}`;

/** Keeps what the question before said, except where the follow-up says otherwise or measures what that does not apply to. */
export function mergeParts(
  index: VocabularyIndex,
  before: QuestionParts,
  parts: QuestionParts,
): QuestionParts {
  const second = parts.range;
  const isSecond =
    before.range !== undefined &&
    second !== undefined &&
    parts.unknown.length > 0 &&
    parts.unknown.every(({ place }) => place === "comparison");
  if (isSecond) {
    // “Today”, and then “versus yesterday”.
    const { range: _, ...others } = parts;
    const compare = toComparison(before.range, second);
    if (compare !== undefined) {
      return mergeParts(index, before, { ...others, compare, unknown: [] });
    }
  }
  const measures = measuresOf(before, parts);
  const own = measures === before.measures ? [] : measures;
  const isOut = (field: string) => isOutOfPlace(index, { field, measures: own, before });
  const fields = new Set(parts.filters.map(({ field }) => field));
  const earlier = before.filters.filter(({ field }) => !fields.has(field));
  const kept = earlier.filter(({ field }) => !isOut(field));
  const dropped = earlier.filter((filter) => !kept.includes(filter));
  const range =
    parts.range ??
    (parts.shiftsBy !== undefined && before.range !== undefined
      ? shift(before.range, parts.shiftsBy)
      : before.range);
  const keepsRanking = parts.dimensions.length === 0;
  const ranking = parts.ranking ?? (keepsRanking ? before.ranking : undefined);
  const intent = intentOf(before, parts);
  const grain = parts.grain ?? before.grain;
  const compare = parts.compare ?? before.compare;
  return {
    ...(intent === undefined ? {} : { intent }),
    measures,
    dimensions:
      parts.dimensions.length > 0
        ? parts.dimensions
        : before.dimensions.filter(({ field }) => !isOut(field)),
    filters: [...kept, ...parts.filters],
    kept,
    ...(range === undefined ? {} : { range }),
    ...(grain === undefined ? {} : { grain }),
    ...(ranking === undefined ? {} : { ranking }),
    ...(compare === undefined ? {} : { compare }),
    assumed: [
      ...new Set([
        ...before.assumed,
        ...dropped.map((filter) => said(`no longer only ${describe(filter)}`)),
        ...parts.assumed,
      ]),
    ],
    measuresAssumed: measures === before.measures ? before.measuresAssumed : parts.measuresAssumed,
    ambiguous: parts.ambiguous,
    unknown: parts.unknown,
    isAction: parts.isAction,
    text: parts.text,
  };
}
