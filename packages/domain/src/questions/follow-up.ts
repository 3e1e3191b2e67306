import { type LocalRange, move, type QuestionUnit } from "./calendar.ts";
import { toComparison } from "./find-comparison.ts";
import type { QuestionParts } from "./read-parts.ts";

const STARTS =
  /^(?:[, ]*)(?:and|what about|how about|now|same|only|just|but|also|then|or|without|excluding|except|compared|versus|why|by|per|split|broken|break|for|in|on|of|with|ok|okay|as|sort|sorted|order|rank|group|grouped|exclude|include|limit|restrict|filter|narrow)\b/;

/** True where a question goes on from the one before rather than by itself. */
export function isFollowUp(question: string, parts: QuestionParts): boolean {
  return STARTS.test(question.trim().toLowerCase()) || parts.measures.length === 0;
}

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

/** Keeps what the question before said, except where the follow-up says otherwise. */
export function mergeParts(before: QuestionParts, parts: QuestionParts): QuestionParts {
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
      return mergeParts(before, { ...others, compare, unknown: [] });
    }
  }
  const fields = new Set(parts.filters.map(({ field }) => field));
  const range =
    parts.range ??
    (parts.shiftsBy !== undefined && before.range !== undefined
      ? shift(before.range, parts.shiftsBy)
      : before.range);
  const keepsRanking = parts.dimensions.length === 0;
  const ranking = parts.ranking ?? (keepsRanking ? before.ranking : undefined);
  const intent = parts.intent ?? before.intent;
  const grain = parts.grain ?? before.grain;
  const compare = parts.compare ?? before.compare;
  return {
    ...(intent === undefined ? {} : { intent }),
    measures: parts.measures.length > 0 ? parts.measures : before.measures,
    dimensions: parts.dimensions.length > 0 ? parts.dimensions : before.dimensions,
    filters: [...before.filters.filter(({ field }) => !fields.has(field)), ...parts.filters],
    ...(range === undefined ? {} : { range }),
    ...(grain === undefined ? {} : { grain }),
    ...(ranking === undefined ? {} : { ranking }),
    ...(compare === undefined ? {} : { compare }),
    assumed: [...new Set([...before.assumed, ...parts.assumed])],
    ambiguous: parts.ambiguous,
    unknown: parts.unknown,
    isAction: parts.isAction,
    text: parts.text,
  };
}
