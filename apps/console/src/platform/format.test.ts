import { describe, expect, it } from "vitest";
import { formatCount, formatDayUtc, formatShare } from "./format.ts";

describe("formatCount", () => {
  it("keeps every digit of a decimal that no number can hold", () => {
    expect(formatCount("90071992547409931234")).toBe("90,071,992,547,409,931,234");
  });

  it("keeps a fraction and drops one that is zero", () => {
    expect(formatCount("1234.500000000001")).toBe("1,234.500000000001");
    expect(formatCount("1234.000")).toBe("1,234");
  });

  it("separates thousands of a number", () => {
    expect(formatCount(50_000)).toBe("50,000");
  });
});

describe("formatShare", () => {
  it("shows one decimal, also for a whole percentage", () => {
    expect([formatShare(0), formatShare(0.1234), formatShare(1)]).toEqual([
      "0.0%",
      "12.3%",
      "100.0%",
    ]);
  });

  it("writes what is nearly nothing, and not nothing, as less than the smallest that it can show", () => {
    expect([formatShare(0.000_001), formatShare(0.000_99), formatShare(0.001)]).toEqual([
      "< 0.1%",
      "< 0.1%",
      "0.1%",
    ]);
  });
});

describe("formatDayUtc", () => {
  it("does not move the end of a period into the reader's day", () => {
    expect(formatDayUtc("2026-12-01T00:00:00.000Z")).toBe("Dec 1");
  });
});
