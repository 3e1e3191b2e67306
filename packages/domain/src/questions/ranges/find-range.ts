import { said } from "../text/said.ts";
import { DAY_MS, HOUR_MS } from "../time/zoned-buckets.ts";
import {
  type LocalRange,
  move,
  type QuestionUnit,
  startOf,
  toDay,
  toWeekday,
  wholeUnit,
} from "./calendar.ts";
import { type Phrase, take } from "./phrase.ts";

/** What ranges are relative to. */
export type QuestionClock = {
  readonly nowMs: number;
  readonly billingPeriod: LocalRange;
  /** Months and weekdays without a year are the next ones when the question is about the future. */
  readonly isFuture: boolean;
  /** Several whole units rather than the time until now: a series of months starts with a whole one. */
  readonly isSeries: boolean;
};

export type FoundRange = LocalRange & {
  readonly assumed?: string;
  /** For “this month” and the like, which end now: the whole unit. */
  readonly unit?: QuestionUnit;
};

const MONTH_NAMES = "jan feb mar apr may jun jul aug sep oct nov dec".split(" ");
const WEEKDAY_NAMES = "mon tue wed thu fri sat sun".split(" ");
const NUMBERS = "zero one two three four five six seven eight nine ten eleven twelve".split(" ");
const MANY: Readonly<Record<string, number>> = {
  a: 1,
  an: 1,
  couple: 2,
  few: 3,
  fifteen: 15,
  twenty: 20,
  thirty: 30,
  sixty: 60,
  ninety: 90,
  dozen: 12,
};
const ORDINALS = "first second third fourth".split(" ");
/** “The last quarter of 2025”. */
const LAST_OF_YEAR: Readonly<Record<string, number>> = { month: 1, quarter: 3, half: 6 };

/** Words for numbers in patterns. */
export const NUMBER = `(?:\\d{1,4}|${[...NUMBERS, ...Object.keys(MANY)].join("|")})`;
const MONTH =
  "(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)";
const WEEKDAY =
  "(?:mon(?:day)?|tue(?:s(?:day)?)?|wed(?:nesday)?|thu(?:rs?(?:day)?)?|fri(?:day)?|sat(?:urday)?|sun(?:day)?)s?";
const UNIT = "(?:minute|hour|day|week|month|quarter|half|year)";
const DAY = "\\d{1,2}(?:st|nd|rd|th)?";
const YEAR = "20\\d\\d";
/** A year beside a month, a quarter or a half, by its number or from here. */
const OF_YEAR = `(?:,?(?: of| in)? (${YEAR}|(?:last|this|the previous|the|the current) year))?`;
const LAST = "(?:last|previous|prior|preceding)";
const THIS = "(?:this|the current|current)";

/** Digits or a word; `undefined` for neither. */
export function toNumber(word: string | undefined): number | undefined {
  if (word === undefined) {
    return;
  }
  if (/^\d+$/.test(word)) {
    return Number(word);
  }
  const small = NUMBERS.indexOf(word);
  return small >= 0 ? small : MANY[word];
}

const toMonth = (name: string) => MONTH_NAMES.indexOf(name.slice(0, 3));
const toOrdinal = (word: string) => {
  const found = ORDINALS.indexOf(word);
  return found >= 0 ? found : Number.parseInt(word, 10) - 1;
};
const toUnit = (word: string): QuestionUnit =>
  (word.endsWith("s") ? word.slice(0, -1) : word) as QuestionUnit;
const endOfToday = ({ nowMs }: QuestionClock) => startOf("day", nowMs) + DAY_MS;

/** The last year, up to this one, in which a range had begun; the next in which it has not ended, in the future. */
function inNearestYear(
  clock: QuestionClock,
  year: string | undefined,
  make: (year: number) => LocalRange | undefined,
): FoundRange | undefined {
  const current = new Date(clock.nowMs).getUTCFullYear();
  if (year !== undefined && year !== "") {
    const relative = /last|previous/.test(year) ? current - 1 : current;
    return make(/^\d/.test(year) ? Number(year) : relative);
  }
  if (clock.isFuture) {
    return [current, current + 1].map(make).find((range) => (range?.toMs ?? 0) > clock.nowMs);
  }
  return [current, current - 1]
    .map(make)
    .find((range) => range !== undefined && range.fromMs <= clock.nowMs);
}

