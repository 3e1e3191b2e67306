import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { fromScaled, toScaled } from "../money/decimal.ts";
import { toDecimalValue, VALUE_MAX } from "./decimal-value.ts";

describe("toDecimalValue", () => {
  it.each<[unknown, string | undefined]>([
    [0, "0"],
    [-0, "0"],
    [0.1, "0.1"],
    [1e-7, "0.0000001"],
    [1.5e-13, "0"],
    [-1e-13, "0"],
    [0.1 + 0.2, "0.3"],
    [-2.5, "-2.5"],
    [1e15, "1000000000000000"],
    [1e15 + 1, undefined],
    [Number.NaN, undefined],
    [Number.POSITIVE_INFINITY, undefined],
    ["12.50", "12.5"],
    ["0.000000000001", "0.000000000001"],
    ["1000000000000000", "1000000000000000"],
    ["1000000000000001", undefined],
    ["1e3", undefined],
    ["0x10", undefined],
    ["", undefined],
    [" 1", undefined],
    [true, undefined],
    [null, undefined],
    [[1], undefined],
  ])("reads %j as %s", (value, expected) => {
    expect(toDecimalValue(value)).toBe(expected);
  });

  it("keeps every number to 12 digits after the point", () => {
    fc.assert(
      fc.property(fc.double({ min: -VALUE_MAX, max: VALUE_MAX, noNaN: true }), (value) => {
        const decimal = toDecimalValue(value);
        expect(decimal).toMatch(/^-?\d{1,16}(\.\d{1,12})?$/);
        expect(Math.abs(Number(decimal) - value)).toBeLessThanOrEqual(
          1e-12 + Math.abs(value) * 1e-15,
        );
      }),
    );
  });
});

describe("toScaled and fromScaled", () => {
  it("are exact both ways", () => {
    const limit = 10n ** 27n;
    fc.assert(
      fc.property(fc.bigInt({ min: -limit, max: limit }), (scaled) => {
        expect(toScaled(fromScaled(scaled))).toBe(scaled);
      }),
    );
    expect(fromScaled(toScaled("0.1") + toScaled("0.2"))).toBe("0.3");
    expect(fromScaled(toScaled("-0.5"))).toBe("-0.5");
  });
});
