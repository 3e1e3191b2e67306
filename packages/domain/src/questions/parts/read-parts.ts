import { said } from "../../text/said.ts";
import { findGrowth } from "../find-comparison.ts";
import { findDimensions } from "../find-dimensions.ts";
import { takeIntent } from "../find-intent.ts";
import { type FoundMeasures, findMeasures } from "../find-measures.ts";
import { findRanking } from "../find-ranking.ts";
import { findBounds, findThreshold } from "../find-threshold.ts";
import type { FoundValues } from "../find-values.ts";
import { listUnaccounted, type UnknownWord } from "../list-unaccounted.ts";
import { take } from "../phrase.ts";
import type { QuestionMeter, VocabularyIndex } from "../question-vocabulary.ts";
import type { QuestionClock } from "../ranges/relative-range.ts";
import {
  dropCounted,
  findMeter,
  isMedianOfCalls,
  listAmbiguousMeasures,
} from "./choose-measures.ts";
import { applyThresholds, findConflicts, toNoneFilter } from "./find-conflicts.ts";
import { findContrast, findFilters, type MarkedValues, markValues } from "./find-mentions.ts";
import { takeMethods, takeStatuses } from "./find-statuses.ts";
import { prepareQuestion } from "./prepare-question.ts";
import type { QuestionParts } from "./question-parts.ts";
import { type FoundPeriod, readPeriod } from "./read-period.ts";

