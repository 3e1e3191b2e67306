import type { FoundMeasures } from "../find-measures.ts";
import {
  hasModels,
  MODEL,
  type QuestionMeter,
  type VocabularyIndex,
} from "../question-vocabulary.ts";

/** The measure that a threshold is about: the one beside it, or else the only one. */
export function findThresholdMeasure(
  text: string,
  { marked }: FoundMeasures,
): readonly string[] | undefined {
  const beside =
    /#t(?: (?:at|of|in|the|on|,))* #m(\d)/.exec(text) ??
    /#m(\d)(?: (?:is|was|of|were|,|are|at))* #t/.exec(text);
  return beside === null ? marked[0] : marked[Number(beside[1])];
}

const BESIDE = /#m(\d)(?: (?:of|on|for|the))* #m(\d)/;

/** “The cost of tokens” may be the spend or the tokens, “slow requests” their latency or their number. */
export function listAmbiguousMeasures(
  text: string,
  { marked }: FoundMeasures,
  { vocabulary }: VocabularyIndex,
): string[][] {
  const [beside = "", one = "", other = ""] = BESIDE.exec(text) ?? [];
  const measures = [...(marked[Number(one)] ?? []), ...(marked[Number(other)] ?? [])];
  const hasMeter = vocabulary.meters.some(({ slug }) => measures.includes(slug));
  const isCost = hasMeter && measures.includes("spend");
  const isSlow =
    !beside.includes(" of ") && measures.includes("requests") && measures.includes("latency_p95");
  if (beside !== "" && (isCost || isSlow)) {
    return [measures];
  }
  // “Costs us the most tokens”: two measures that nothing joins may be one or the other.
  for (const [, first = "", between = "", second = ""] of text.matchAll(NEIGHBOURS)) {
    const pair = new Set([...(marked[Number(first)] ?? []), ...(marked[Number(second)] ?? [])]);
    const hasMoney = [...pair].some((name) => MONEY.test(name));
    if (pair.size > 1 && hasMoney && between !== "" && !JOINED.test(between)) {
      return [[...pair]];
    }
  }
  return [];
}

const NEIGHBOURS = /#m(\d)((?: (?!#m)\S+)*?)(?= #m(\d))/g;
const JOINED =
  /(?:^| )(?:and|or|,|-|versus|against|than|plus|to|with|by|in|of|for|on|per|also|\/)(?: |$)/;
const MONEY = /^(?:spend|revenue|mrr)$/;

/** The meter whose dimension one of the fields is, and which is no dimension of every call. */
export function findMeter(
  { vocabulary }: VocabularyIndex,
  fields: readonly { readonly field: string }[],
): QuestionMeter | undefined {
  const own = fields.filter(({ field }) => field !== MODEL || !hasModels(vocabulary));
  return vocabulary.meters.find(({ dimensions }) =>
    dimensions.some((dimension) => own.some(({ field }) => field === dimension)),
  );
}

/** Medians and percentiles are those of latency: “median requests per key” has no answer. */
export function isMedianOfCalls(text: string, { marked }: FoundMeasures): boolean {
  return [...text.matchAll(/#m(\d) #m(\d)/g)].some(([, one = "", other = ""]) => {
    const [first = ""] = marked[Number(one)] ?? [];
    const [second = ""] = marked[Number(other)] ?? [];
    return /^latency/.test(first) && second !== "" && !/^latency/.test(second);
  });
}

const OUTCOMES = [
  ...["errors", "error_rate", "denied", "rate_limited"],
  ...["latency_avg", "latency_p50", "latency_p95", "latency_p99"],
];

/** “Requests to /v1/chat that failed” are errors, not requests and errors. */
export function dropCounted(text: string, marked: FoundMeasures["marked"]): string[] {
  const measures = [...new Set(marked.flat())];
  const isBoth = /#m\d[^#]*(?:\band\b|,|\bversus\b|\bplus\b|\bto\b|\bwith\b|\bby\b)[^#]*#m\d/.test(
    text,
  );
  const isCounted = measures.length === 2 && measures.some((name) => OUTCOMES.includes(name));
  const counted = measures.includes("error_rate") ? ["requests", "errors"] : ["requests"];
  return isCounted && !isBoth ? measures.filter((name) => !counted.includes(name)) : measures;
}
