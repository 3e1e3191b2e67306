import { plural, t } from "@lingui/core/macro";

export type TimeUnit = "second" | "minute" | "hour" | "day" | "week" | "month" | "quarter" | "year";

/** After a quantity or a price: "a month". */
const PER: Readonly<Record<TimeUnit, string>> = {
  second: t`a second`,
  minute: t`a minute`,
  hour: t`an hour`,
  day: t`a day`,
  week: t`a week`,
  month: t`a month`,
  quarter: t`a quarter`,
  year: t`a year`,
};

/** Of what comes by itself: "every month". */
const EVERY: typeof PER = {
  second: t`every second`,
  minute: t`every minute`,
  hour: t`every hour`,
  day: t`every day`,
  week: t`every week`,
  month: t`every month`,
  quarter: t`every quarter`,
  year: t`every year`,
};

const COUNTED: Readonly<Record<TimeUnit, (count: number) => string>> = {
  second: (count) => plural(count, { one: "# second", other: "# seconds" }),
  minute: (count) => plural(count, { one: "# minute", other: "# minutes" }),
  hour: (count) => plural(count, { one: "# hour", other: "# hours" }),
  day: (count) => plural(count, { one: "# day", other: "# days" }),
  week: (count) => plural(count, { one: "# week", other: "# weeks" }),
  month: (count) => plural(count, { one: "# month", other: "# months" }),
  quarter: (count) => plural(count, { one: "# quarter", other: "# quarters" }),
  year: (count) => plural(count, { one: "# year", other: "# years" }),
};

/** "5 minutes", "1 month". */
export function countTime(count: number, unit: TimeUnit): string {
  return COUNTED[unit](count);
}

/** How often something is or may be used, after its quantity: "a month", "in 5 minutes". */
export function toPerTime(count: number, unit: TimeUnit): string {
  return count === 1 ? PER[unit] : t`in ${countTime(count, unit)}`;
}

/** When something is charged again, after its price: "a month", "every 3 months". */
export function toEveryTime(count: number, unit: TimeUnit): string {
  return count === 1 ? PER[unit] : toRecurrence(count, unit);
}

/** "every month", "every 3 months". */
export function toRecurrence(count: number, unit: TimeUnit): string {
  return count === 1 ? EVERY[unit] : t`every ${countTime(count, unit)}`;
}
