import { concurrency as concurrencySchema, rateLimit } from "@turnpike/contract/catalog";
import { KEY_LIMITS_MAX as CONTRACT_LIMITS_MAX, createKeyRequest } from "@turnpike/contract/keys";
import { describe, expect, it } from "vitest";
import { errorAt, listErrors } from "./draft-errors.ts";
import {
  addQuota,
  addRateLimit,
  checkLimits,
  KEY_LIMITS_MAX,
  type QuotaRow,
  RATE_LIMIT_MAX,
  type RateLimitRow,
  toQuotas,
  toRateLimitRows,
  toRateLimits,
} from "./key-limits.view-model.ts";

const rate = (change: Partial<RateLimitRow> = {}): RateLimitRow => ({
  rowId: 0,
  name: "burst",
  limit: 10,
  every: 1,
  unit: "seconds",
  ...change,
});

describe("a number in a limit", () => {
  it.each([
    [{ limit: 1.5 }, "/rateLimits/0/limit", "A whole number from 1 to 1,000,000."],
    [{ limit: 0 }, "/rateLimits/0/limit", "A whole number from 1 to 1,000,000."],
    [{ limit: -12.7 }, "/rateLimits/0/limit", "A whole number from 1 to 1,000,000."],
    [{ limit: 1_000_001 }, "/rateLimits/0/limit", "A whole number from 1 to 1,000,000."],
    [
      { every: 1.5, unit: "minutes" as const },
      "/rateLimits/0/windowSeconds",
      "A whole number from 1 to 1,440.",
    ],
    [
      { every: 25, unit: "hours" as const },
      "/rateLimits/0/windowSeconds",
      "At most a day. For longer, use a quota.",
    ],
  ])("must be whole and within its bounds: %j", (change, pointer, words) => {
    expect(checkLimits({ rateLimits: [rate(change)], quotas: [], concurrency: null })).toEqual({
      [pointer]: words,
    });
  });

  it.each([
    [null, {}],
    [1, {}],
    [0, { "/concurrency": "A whole number from 1 to 100,000." }],
    [100_001, { "/concurrency": "A whole number from 1 to 100,000." }],
  ])("on calls at once may be left out, else must be one: %j", (concurrency, errors) => {
    expect(checkLimits({ rateLimits: [], quotas: [], concurrency })).toEqual(errors);
    expect(concurrencySchema.nullable().safeParse(concurrency).success).toBe(
      Object.keys(errors).length === 0,
    );
  });

  it("may be zero for units", () => {
    const quota = { rowId: 0, meter: "requests", limit: 0 };
    expect(checkLimits({ rateLimits: [], quotas: [quota], concurrency: null })).toEqual({});
    expect(
      checkLimits({ rateLimits: [], quotas: [{ ...quota, limit: 0.5 }], concurrency: null }),
    ).toEqual({
      "/quotas/0/limit": "A whole number from 0 to 9,007,199,254,740,991.",
    });
  });
});

describe("rows of limits", () => {
  it("show a window in its largest whole unit and give the same limit back", () => {
    const limits = [1, 59, 60, 90, 3_600, 86_400].map((windowSeconds, index) => ({
      name: `limit-${String(index)}`,
      limit: 7,
      windowSeconds,
    }));
    const rows = toRateLimitRows(limits);
    expect(rows.map(({ every, unit }) => `${String(every)} ${unit}`)).toEqual([
      "1 seconds",
      "59 seconds",
      "1 minutes",
      "90 seconds",
      "1 hours",
      "24 hours",
    ]);
    expect(toRateLimits(rows)).toEqual(limits);
  });

  it("can be added up to the maximum of a key, each valid as it is", () => {
    let rates: RateLimitRow[] = [];
    let quotas: QuotaRow[] = [];
    for (let count = 0; count < KEY_LIMITS_MAX; count += 1) {
      rates = addRateLimit(rates);
      quotas = addQuota(quotas, ["requests", "tokens"]);
    }
    expect(checkLimits({ rateLimits: rates, quotas: [], concurrency: null })).toEqual({});
    expect(new Set(rates.map(({ rowId }) => rowId)).size).toBe(KEY_LIMITS_MAX);
    expect(createKeyRequest.shape.rateLimits.safeParse(toRateLimits(rates)).success).toBe(true);
    expect(quotas.map(({ meter }) => meter)).toEqual(["requests", "tokens", null, null, null]);
  });

  it("enforce the bounds of the contract", () => {
    expect(KEY_LIMITS_MAX).toBe(CONTRACT_LIMITS_MAX);
    const limit = (count: number) =>
      rateLimit.safeParse({ name: "a", limit: count, windowSeconds: 1 }).success;
    expect([limit(RATE_LIMIT_MAX), limit(RATE_LIMIT_MAX + 1)]).toEqual([true, false]);
    expect(toQuotas([{ rowId: 0, meter: "requests", limit: 0 }])).toEqual([
      { meter: "requests", limit: 0 },
    ]);
  });

  it("show errors at their fields", () => {
    const errors = checkLimits({
      rateLimits: [
        rate({ name: "Per Minute", limit: null }),
        rate(),
        rate({ every: 25, unit: "hours" }),
        rate({ name: "slow", every: null }),
      ],
      concurrency: null,
      quotas: [
        { rowId: 0, meter: "requests", limit: 1 },
        { rowId: 1, meter: "requests", limit: null },
        { rowId: 2, meter: null, limit: 1 },
      ],
    });
    expect(Object.keys(errors)).toEqual([
      "/rateLimits/0/name",
      "/rateLimits/0/limit",
      "/rateLimits/2/name",
      "/rateLimits/2/windowSeconds",
      "/rateLimits/3/windowSeconds",
      "/quotas/1/meter",
      "/quotas/1/limit",
      "/quotas/2/meter",
    ]);
    expect(errorAt(errors, "/quotas/2")).toBe("Choose a meter.");
    expect(errorAt(errors, "/rateLimits/1")).toBe(undefined);
    expect(listErrors(errors)).toHaveLength(8);
  });
});