function ofMonths(year: number, month: number, months: number): LocalRange {
  return { fromMs: Date.UTC(year, month, 1), toMs: Date.UTC(year, month + months, 1) };
}

function toWeekdayRange(clock: QuestionClock, name: string): LocalRange {
  const wanted = WEEKDAY_NAMES.indexOf(name.slice(0, 3));
  const today = startOf("day", clock.nowMs);
  const back = (toWeekday(today) - wanted + 7) % 7 || 7;
  return wholeUnit("day", move("day", today, clock.isFuture ? 7 - (back % 7) : -back));
}

/** Where units that go on end, for those of which a part may be meant. */
const UNTIL_NOW = {
  week: said("this week: Monday until now"),
  month: said("this month: its start until now"),
  quarter: said("this quarter: its start until now"),
  half: said("this half: its start until now"),
} as const;

function countWhole(count: number, unit: "week" | "month" | "quarter" | "half" | "year"): string {
  switch (unit) {
    case "week":
      return said(`${count} whole weeks`);
    case "month":
      return said(`${count} whole months`);
    case "quarter":
      return said(`${count} whole quarters`);
    case "half":
      return said(`${count} whole halfs`);
    case "year":
      return said(`${count} whole years`);
  }
}

function thisUnit(clock: QuestionClock, unit: QuestionUnit): FoundRange {
  const whole = wholeUnit(unit, clock.nowMs);
  if (clock.isFuture || unit === "day" || unit === "hour" || unit === "minute") {
    return whole;
  }
  if (unit === "year") {
    return { ...whole, assumed: said("this year: until its end") };
  }
  return { ...whole, toMs: endOfToday(clock), assumed: UNTIL_NOW[unit], unit };
}

/** The last `count` units until now, or until midnight when a unit is a day or longer. */
function trailing(clock: QuestionClock, count: number, unit: QuestionUnit): FoundRange {
  if (unit === "minute" || unit === "hour") {
    return { fromMs: move(unit, clock.nowMs, -count), toMs: clock.nowMs };
  }
  if (clock.isSeries && unit !== "day") {
    const toMs = startOf(unit, clock.nowMs);
    return { fromMs: move(unit, toMs, -count), toMs, assumed: countWhole(count, unit) };
  }
  const toMs = startOf("day", clock.nowMs);
  const fromMs = move(unit, toMs, -count);
  const days = Math.round((toMs - fromMs) / DAY_MS);
  return { fromMs, toMs, assumed: said(`${days} whole days until midnight`) };
}

/** A rule for one way to name a range; the groups are those of its pattern. */
type RangeRule = {
  readonly pattern: string;
  readonly read: (clock: QuestionClock, groups: readonly string[]) => FoundRange | undefined;
};

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

const BARE_DAY = `(?:the )?${DAY}`;
/** A calendar range that is found already. */
const ATOM = "#a\\d";
const READERS = ATOMS.map(({ pattern, read }) => ({
  whole: new RegExp(`^(?:${pattern})$`),
  anywhere: toPattern(pattern),
  read,
}));

/** A pattern that starts and ends where words do. */
function toPattern(pattern: string): RegExp {
  return new RegExp(`(?<![\\w#/-])(?:${pattern})(?![\\w/]|-\\w)`);
}

function readAtom(clock: QuestionClock, text: string): FoundRange | undefined {
  for (const { whole, read } of READERS) {
    const match = whole.exec(text);
    // Groups that took no part are the absent ones of their rule.
    const range = match === null ? undefined : read(clock, match.slice(1));
    if (range !== undefined) {
      return range;
    }
  }
  return;
}

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

function toHour(text: string | undefined, half: string | undefined): number {
  const hour = Number(text);
  return half === "pm" && hour < 12 ? hour + 12 : half === "am" && hour === 12 ? 0 : hour;
}

const TIME = "(\\d{1,2})(?::00)? ?(am|pm)?";

