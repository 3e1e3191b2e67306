import type { Grain } from "../../time/zoned-buckets.ts";
import { move } from "../calendar.ts";
import {
  type FoundComparison,
  findComparison,
  findSecondRange,
  findStep,
  isLike,
} from "../find-comparison.ts";
import { findGrain } from "../find-grain.ts";
import type { QuestionIntent } from "../find-intent.ts";
import { type Phrase, take } from "../phrase.ts";
import { findRange } from "../ranges/find-range.ts";
import {
  allTime,
  type FoundRange,
  type QuestionClock,
  runningRange,
} from "../ranges/relative-range.ts";

export type FoundPeriod = {
  readonly range: FoundRange | undefined;
  readonly grain: Grain | "trend" | undefined;
  readonly compare: FoundComparison | undefined;
  readonly shiftsBy: string | undefined;
  /** The words of a comparison with a period that is unlike the range. */
  readonly unlike: string | undefined;
};

const SHIFT =
  /(?:the )?(day|week|month|quarter|year|period|one) (?:before(?: (?:that|it))?|earlier|prior)(?![\w-])/;
const LAST_ONE = /\b(?:last|previous|prior)\b/;

/** Takes the range, the grain and the comparison of periods out of a phrase. */
export function readPeriod(
  phrase: Phrase,
  {
    intent,
    time,
  }: {
    intent: QuestionIntent | undefined;
    time: Omit<QuestionClock, "isFuture" | "isSeries">;
  },
): FoundPeriod {
  const step = findStep(phrase.text);
  let compared = findComparison(phrase);
  let grain = findGrain(phrase);
  const clock: QuestionClock = {
    ...time,
    isFuture: intent === "forecast",
    isSeries: grain === "week" || grain === "month",
  };
  const named =
    findRange(phrase, clock) ??
    (compared?.unit !== undefined && LAST_ONE.test(compared.text)
      ? runningRange(clock, compared.unit)
      : undefined) ??
    // What is owed is owed now, however long ago it was invoiced.
    (take(phrase, /\bowed\b/) === undefined ? undefined : allTime(clock));
  if (step !== undefined && named !== undefined && named.toMs > move(step, named.fromMs, 2)) {
    compared = undefined;
    grain = step;
  }
  const unlike =
    compared !== undefined && named !== undefined && !isLike(compared, named, time.nowMs)
      ? compared.text
      : undefined;
  const second =
    compared === undefined && named !== undefined
      ? findSecondRange(phrase, clock, named)
      : undefined;
  const range = second?.range ?? named;
  const compare = compared?.compare ?? second?.compare;
  const shiftsBy = range === undefined ? take(phrase, SHIFT)?.[1] : undefined;
  return { range, grain, compare, shiftsBy, unlike };
}
