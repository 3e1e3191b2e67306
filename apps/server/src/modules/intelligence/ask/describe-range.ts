import { said } from "@turnpike/domain/text/said";
import type { Grain } from "@turnpike/domain/time/zoned-buckets";
import type { AnswerWords } from "./answer-words.ts";

const MONTH: Intl.DateTimeFormatOptions = { month: "long", year: "numeric" };
const DAY: Intl.DateTimeFormatOptions = { day: "numeric", ...MONTH };
const DAY_OF_YEAR: Intl.DateTimeFormatOptions = { day: "numeric", month: "long" };
const CLOCK: Intl.DateTimeFormatOptions = {
  hour: "2-digit",
  minute: "2-digit",
  hourCycle: "h23",
};

/** A range in a sentence, “from 6 to 12 July 2026”, and by itself, “6 to 12 July 2026”. */
export type RangeText = { readonly during: string; readonly dates: string };

type LocalDay = { text: string; isMidnight: boolean; day: number; month: number; year: number };

function dayOf(words: AnswerWords, ms: number, timeZone: string): LocalDay {
  const parts = new Map(
    new Intl.DateTimeFormat("en-GB", {
      timeZone,
      day: "numeric",
      month: "numeric",
      year: "numeric",
      ...CLOCK,
    })
      .formatToParts(ms)
      .map(({ type, value }) => [type, Number(value)]),
  );
  return {
    text: words.time(timeZone, DAY)(ms),
    isMidnight: parts.get("hour") === 0 && parts.get("minute") === 0,
    day: parts.get("day") ?? 0,
    month: parts.get("month") ?? 0,
    year: parts.get("year") ?? 0,
  };
}

/** “14 July 2026, 13:00”. */
function writeInstant(
  { time }: AnswerWords,
  ms: number,
  { timeZone, day }: { timeZone: string; day: Intl.DateTimeFormatOptions },
): string {
  return `${time(timeZone, day)(ms)}, ${time(timeZone, CLOCK)(ms)}`;
}

function describeMonths(
  { say, time }: AnswerWords,
  {
    first,
    months,
    timeZone,
  }: { first: LocalDay & { ms: number }; months: number; timeZone: string },
): RangeText | undefined {
  const year = String(first.year);
  if (months === 12 && first.month === 1) {
    return { during: say(said("in {0}"), year), dates: year };
  }
  if (months === 1) {
    const month = time(timeZone, { month: "long" })(first.ms);
    return { during: say(said("in {0} {1}"), month, year), dates: `${month} ${year}` };
  }
  return;
}

function describeDays(
  words: AnswerWords,
  { fromMs, toMs }: { fromMs: number; toMs: number },
  timeZone: string,
): RangeText {
  const { say, time } = words;
  const first = dayOf(words, fromMs, timeZone);
  const end = dayOf(words, toMs, timeZone);
  if (first.day === 1 && end.day === 1) {
    const months = 12 * (end.year - first.year) + end.month - first.month;
    const whole = describeMonths(words, { first: { ...first, ms: fromMs }, months, timeZone });
    if (whole !== undefined) {
      return whole;
    }
  }
  const last = dayOf(words, toMs - 1, timeZone);
  if (first.text === last.text) {
    return { during: say(said("on {0}"), first.text), dates: first.text };
  }
  if (first.year === last.year && first.month === last.month) {
    const month = time(timeZone, { month: "long" })(fromMs);
    const days = [String(first.day), String(last.day), month, String(first.year)];
    return {
      during: say(said("from {0} to {1} {2} {3}"), ...days),
      dates: say(said("{0} to {1} {2} {3}"), ...days),
    };
  }
  const start = first.year === last.year ? time(timeZone, DAY_OF_YEAR)(fromMs) : first.text;
  return {
    during: say(said("from {0} to {1}"), start, last.text),
    dates: say(said("{0} to {1}"), start, last.text),
  };
}

/** A range as people write it: “on 13 July 2026”, “in June 2026”, “from 6 to 12 July 2026”. `toMs` is exclusive, the text is not. */
export function describeRange(
  words: AnswerWords,
  range: { fromMs: number; toMs: number },
  timeZone: string,
): RangeText {
  const { fromMs, toMs } = range;
  const { say, time } = words;
  const zone = ` (${timeZone})`;
  const isWhole = [fromMs, toMs].every((ms) => dayOf(words, ms, timeZone).isMidnight);
  if (fromMs !== 0 && !isWhole) {
    const [start, end] = [fromMs, toMs].map((ms) =>
      writeInstant(words, ms, { timeZone, day: DAY }),
    );
    return {
      during: `${say(said("from {0} to {1}"), start ?? "", end ?? "")}${zone}`,
      dates: `${say(said("{0} to {1}"), start ?? "", end ?? "")}${zone}`,
    };
  }
  const until = say(said("until {0}"), time(timeZone, DAY)(toMs - 1));
  const { during, dates } =
    fromMs === 0 ? { during: until, dates: until } : describeDays(words, range, timeZone);
  return timeZone === "UTC"
    ? { during, dates }
    : { during: `${during}${zone}`, dates: `${dates}${zone}` };
}

/** When a step of a series was: “on 14 July”, “on 14 July, 13:00”, “in June 2026”. */
export function describeStep(
  words: AnswerWords,
  { time, grain, timeZone }: { time: string; grain: Grain; timeZone: string },
): string {
  const ms = Date.parse(time);
  const { say } = words;
  switch (grain) {
    case "month": {
      const [month, year] = [{ month: "long" }, { year: "numeric" }] as const;
      return say(
        said("in {0} {1}"),
        words.time(timeZone, month)(ms),
        words.time(timeZone, year)(ms),
      );
    }
    case "week":
      return say(said("in the week of {0}"), words.time(timeZone, DAY_OF_YEAR)(ms));
    case "day":
      return say(said("on {0}"), words.time(timeZone, DAY_OF_YEAR)(ms));
    default:
      return say(said("on {0}"), writeInstant(words, ms, { timeZone, day: DAY_OF_YEAR }));
  }
}