/** “Which keys made no calls”. */
const NONE =
  /(?<![\w#])(?:(?:have|has|had|did|do|does|with|that|who) )*(?:not|no|never|zero|without)(?: (?:made|make|had|have|a|an|any|sent|seen|single|got|get|gotten|received|returned|produced|caused|hit|been|used))* #m\d/;
/** “Which of our customers uses the most” is one. */
const ONE_OF_MANY =
  /\b(?:which|who|what)(?: single)?(?: one)? of (?:our |the |my |all |these )*\w+ (?:is|was|has|does|uses|makes|pays|gets|\w+s)\b/;

/** Measures and breakdowns that do not go with each other. */
function listMisfits(
  text: string,
  of: {
    marked: MarkedValues;
    values: FoundValues;
    found: FoundMeasures;
    meter: QuestionMeter | undefined;
    measures: readonly string[];
  },
): UnknownWord[] {
  const { marked, values, meter, measures } = of;
  const misfits: UnknownWord[] = [];
  // “Requests of the large model”: calls have no model.
  if (meter !== undefined && measures.length > 0 && !measures.includes(meter.slug)) {
    misfits.push({ word: meter.slug, place: "conflict" });
  }
  if (isMedianOfCalls(text, of.found)) {
    misfits.push({ word: "median", place: "conflict" });
  }
  const badRoute = /(?:\b(?:by|per)) (#v\d+)/.exec(text);
  if (badRoute !== null && marked.get(badRoute[1] ?? "")?.field === "route") {
    misfits.push({
      word: values.found[Number(badRoute[1]?.slice(2))]?.typed ?? "",
      place: "dimension",
    });
  }
  return misfits;
}

type PeriodParts = Pick<QuestionParts, "range" | "grain" | "compare" | "shiftsBy">;

/** Only what is there: a follow-up keeps the rest of the question before. */
function toPeriodParts(
  { range, grain, compare, shiftsBy }: FoundPeriod,
  { isForecast, isGrowth }: { isForecast: boolean; isGrowth: boolean },
): PeriodParts {
  return {
    ...(range === undefined ? {} : { range }),
    // “How will traffic develop” is no series.
    ...(grain === undefined || (grain === "trend" && isForecast) ? {} : { grain }),
    ...(compare === undefined
      ? isGrowth
        ? { compare: "previous_period" as const }
        : {}
      : { compare }),
    ...(shiftsBy === undefined ? {} : { shiftsBy }),
  };
}

/** Reads what one question says by itself. */
export function readParts(
  index: VocabularyIndex,
  question: string,
  time: Omit<QuestionClock, "isFuture" | "isSeries">,
): QuestionParts {
  const prepared = prepareQuestion(index, question);
  const { phrase, spelt, values, intent, isAction, isOnPeak } = prepared;
  const isForecast = intent === "forecast";
  const period = readPeriod(phrase, { intent, time });
  const bounds = findBounds(phrase);
  const single = bounds === undefined ? findThreshold(phrase) : undefined;
  const limits = bounds ?? (single === undefined ? [] : [single]);
  const statuses = takeStatuses(phrase);
  const methods = takeMethods(phrase, index.vocabulary.methods);
  const isGrowth = intent === undefined && findGrowth(phrase);
  const found = findMeasures(phrase, index);
  const isOneOfMany = ONE_OF_MANY.test(phrase.text);
  if (intent !== undefined) {
    takeIntent(phrase, intent);
  }
  const broken = findDimensions(phrase, index, {
    values: values.found,
    isOfInvoices: found.marked.some(([measure]) => measure === "invoices"),
  });
  if (isOneOfMany && broken[0] !== undefined) {
    broken[0] = { ...broken[0], isPlural: false };
  }
  const isNone = broken.length > 0 && take(phrase, NONE, "#m0") !== undefined;
  const ranking = findRanking(phrase);
  const marked = markValues(phrase, { values: values.found, statuses, methods });
  const filters = findFilters(phrase, marked);
  const { assumed } = values;
  if (statuses.some(({ field, values: [one] }) => field === "invoice_status" && one === "open")) {
    assumed.push(said("unpaid: open"));
  }
  const contrast = findContrast(phrase, { spelt, marked });
  if (contrast?.dimension !== undefined) {
    broken.push(contrast.dimension);
  }
  let measures: readonly string[] = dropCounted(phrase.text, found.marked);
  const measuresAssumed = [...found.assumed];
  const meter = findMeter(index, [...filters, ...broken]);
  if (found.isUsage && meter !== undefined) {
    measures = [meter.slug];
    measuresAssumed.splice(measuresAssumed.indexOf("usage: requests"), 1);
  }
  const none = isNone ? toNoneFilter(measures) : undefined;
  // A forecast is one figure: “more than a million” is what it is compared with.
  if (limits.length > 0 && isForecast) {
    assumed.push(said("the forecast itself, to compare with the number"));
  }
  const thresholds = applyThresholds(phrase.text, {
    limits: isForecast ? [] : limits,
    found,
    measures,
  });
  measures = thresholds.measures;
  // What is compared is a period, two values, the values of a dimension, or several measures.
  const compares =
    period.compare !== undefined ||
    isGrowth ||
    contrast !== undefined ||
    broken.length > 0 ||
    measures.length > 1 ||
    intent !== undefined;
  const unknown = listUnaccounted({
    text: phrase.text,
    intent,
    measures,
    dimensions: broken.map(({ field }) => field),
    filters,
    compares,
    isRanked: ranking !== undefined,
    hasThreshold: limits.length > 0 && !isForecast,
    isSeries: period.grain !== undefined,
  });
  return {
    ...(intent === undefined ? {} : { intent }),
    measures,
    dimensions: broken,
    filters: [...filters, ...(none?.filters ?? []), ...thresholds.filters],
    ...toPeriodParts(period, { isForecast, isGrowth }),
    ...(ranking === undefined ? {} : { ranking }),
    kept: [],
    assumed,
    measuresAssumed,
    ambiguous: [...values.ambiguous, ...listAmbiguousMeasures(phrase.text, found, index)],
    unknown: [
      ...unknown,
      ...(none?.conflicts ?? []),
      ...findConflicts({ text: phrase.text, marked, bounds, isOnPeak }),
      ...thresholds.conflicts,
      ...listMisfits(phrase.text, { marked, values, found, meter, measures }),
      ...(period.unlike === undefined
        ? []
        : [{ word: period.unlike, place: "comparison" as const }]),
    ],
    isAction,
    text: phrase.text,
  };
}
