import { said } from "../../text/said.ts";
import { move, toWeekday, wholeUnit } from "../calendar.ts";
import { readAtom } from "./calendar-rules.ts";
import type { RangeRule } from "./range-rule.ts";
import { DAY, MONTH, NUMBER, toNumber, toUnit, WEEKDAY } from "./range-words.ts";
import { endOfToday, type FoundRange, type QuestionClock, trailing } from "./relative-range.ts";

const BARE_DAY = `(?:the )?${DAY}`;
/** A calendar range that is found already. */
const ATOM = "#a\\d";
const ONLY_WEEKDAY = new RegExp(`^(?:last |this )?${WEEKDAY}$`);
const NAMED_MONTH = new RegExp(MONTH);
const BARE = new RegExp(`^(?:the )?(${DAY})$`);

/** The two ends of “3 and 9 June”: an end without a month has that of the other. */
function readEnds(clock: QuestionClock, one: string, other: string): FoundRange | undefined {
  const month = NAMED_MONTH.exec(one)?.[0] ?? NAMED_MONTH.exec(other)?.[0];
  const complete = (end: string) => {
    const day = BARE.exec(end)?.[1];
    return day === undefined || month === undefined ? end : `${day} ${month}`;
  };
  const last = readAtom(clock, complete(other));
  const first = readAtom(clock, complete(one));
  if (first === undefined || last === undefined) {
    return;
  }
  if (ONLY_WEEKDAY.test(other)) {
    // The first of that weekday after the start: “from Monday to Wednesday” may end today.
    const days = (toWeekday(last.fromMs) - toWeekday(first.fromMs) + 7) % 7;
    const range = { fromMs: first.fromMs, toMs: move("day", first.fromMs, days + 1) };
    // “From Tuesday to Thursday” on a Wednesday is that of the week before.
    return clock.isFuture || range.toMs <= endOfToday(clock)
      ? range
      : { fromMs: move("week", range.fromMs, -1), toMs: move("week", range.toMs, -1) };
  }
  // “November to February” begins in the year before.
  const fromMs = first.fromMs < last.toMs ? first.fromMs : move("year", first.fromMs, -1);
  return { fromMs, toMs: last.toMs };
}

/** What is made of calendar ranges. They are marks in these patterns, and texts again when they are read. */
export const JOINS: readonly RangeRule[] = [
  {
    pattern: `(?:between|from|starting|starting from) (${ATOM}|${BARE_DAY}) (?:and|to|until|till|through|thru|up to|-) (${ATOM}|${BARE_DAY})`,
    read: (clock, [one = "", other = ""]) => readEnds(clock, one, other),
  },
  {
    pattern: `(${ATOM}|${BARE_DAY}) ?(?:to|until|till|through|thru|-) ?(${ATOM})`,
    read: (clock, [one = "", other = ""]) => readEnds(clock, one, other),
  },
  {
    pattern: `(?:in |on |during |for )?(${ATOM}) (?:and|&) (${ATOM})`,
    read: (clock, [one = "", other = ""]) => {
      const range = readEnds(clock, one, other);
      const first = readAtom(clock, one);
      const last = readAtom(clock, other);
      return first !== undefined && first.toMs === last?.fromMs ? range : undefined;
    },
  },
  {
    pattern: `(${ATOM}) ?(?:and|to|until|till|through|thru|-) ?(${BARE_DAY})(?! ?%)`,
    read: (clock, [one = "", other = ""]) => readEnds(clock, one, other),
  },
  {
    pattern: `(?:(?:since|starting|starting from|beginning|ever since|after) (?:on |in )?(${ATOM})(?: (?:on|onwards?))?(?: (?:until now|till now|up to now|to now|until today|to date))?|from (${ATOM}) (?:on|onwards?|until now|till now|up to now|to now|until today|to date))`,
    read: (clock, [since, from]) => {
      const range = readAtom(clock, since || from || "");
      return range && { fromMs: range.fromMs, toMs: endOfToday(clock) };
    },
  },
  {
    pattern: `(?:in |on |for |during |over |of |from |within )*(?:so far (?:in |this )?(${ATOM})|(${ATOM}) (?:so far|to date|until now|till now|up to now|until today))`,
    read: (clock, [one, other]) => {
      const range = readAtom(clock, one || other || "");
      return range && { fromMs: range.fromMs, toMs: Math.min(range.toMs, endOfToday(clock)) };
    },
  },
  {
    pattern: `(?:in |on |for |during |over |of |from |within |throughout |through |at )*(?:(?:the )?(?:all|whole|entire|full|complete)(?: of)? |the month of )?(${ATOM})`,
    read: (clock, [text = ""]) => readAtom(clock, text),
  },
  {
    pattern: `(?:in |within |during |over |since |for )?(?:the )?(${NUMBER}) (minute|hour|day|week|month|year)s?(?! (?:ago|before|earlier))`,
    read: (clock, [count, unit = ""]) => trailing(clock, toNumber(count) ?? 1, toUnit(unit)),
  },
  {
    pattern:
      "right now|just now|as of now|at the moment|at present|presently|currently|(?<=\\S )now(?= ,|$)",
    read: (clock) => ({ ...wholeUnit("day", clock.nowMs), assumed: said("now: today") }),
  },
];
