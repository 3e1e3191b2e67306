import { DAY_MS } from "../../time/zoned-buckets.ts";
import { move, startOf, toDay, wholeUnit } from "../calendar.ts";
import { type RangeRule, toPattern } from "./range-rule.ts";
import {
  DAY,
  LAST,
  LAST_OF_YEAR,
  MONTH,
  NUMBER,
  OF_YEAR,
  THIS,
  toMonth,
  toNumber,
  toOrdinal,
  toUnit,
  UNIT,
  WEEKDAY,
  WEEKDAY_NAMES,
  YEAR,
} from "./range-words.ts";
import {
  type FoundRange,
  inNearestYear,
  ofMonths,
  type QuestionClock,
  thisUnit,
  toWeekdayRange,
  trailing,
} from "./relative-range.ts";

/** Ways to name one range of the calendar. They may also be the ends of a longer one. */
const ATOMS: readonly RangeRule[] = [
  {
    pattern: `(?:the )?(?:start|beginning) of (${MONTH})${OF_YEAR}`,
    read: (clock, [month = "", year]) =>
      inNearestYear(clock, year, (at) => toDay(at, toMonth(month), 1)),
  },
  {
    pattern: `(?:the )?(first|last) (${NUMBER}) (day|week)s (?:of|in) (?:(${MONTH})${OF_YEAR}|(last|this|the previous|the current) (month|quarter|year))`,
    read: (clock, [end, count, unit = "", month, year, which = "", whole = ""]) => {
      const days = (toNumber(count) ?? 1) * (unit === "week" ? 7 : 1);
      const range = month
        ? inNearestYear(clock, year, (at) => ofMonths(at, toMonth(month), 1))
        : wholeUnit(toUnit(whole), clock.nowMs, /last|previous/.test(which) ? -1 : 0);
      return (
        range &&
        (end === "first"
          ? { fromMs: range.fromMs, toMs: move("day", range.fromMs, days) }
          : { fromMs: move("day", range.toMs, -days), toMs: range.toMs })
      );
    },
  },
  {
    pattern: `(?:the )?(first|second|third|fourth) week (?:of|in) (${MONTH})${OF_YEAR}`,
    read: (clock, [ordinal = "", month = "", year]) =>
      inNearestYear(clock, year, (at) => {
        const fromMs = Date.UTC(at, toMonth(month), 1 + 7 * toOrdinal(ordinal));
        return { fromMs, toMs: fromMs + 7 * DAY_MS };
      }),
  },
  {
    pattern: `(?:the )?(?:calendar )?week (?:of|from|starting|beginning|commencing)(?: on)? (?:the )?(?:(${DAY})(?: of)? (${MONTH})|(${MONTH}) (${DAY}))`,
    read: (clock, [day, month, otherMonth, otherDay]) =>
      inNearestYear(clock, undefined, (at) => {
        const name = month || otherMonth || "";
        const found = toDay(at, toMonth(name), Number.parseInt(day || otherDay || "", 10));
        return found === undefined ? undefined : wholeUnit("week", found.fromMs);
      }),
  },
  {
    pattern: "(?:the )?day before yesterday",
    read: ({ nowMs }) => wholeUnit("day", nowMs, -2),
  },
  { pattern: "yesterday", read: ({ nowMs }) => wholeUnit("day", nowMs, -1) },
  { pattern: "today|this day|midnight", read: ({ nowMs }) => wholeUnit("day", nowMs) },
  { pattern: "tomorrow", read: ({ nowMs }) => wholeUnit("day", nowMs, 1) },
  {
    pattern: "(\\d{4})-(\\d{2})-(\\d{2})",
    read: (_, [year, month, day]) => toDay(Number(year), Number(month) - 1, Number(day)),
  },
  {
    pattern: "(\\d{4})-(0[1-9]|1[0-2])",
    read: (_, [year, month]) => ofMonths(Number(year), Number(month) - 1, 1),
  },
  {
    pattern: `(?:the )?(${DAY})(?: of)? (${MONTH})${OF_YEAR}`,
    read: (clock, [day = "", month = "", year]) =>
      inNearestYear(clock, year, (at) => toDay(at, toMonth(month), Number.parseInt(day, 10))),
  },
  {
    pattern: `(${MONTH}) (?:the )?(${DAY})${OF_YEAR}(?! days| weeks)`,
    read: (clock, [month = "", day = "", year]) =>
      inNearestYear(clock, year, (at) => toDay(at, toMonth(month), Number.parseInt(day, 10))),
  },
  {
    pattern: `(?:(?:the )?(?:month of )?|last |this |next )(${MONTH})${OF_YEAR}`,
    read: (clock, [month = "", year]) =>
      inNearestYear(clock, year, (at) => ofMonths(at, toMonth(month), 1)),
  },
  {
    pattern: `(${YEAR})[ -]?q([1-4])`,
    read: (_, [year, quarter]) => ofMonths(Number(year), (Number(quarter) - 1) * 3, 3),
  },
  {
    pattern: `(?:the )?(?:q ?|quarter )([1-4])${OF_YEAR}`,
    read: (clock, [quarter, year]) =>
      inNearestYear(clock, year, (at) => ofMonths(at, (Number(quarter) - 1) * 3, 3)),
  },
  {
    pattern: `(?:the )?last (month|quarter|half) of (?:the year )?(${YEAR}|(?:last|this) year)`,
    read: (clock, [unit = "", year]) => {
      const months = LAST_OF_YEAR[unit] ?? 1;
      return inNearestYear(clock, year, (at) => ofMonths(at, 12 - months, months));
    },
  },
  {
    pattern: `(?:the )?last day of (${MONTH})${OF_YEAR}`,
    read: (clock, [month = "", year]) =>
      inNearestYear(clock, year, (at) => {
        const { toMs } = ofMonths(at, toMonth(month), 1);
        return { fromMs: toMs - DAY_MS, toMs };
      }),
  },
  {
    pattern: `(?:the )?(first|second|third|fourth|1st|2nd|3rd|4th) quarter${OF_YEAR}`,
    read: (clock, [quarter = "", year]) =>
      inNearestYear(clock, year, (at) => ofMonths(at, toOrdinal(quarter) * 3, 3)),
  },
  {
    pattern: `(?:h([12])|(?:the )?(first|second|1st|2nd) half)${OF_YEAR}`,
    read: (clock, [digit, word, year]) =>
      inNearestYear(clock, year, (at) => ofMonths(at, toOrdinal(digit || word || "first") * 6, 6)),
  },
  {
    pattern: `(?:the |(?:the )?(?:${LAST}|past) |this (?:past )?)?weekend`,
    read: ({ nowMs }) => {
      const saturday = move("day", startOf("week", nowMs), -2);
      return { fromMs: saturday, toMs: saturday + 2 * DAY_MS };
    },
  },
  {
    pattern: `(?:the )?(${WEEKDAY}),? (?:of |in )?(?:the )?(last|previous|this|current) week|(?:the )?(last|previous|this) week(?:'s| on|,)? (${WEEKDAY})`,
    read: ({ nowMs }, [name, which, otherWhich, otherName]) => {
      const steps = /last|previous/.test(which || otherWhich || "") ? -1 : 0;
      const day = WEEKDAY_NAMES.indexOf((name || otherName || "").slice(0, 3));
      return wholeUnit("day", move("day", wholeUnit("week", nowMs, steps).fromMs, day));
    },
  },
  {
    pattern: `(?:${LAST} |past |this (?:past )?|next |the )?(${WEEKDAY})`,
    read: (clock, [name = ""]) => toWeekdayRange(clock, name),
  },
  {
    pattern: "the (\\d{1,2}(?:st|nd|rd|th))(?! (?:hours?|days?|weeks?|months?))",
    read: ({ nowMs }, [text = ""]) => {
      const day = Number.parseInt(text, 10);
      const found = [0, -1].map((step) => {
        const month = new Date(move("month", startOf("month", nowMs), step));
        return toDay(month.getUTCFullYear(), month.getUTCMonth(), day);
      });
      return found.find((range) => range !== undefined && range.fromMs <= nowMs);
    },
  },
  {
    pattern: `(?:the )?(?:${LAST}|past) (?:billing|invoice|invoicing) (?:period|cycle|month)`,
    read: ({ billingPeriod: { fromMs, toMs } }) => {
      const date = new Date(fromMs);
      // Periods that start on the first are months; others are as long as this one.
      const isMonthly = move("month", fromMs, 1) === toMs && date.getUTCDate() === 1;
      return { fromMs: isMonthly ? move("month", fromMs, -1) : 2 * fromMs - toMs, toMs: fromMs };
    },
  },
  {
    pattern: `(?:${THIS}|the) (?:billing |invoice |invoicing )(?:period|cycle|month)`,
    read: ({ billingPeriod }) => billingPeriod,
  },
  {
    pattern: `the (?:${UNIT}) before (?:the )?last|(?:the )?(${UNIT}) before last`,
    read: ({ nowMs }, [unit = "week"]) => wholeUnit(toUnit(unit), nowMs, -2),
  },
  {
    pattern: `(?:the )?${LAST} (?:full|whole|complete) (day|week|month|quarter|year)`,
    read: ({ nowMs }, [unit = ""]) => wholeUnit(toUnit(unit), nowMs, -1),
  },
  {
    pattern: `(?:the )?${LAST} (${UNIT})`,
    read: (clock, [word = ""]) => {
      const unit = toUnit(word);
      return unit === "minute" || unit === "hour"
        ? trailing(clock, 1, unit)
        : wholeUnit(unit, clock.nowMs, -1);
    },
  },
  {
    pattern: `${THIS} (${UNIT})`,
    read: (clock, [unit = ""]) => thisUnit(clock, toUnit(unit)),
  },
  {
    pattern: `(?:the )?(?:next|coming|following|upcoming) (${UNIT})`,
    read: ({ nowMs }, [unit = ""]) => wholeUnit(toUnit(unit), nowMs, 1),
  },
  {
    pattern: `(${NUMBER}) (minute|hour|day|week|month|quarter|year)s? ago`,
    read: ({ nowMs }, [count, unit = ""]) =>
      wholeUnit(toUnit(unit), nowMs, -(toNumber(count) ?? 1)),
  },
  {
    pattern: `(?:the )?(?:start|beginning) of (?:the |this )?(${UNIT})`,
    read: ({ nowMs }, [unit = ""]) => wholeUnit("day", startOf(toUnit(unit), nowMs)),
  },
  {
    pattern: "(?:of|in|during|over|for) the (week|month|quarter|year)(?= (?:#|,)|$)",
    read: (clock, [unit = ""]) => thisUnit(clock, toUnit(unit)),
  },
  {
    pattern: `(?:the year )?(${YEAR})`,
    read: (_, [year]) => ofMonths(Number(year), 0, 12),
  },
];

/** The same, to read a text that is one range and to find one anywhere. */
export const CALENDAR_READERS = ATOMS.map(({ pattern, read }) => ({
  whole: new RegExp(`^(?:${pattern})$`),
  anywhere: toPattern(pattern),
  read,
}));

/** Reads a text that is one range of the calendar. */
export function readAtom(clock: QuestionClock, text: string): FoundRange | undefined {
  for (const { whole, read } of CALENDAR_READERS) {
    const match = whole.exec(text);
    // Groups that took no part are the absent ones of their rule.
    const range = match === null ? undefined : read(clock, match.slice(1));
    if (range !== undefined) {
      return range;
    }
  }
  return;
}