/** Ways that are made of others, or that no other may contain. */
const SPANS: readonly RangeRule[] = [
  {
    pattern: `(?:between|from) ${TIME} (?:and|to|until|till|-) ${TIME}(?: (yesterday|today|(?:on |last )?${WEEKDAY}))`,
    read: (clock, [from, fromHalf, to, toHalf, day = "today"]) => {
      const { fromMs } = readAtom(clock, day.replace(/^on /, "")) ?? wholeUnit("day", clock.nowMs);
      const last = toHour(to, toHalf);
      const first = toHour(from, fromHalf || toHalf);
      return { fromMs: fromMs + first * HOUR_MS, toMs: fromMs + last * HOUR_MS };
    },
  },
  {
    pattern: `(?:at|around) (\\d{1,2}) ?(am|pm) (yesterday|today|(?:on |last )?${WEEKDAY})`,
    read: (clock, [hour, half, day = "today"]) => {
      const range = readAtom(clock, day.replace(/^on /, "")) ?? wholeUnit("day", clock.nowMs);
      const fromMs = range.fromMs + toHour(hour, half) * HOUR_MS;
      return { fromMs, toMs: fromMs + HOUR_MS, assumed: said("one hour") };
    },
  },
  {
    pattern: `(${UNIT})[ -]to[ -]date|(?:so far )?this (${UNIT})(?: so far| until now| up to now| to date)|so far this (${UNIT})|(?:in |of )?the (${UNIT}) so far`,
    read: (clock, [one, other, third, fourth]) => ({
      fromMs: startOf(toUnit(one || other || third || fourth || "day"), clock.nowMs),
      toMs: endOfToday(clock),
    }),
  },
  {
    pattern:
      "(?:so far )?(?:this|the current|in this|in the current) (?:billing )?(?:period|cycle)(?: so far)?|(?:billing )?period[ -]to[ -]date|since the (?:billing )?period (?:began|started)",
    read: (clock) => ({ ...clock.billingPeriod, assumed: said("the whole billing period") }),
  },
  {
    pattern: "\\b([mqyw])td\\b",
    read: (clock, [letter = ""]) => {
      const unit = (["month", "quarter", "year", "week"] as const).find((name) =>
        name.startsWith(letter),
      );
      return { fromMs: startOf(unit ?? "month", clock.nowMs), toMs: endOfToday(clock) };
    },
  },
  {
    pattern: `(?:since|starting|beginning|as of|from) (?:on )?${TIME}(?= |$)(?: (?:today|this morning))?(?! ?%)`,
    read: (clock, [hour, half]) =>
      half
        ? { fromMs: startOf("day", clock.nowMs) + toHour(hour, half) * HOUR_MS, toMs: clock.nowMs }
        : undefined,
  },
  {
    pattern: `(?:by|at|until|till|before|for|to)? ?(?:the )?(?:end of|rest of) (?:the |this )?(${UNIT}|period|billing period|cycle)|(?:by|at|until)? ?(?:the )?(${UNIT}|period)[ -]end|\\beo([dwmqy])\\b`,
    read: (clock, [one, other, letter]) => {
      const name = one || other || "";
      if (/period|cycle/.test(name)) {
        return clock.billingPeriod;
      }
      const units = ["day", "week", "month", "quarter", "year"] as const;
      const unit = letter ? units.find((each) => each.startsWith(letter)) : toUnit(name);
      return wholeUnit(unit ?? "month", clock.nowMs);
    },
  },
  {
    pattern: `(?:by|at|until|till|before)? ?(?:the )?end of (${MONTH})(?: (${YEAR}))?`,
    read: (clock, [month = "", year]) =>
      inNearestYear(clock, year, (at) => ofMonths(at, toMonth(month), 1)),
  },
  {
    pattern: `(?:(?:for|since|during) )?(?:the )?(?:${LAST}|past|trailing|recent|these last) (${NUMBER})(?: of)? (minute|hour|day|week|month|quarter|year)s?`,
    read: (clock, [count, unit = ""]) => trailing(clock, toNumber(count) ?? 1, toUnit(unit)),
  },
  {
    pattern: `(?:the )?(?:past|trailing) (minute|hour|day|week|month|quarter|year)`,
    read: (clock, [unit = ""]) =>
      unit === "day" ? trailing(clock, 24, "hour") : trailing(clock, 1, toUnit(unit)),
  },
  {
    pattern: `(?:the )?(?:next|coming|following) (${NUMBER}) (hour|day|week|month)s?`,
    read: ({ nowMs }, [count, word = ""]) => {
      const unit = toUnit(word);
      const fromMs = unit === "hour" ? nowMs : startOf("day", nowMs);
      return { fromMs, toMs: move(unit, fromMs, toNumber(count) ?? 1) };
    },
  },
  {
    pattern: `(?:the )?(?:last |past )?fortnight`,
    read: (clock) => trailing(clock, 2, "week"),
  },
  {
    pattern: `(?:(yesterday|this|today) (morning|afternoon|evening)|tonight)`,
    read: ({ nowMs }, [day, part = "evening"]) => {
      const today = move("day", startOf("day", nowMs), day === "yesterday" ? -1 : 0);
      const hours = { morning: [0, 12], afternoon: [12, 18], evening: [18, 24] }[part] ?? [18, 24];
      const [from = 0, to = 24] = hours;
      return { fromMs: today + from * HOUR_MS, toMs: today + to * HOUR_MS };
    },
  },
  {
    pattern: "(?:of |over |since )?(?:all time|ever|the beginning(?! of))",
    read: (clock) => allTime(clock),
  },
];

