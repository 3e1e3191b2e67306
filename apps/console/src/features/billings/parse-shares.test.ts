import { describe, expect, it } from "vitest";
import { parseShares } from "./parse-shares.ts";

describe("parseShares", () => {
  it.each([
    ["50, 80,100", [50, 80, 100]],
    ["100 % 50 % 50", [50, 100]],
    ["", []],
    ["0", undefined],
    ["half", undefined],
    ["1,2,3,4,5,6", undefined],
  ])("reads %j", (text, shares) => {
    expect(parseShares(text, { min: 1, max: 100 })).toEqual(shares);
  });

  it("reads 0 where it is allowed", () => {
    expect(parseShares("0, 50", { min: 0, max: 99 })).toEqual([0, 50]);
    expect(parseShares("100", { min: 0, max: 99 })).toBe(undefined);
  });
});
