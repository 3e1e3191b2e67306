import { t } from "@lingui/core/macro";
import { SLUG_PATTERN } from "@turnpike/domain/ids/ids";
import { LANGUAGE } from "@turnpike/ui/language";
import type { Key } from "../api-keys.queries.ts";
import type { DraftErrors } from "./draft-errors.ts";

/** The maximum number of rate limits, and of quotas, of one key. */
export const KEY_LIMITS_MAX = 5;
/** Calls at once. */
export const CONCURRENCY_MAX = 100_000;
/** Calls in one window. */
export const RATE_LIMIT_MAX = 1_000_000;
/** The longest window, in seconds: a day. Use a quota for longer ones. */
const WINDOW_SECONDS_MAX = 86_400;

const UNIT_SECONDS = { hours: 3_600, minutes: 60, seconds: 1 } as const;
export type WindowUnit = keyof typeof UNIT_SECONDS;
export const WINDOW_UNITS = [
  "seconds",
  "minutes",
  "hours",
] as const satisfies readonly WindowUnit[];

/** A rate limit as typed. */
export type RateLimitRow = {
  /** Identifies the row while it is on the page. */
  rowId: number;
  name: string;
  /** Calls in one window. */
  limit: number | null;
  /** Length of the window, in `unit`. */
  every: number | null;
  unit: WindowUnit;
};

/** A quota as typed. */
export type QuotaRow = {
  rowId: number;
  meter: string | null;
  /** Whole units in one billing period. */
  limit: number | null;
};

type RateLimit = Key["rateLimits"][number];
type Quota = Key["quotas"][number];

function nextRowId(rows: readonly { rowId: number }[]): number {
  return Math.max(-1, ...rows.map((row) => row.rowId)) + 1;
}

/** Another rate limit: a hundred calls a minute, with an unused name. */
export function addRateLimit(rows: readonly RateLimitRow[]): RateLimitRow[] {
  const names = rows.map((row) => row.name);
  const wanted = [
    "per-minute",
    "burst",
    ...Array.from({ length: KEY_LIMITS_MAX }, (_, n) => `limit-${String(n + 1)}`),
  ];
  const name = wanted.find((one) => !names.includes(one)) ?? "";
  return [...rows, { rowId: nextRowId(rows), name, limit: 100, every: 1, unit: "minutes" }];
}

/** Another quota, on the first meter that has none. */
export function addQuota(rows: readonly QuotaRow[], meterIds: readonly string[]): QuotaRow[] {
  const meter = meterIds.find((one) => !rows.some((row) => row.meter === one)) ?? null;
  return [...rows, { rowId: nextRowId(rows), meter, limit: null }];
}

/** The rows of rate limits: each window in its largest whole unit. */
export function toRateLimitRows(limits: readonly RateLimit[]): RateLimitRow[] {
  return limits.map(({ name, limit, windowSeconds }, rowId) => {
    const [unit, seconds] = (Object.entries(UNIT_SECONDS) as [WindowUnit, number][]).find(
      ([, one]) => windowSeconds % one === 0,
    ) ?? ["seconds", 1];
    return { rowId, name, limit, every: windowSeconds / seconds, unit };
  });
}

/** The rows of quotas. */
export function toQuotaRows(quotas: readonly Quota[]): QuotaRow[] {
  return quotas.map(({ meter, limit }, rowId) => ({ rowId, meter, limit }));
}

/** The rate limits to send. The rows must have passed {@link checkLimits}. */
export function toRateLimits(rows: readonly RateLimitRow[]): RateLimit[] {
  return rows.map(({ name, limit, every, unit }) => ({
    name: name.trim(),
    limit: limit ?? 0,
    windowSeconds: (every ?? 0) * UNIT_SECONDS[unit],
  }));
}

/** The quotas to send. The rows must have passed {@link checkLimits}. */
export function toQuotas(rows: readonly QuotaRow[]): Quota[] {
  return rows.map(({ meter, limit }) => ({ meter: meter ?? "", limit: limit ?? 0 }));
}

/** The errors of limit rows, by JSON pointer. Empty if there are none. */
export function checkLimits(draft: {
  rateLimits: readonly RateLimitRow[];
  quotas: readonly QuotaRow[];
  concurrency: number | null;
}): DraftErrors {
  const errors: Record<string, string> = {};
  // Empty means that there is no such limit.
  const concurrencyError =
    draft.concurrency === null ? undefined : checkWhole(draft.concurrency, "", 1, CONCURRENCY_MAX);
  if (concurrencyError !== undefined) {
    errors["/concurrency"] = concurrencyError;
  }
  const names = draft.rateLimits.map((row) => row.name.trim());
  for (const [index, row] of draft.rateLimits.entries()) {
    const at = `/rateLimits/${String(index)}`;
    const name = names[index] ?? "";
    if (!SLUG_PATTERN.test(name)) {
      errors[`${at}/name`] = t`Lower-case letters, digits and dashes, starting with a letter.`;
    } else if (names.indexOf(name) !== index) {
      errors[`${at}/name`] = t`Another limit has this name.`;
    }
    const limitError = checkWhole(row.limit, t`Enter the number of calls.`, 1, RATE_LIMIT_MAX);
    if (limitError !== undefined) {
      errors[`${at}/limit`] = limitError;
    }
    const everyMax = WINDOW_SECONDS_MAX / UNIT_SECONDS[row.unit];
    const everyError =
      row.every !== null && row.every > everyMax
        ? t`At most a day. For longer, use a quota.`
        : checkWhole(row.every, t`Enter the length of the window.`, 1, everyMax);
    if (everyError !== undefined) {
      errors[`${at}/windowSeconds`] = everyError;
    }
  }
  const meters = draft.quotas.map((row) => row.meter);
  for (const [index, row] of draft.quotas.entries()) {
    const at = `/quotas/${String(index)}`;
    if (row.meter === null) {
      errors[`${at}/meter`] = t`Choose a meter.`;
    } else if (meters.indexOf(row.meter) !== index) {
      errors[`${at}/meter`] = t`This meter already has a quota.`;
    }
    const limitError = checkWhole(
      row.limit,
      t`Enter the number of units.`,
      0,
      Number.MAX_SAFE_INTEGER,
    );
    if (limitError !== undefined) {
      errors[`${at}/limit`] = limitError;
    }
  }
  return errors;
}

/** The error of a whole number between bounds, or undefined. @param question - The message for an empty field. */
function checkWhole(
  value: number | null,
  question: string,
  min: number,
  max: number,
): string | undefined {
  if (value === null) {
    return question;
  }
  return Number.isInteger(value) && value >= min && value <= max
    ? undefined
    : t`A whole number from ${min.toLocaleString(LANGUAGE)} to ${max.toLocaleString(LANGUAGE)}.`;
}
