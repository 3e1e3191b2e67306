import { said } from "../../text/said.ts";
import { HOUR_MS } from "../../time/zoned-buckets.ts";
import { move, startOf, wholeUnit } from "../calendar.ts";
import { readAtom } from "./calendar-rules.ts";
import type { RangeRule } from "./range-rule.ts";
import {
  LAST,
  MONTH,
  NUMBER,
  toMonth,
  toNumber,
  toUnit,
  UNIT,
  WEEKDAY,
  YEAR,
} from "./range-words.ts";
import { allTime, endOfToday, inNearestYear, ofMonths, trailing } from "./relative-range.ts";

function toHour(text: string | undefined, half: string | undefined): number {
  const hour = Number(text);
  return half === "pm" && hour < 12 ? hour + 12 : half === "am" && hour === 12 ? 0 : hour;
}

const TIME = "(\\d{1,2})(?::00)? ?(am|pm)?";

/** Ways that are made of others, or that no other may contain. */
export const SPANS: readonly RangeRule[] = [
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