/** What is made of calendar ranges. They are marks in these patterns, and texts again when they are read. */
const JOINS: readonly RangeRule[] = [
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

const compile = ({ pattern, read }: RangeRule) => ({ pattern: toPattern(pattern), read });
const SPAN_RULES = SPANS.map(compile);
const JOIN_RULES = JOINS.map(compile);
const ATOMS_MAX = 10;
const ATOM_MARK = /#a(\d)/g;

/** Marks every calendar range of a phrase; a mark's text comes back where no rule takes it. */
function markAtoms(text: string, clock: QuestionClock): { phrase: Phrase; texts: string[] } {
  const phrase: Phrase = { text };
  const texts: string[] = [];
  for (const { anywhere, read } of READERS) {
    while (texts.length < ATOMS_MAX) {
      const match = anywhere.exec(phrase.text);
      if (match === null || read(clock, match.slice(1)) === undefined) {
        break;
      }
      const start = phrase.text.slice(0, match.index);
      const end = phrase.text.slice(match.index + match[0].length);
      phrase.text = `${start}#a${String(texts.length)}${end}`;
      texts.push(match[0]);
    }
  }
  return { phrase, texts };
}

/** Takes the first range out of a phrase. */
export function findRange(phrase: Phrase, clock: QuestionClock): FoundRange | undefined {
  for (const { pattern, read } of SPAN_RULES) {
    const match = pattern.exec(phrase.text);
    const range = match === null ? undefined : read(clock, match.slice(1));
    if (range !== undefined && range.fromMs < range.toMs) {
      take(phrase, pattern, "#r");
      return range;
    }
  }
  const { phrase: marked, texts } = markAtoms(phrase.text, clock);
  const restore = (text: string) =>
    text.replace(ATOM_MARK, (_, at: string) => texts[Number(at)] ?? "");
  for (const { pattern, read } of JOIN_RULES) {
    const match = pattern.exec(marked.text);
    const groups = match?.slice(1).map((group: string | undefined) => restore(group ?? ""));
    const range = groups === undefined ? undefined : read(clock, groups);
    if (range !== undefined && range.fromMs < range.toMs) {
      take(marked, pattern, "#r");
      phrase.text = restore(marked.text);
      return range;
    }
  }
  return;
}

export function allTime(clock: QuestionClock): FoundRange {
  return { fromMs: 0, toMs: endOfToday(clock), assumed: said("all time") };
}

/** The running unit: what “compared to last week” compares when no range is named. */
export const runningRange = (clock: QuestionClock, unit: QuestionUnit): FoundRange =>
  thisUnit(clock, unit);

/** Whole days before today in the range of a question that names none. */
const DEFAULT_DAYS = 30;

/**
 * The range that a question has when it names none: the last 30 days and today, so that the first day of a tenant is not empty. A
 * comparison with the period before keeps to whole days: the day that runs would be compared with a whole one.
 */
export function defaultRange(
  clock: QuestionClock,
  { isCompared }: { isCompared: boolean },
): FoundRange {
  if (clock.isFuture) {
    return { ...wholeUnit("month", clock.nowMs), assumed: said("this month") };
  }
  const days = trailing(clock, DEFAULT_DAYS, "day");
  return isCompared
    ? { ...days, assumed: said("last 30 days") }
    : { ...days, toMs: endOfToday(clock), assumed: said("last 30 days and today") };
}
