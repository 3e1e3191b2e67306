import { describe, expect, it } from "vitest";
import { formatMinorUnits, formatMoney, isZero } from "./format-money.ts";

describe("formatMoney", () => {
  it.each([
    ["49.90", "USD", "$49.90"],
    ["49", "USD", "$49.00"],
    ["0.002500", "USD", "$0.0025"],
    ["-5.00", "EUR", "-€5.00"],
    ["-0.00", "EUR", "€0.00"],
    ["5000", "JPY", "¥5,000"],
    ["1.234", "KWD", "KWD 1.234"],
    ["90071992547409930.01", "USD", "$90,071,992,547,409,930.01"],
    ["0.000000000001", "USD", "$0.000000000001"],
  ])("writes %s %s as %s", (amount, currency, text) => {
    expect(formatMoney(amount, currency).replaceAll("\u00a0", " ")).toBe(text);
  });
});

describe("formatMinorUnits", () => {
  it.each([
    [1234n, "USD", "$12.34"],
    [5n, "USD", "$0.05"],
    [-5n, "USD", "-$0.05"],
    [5000n, "JPY", "¥5,000"],
    [1234n, "KWD", "KWD 1.234"],
    [9_007_199_254_740_993_001n, "USD", "$90,071,992,547,409,930.01"],
  ])("writes %d minor units of %s as %s", (minor, currency, text) => {
    expect(formatMinorUnits(minor, currency).replaceAll("\u00a0", " ")).toBe(text);
  });
});

describe("isZero", () => {
  it("knows nothing in any writing", () => {
    expect(["0", "0.00", "-0.00"].map(isZero)).toEqual([true, true, true]);
    expect(["0.01", "10", "-0.000001"].map(isZero)).toEqual([false, false, false]);
  });
});
