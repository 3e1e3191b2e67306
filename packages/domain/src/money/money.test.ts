import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { larger, smaller } from "./bounds.ts";
import { findCurrency, formatMinor, roundToMinor } from "./currency.ts";
import {
  fromScaled,
  parseDecimal,
  SCALE,
  toDecimalText,
  toFixedText,
  toScaled,
} from "./decimal.ts";
import { addExact, compareExact, divideHalfAway, type Exact, maxExact, minExact } from "./exact.ts";
import { splitByWeight } from "./split.ts";

const whole = fc.bigInt({ min: -(10n ** 30n), max: 10n ** 30n });
const amount = fc.bigInt({ min: 0n, max: 10n ** 20n });
const exact: fc.Arbitrary<Exact> = fc.record({
  numerator: whole,
  denominator: fc.bigInt({ min: 1n, max: 10n ** 15n }),
});

function currency(code: string) {
  const found = findCurrency(code);
  if (found === undefined) {
    throw new Error(`${code} is not a currency`);
  }
  return found;
}

describe("parseDecimal", () => {
  it("reads back every decimal that is written", () => {
    fc.assert(
      fc.property(whole, (scaled) => {
        expect(parseDecimal(fromScaled(scaled))).toEqual({ scaled });
        expect(toScaled(fromScaled(scaled))).toBe(scaled);
      }),
    );
  });

  it.each([1, 0.1, null, undefined, "", "1.", ".5", "1e3", "1,5", " 1", "0x1", "--1", "NaN"])(
    "refuses %j, which is not a decimal in quotes",
    (value) => {
      expect(parseDecimal(value)).toEqual({ fault: "not_a_decimal" });
    },
  );

  it("keeps twelve decimals and refuses thirteen", () => {
    expect(parseDecimal("0.000000000001")).toEqual({ scaled: 1n });
    expect(parseDecimal("0.0000000000001")).toEqual({ fault: "too_precise" });
  });
});

describe("divideHalfAway", () => {
  it("is the nearest whole number; of two, the one further from zero", () => {
    fc.assert(
      fc.property(exact, ({ numerator, denominator }) => {
        const rounded = divideHalfAway(numerator, denominator);
        const distance = (value: bigint) => {
          const difference = value * denominator - numerator;
          return difference < 0n ? -difference : difference;
        };
        expect(2n * distance(rounded) <= denominator).toBe(true);
        expect(divideHalfAway(-numerator, denominator)).toBe(-rounded);
        if (2n * distance(rounded) === denominator) {
          const isAway = rounded * denominator > numerator === numerator > 0n;
          expect(isAway).toBe(true);
        }
      }),
    );
  });
});

describe("exact amounts", () => {
  it("add and compare like fractions", () => {
    fc.assert(
      fc.property(exact, exact, exact, (a, b, c) => {
        expect(compareExact(addExact(a, b), addExact(b, a))).toBe(0);
        expect(compareExact(addExact(a, c), addExact(b, c))).toBe(compareExact(a, b));
        expect(compareExact(minExact(a, b), maxExact(a, b))).toBeLessThanOrEqual(0);
      }),
    );
  });

  it("have a smaller and a larger of two whole numbers", () => {
    fc.assert(
      fc.property(whole, whole, (a, b) => {
        expect([smaller(a, b), larger(a, b)]).toEqual(a < b ? [a, b] : [b, a]);
      }),
    );
  });
});

describe("currencies", () => {
  it.each([
    ["JPY", 0],
    ["HUF", 2],
    ["USD", 2],
    ["KWD", 3],
    ["CLF", 4],
  ])("%s has %i decimals", (code, digits) => {
    expect(currency(code).digits).toBe(digits);
    const text = formatMinor(-5n, currency(code));
    expect(text.split(".")[1]?.length ?? 0).toBe(digits);
    expect(Number(text)).toBe(-5 / 10 ** digits);
  });

  it.each(["usd", "US", "USDX", "", 840, null])("%j is not a currency", (code) => {
    expect(findCurrency(code)).toBeUndefined();
  });

  it("rounds 1.005 up, which a float takes for less", () => {
    const toMinor = (text: string) =>
      roundToMinor({ numerator: toScaled(text), denominator: 1n }, currency("USD"));
    expect(toMinor("1.005")).toBe(101n);
    expect(toMinor("-1.005")).toBe(-101n);
    expect(toMinor("4.35")).toBe(435n);
  });

  it("is exact for text with any number of digits", () => {
    fc.assert(
      fc.property(whole, fc.integer({ min: 0, max: 24 }), (value, digits) => {
        expect(BigInt(toFixedText(value, digits).replace(".", ""))).toBe(value);
        expect(Number(toDecimalText(value, digits))).toBe(Number(toFixedText(value, digits)));
      }),
    );
  });
});

describe("splitByWeight", () => {
  const weights = fc.array(amount, { minLength: 1, maxLength: 90 });

  it("gives shares that sum to the amount, each within one unit of its exact share", () => {
    fc.assert(
      fc.property(amount, weights, (total, of) => {
        const sum = of.reduce((left, weight) => left + weight, 0n);
        const shares = splitByWeight(total, of);
        expect(shares.reduce((left, share) => left + share, 0n)).toBe(sum === 0n ? 0n : total);
        for (const [index, share] of shares.entries()) {
          const exactShare = total * (of[index] ?? 0n);
          const isNear = share * sum > exactShare - sum && share * sum < exactShare + sum;
          expect(sum === 0n || isNear).toBe(true);
        }
      }),
    );
  });

  it("never takes more from a share than it has", () => {
    fc.assert(
      fc.property(weights, amount, (of, asked) => {
        const sum = of.reduce((left, weight) => left + weight, 0n);
        for (const [index, share] of splitByWeight(smaller(asked, sum), of).entries()) {
          expect(share <= (of[index] ?? 0n)).toBe(true);
        }
      }),
    );
  });

  it("gives ties to the earlier share", () => {
    expect(splitByWeight(5n, [1n, 1n, 1n])).toEqual([2n, 2n, 1n]);
    expect(splitByWeight(500n, [1000n, 2000n])).toEqual([167n, 333n]);
    expect(SCALE).toBe(1_000_000_000_000n);
  });
});
