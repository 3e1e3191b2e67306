import { describe, expect, it } from "vitest";
import { toRateLimitFields } from "./rate-limit-fields.ts";

const BURST = { name: "burst", limit: 100, windowSeconds: 60, remaining: 50, moreAfterMs: 29_200 };

describe("toRateLimitFields", () => {
  it("writes every limit into both fields, in the same order", () => {
    const month = {
      name: "requests",
      limit: 50_000,
      windowSeconds: 2_678_400,
      remaining: 0,
      moreAfterMs: 1,
    };
    expect(toRateLimitFields([BURST, month])).toEqual({
      "ratelimit-policy": '"burst";q=100;w=60, "requests";q=50000;w=2678400',
      ratelimit: '"burst";r=50;t=30, "requests";r=0;t=1',
    });
  });

  it("gives a limit of calls at once its unit instead of a window, and no time", () => {
    const concurrency = { name: "concurrency", limit: 20, remaining: 19 };
    const fields = toRateLimitFields([
      { ...concurrency, windowSeconds: undefined, moreAfterMs: undefined },
    ]);
    expect(fields).toEqual({
      "ratelimit-policy": '"concurrency";q=20;qu="concurrent-requests"',
      ratelimit: '"concurrency";r=19',
    });
  });

  it("sends no field without a limit", () => {
    expect(toRateLimitFields([])).toBeUndefined();
  });

  it("writes integers that fit a structured field for any input", () => {
    const odd = { ...BURST, limit: 1e300, windowSeconds: 0.2, remaining: -1, moreAfterMs: -5 };
    expect(toRateLimitFields([odd])).toEqual({
      "ratelimit-policy": '"burst";q=999999999999999;w=1',
      ratelimit: '"burst";r=0;t=0',
    });
  });
});
