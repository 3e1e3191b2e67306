import type { QuestionIntent } from "./find-intent.ts";
import type { QuestionParts } from "./parts/question-parts.ts";

/** Words in front of a question that say nothing about it. */
const OPENER = /^(?:(?:ok|okay|so|well|alright|right|great|thanks|thank you|hm+|yes|no)\b[ ,]*)+/;
/** Goes on from what was asked, also with a subject of its own. */
const GOES_ON = /^(?:and|also|what about|how about|same|only|just|but|or)\b/;
/** Goes on as well, unless a whole question comes after it: “then which route is the slowest?”. */
const MAY_GO_ON =
  /^(?:now|then|without|excluding|except|compared|versus|why|by|per|split|broken|break|for|in|on|of|with|as|sort|sorted|order|rank|group|grouped|exclude|include|limit|restrict|filter|narrow)\b/;
/** Changes how figures are shown; with its own measure and breakdown it is a whole question: “rank routes by latency”. */
const REARRANGES =
  /^(?:(?:now|then) )?(?:split|broken|break|sort|sorted|order|rank|group|grouped|exclude|include|limit|restrict|filter|narrow)\b/;
/** Where the clause of a question starts. */
const LEAD =
  /(?:^|[ ,])(?:how (?:many|much|often|high|low|fast|slow|long)|number of|what|which|who|whose|when|where|why|is|are|was|were|do|does|did|has|have|had|can|will|show|list|give|tell|plot|count|compare)\b/;
const COUNTS = /(?:^|[ ,])(?:how many|number of|count)\b/;
/** What only the question before can say: “how many of those were errors?”. */
const POINTS_BACK =
  /\b(?:of|for|by|from|with) (?:those|these|them|it)\b(?! (?:last|past|\d|few|two|three))/;
const WHY = /^(?:(?:but|and|so|then) )?(?:why|how come|what caused|what happened)\b/;

/** Intents that say what is asked by themselves: nothing is left for a question before to say. */
const STANDING: ReadonlySet<QuestionIntent | undefined> = new Set<QuestionIntent>([
  "quota",
  "invoice",
  "advice",
  "risk",
]);

/** What is asked about: a measure, a word that ranks by one (“slowest”), calls of a status, or a standing such as the quota. */
function hasSubject(text: string, parts: QuestionParts): boolean {
  const { measures, ranking, dimensions, filters, intent } = parts;
  const ranksByMeasure =
    ranking?.measure !== undefined && !ranking.isJudgement && dimensions.length > 0;
  const isOf = (pattern: RegExp) => filters.some(({ field }) => pattern.test(field));
  const countsCalls =
    (isOf(/^status/) && LEAD.test(text)) || (isOf(/^method$/) && COUNTS.test(text));
  return measures.length > 0 || ranksByMeasure || countsCalls || STANDING.has(intent);
}

/** True where a question says anything that can change the one before. */
function changesAnything(parts: QuestionParts): boolean {
  const { intent, ranking, dimensions, filters, range, grain, compare, shiftsBy } = parts;
  return (
    dimensions.length > 0 ||
    filters.length > 0 ||
    [intent, ranking, range, grain, compare, shiftsBy].some((part) => part !== undefined)
  );
}

/**
 * True where a question goes on from the one before rather than by itself. One with a subject of its own starts afresh, unless it says
 * that it goes on (“and errors?”, “how many of those …”).
 *
 * @param before - What the question before was read as.
 */
export function isFollowUp(question: string, before: QuestionParts, parts: QuestionParts): boolean {
  const text = question
    .trim()
    .toLowerCase()
    .replace(/^[, ]+/, "")
    .replace(OPENER, "");
  if (STANDING.has(before.intent)) {
    // The quota or the next invoice has no figures to go on from.
    return false;
  }
  if (!hasSubject(text, parts)) {
    return changesAnything(parts);
  }
  if (STANDING.has(parts.intent)) {
    return false;
  }
  if (GOES_ON.test(text) || POINTS_BACK.test(text)) {
    return true;
  }
  if (WHY.test(text)) {
    // “Why did errors jump?” after “errors of Globex” is about these; “why are calls denied?” is not.
    const isSame = parts.measures.every((measure) => before.measures.includes(measure));
    return isSame && parts.measures.length > 0;
  }
  if (REARRANGES.test(text)) {
    return !(parts.measures.length > 0 && parts.dimensions.length > 0);
  }
  return MAY_GO_ON.test(text) && !LEAD.test(text);
}
