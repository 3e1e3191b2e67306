import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { contrastOf, findTextColor, toBrandStyle } from "./brand-style.ts";

const color = fc
  .integer({ min: 0, max: 0xffffff })
  .map((value) => `#${value.toString(16).padStart(6, "0")}`);

describe("text on the operator's accent", () => {
  it("has the contrast of WCAG AA on every colour", () => {
    fc.assert(
      fc.property(color, (accent) => {
        expect(contrastOf(findTextColor(accent), accent)).toBeGreaterThanOrEqual(4.5);
      }),
      { numRuns: 2_000 },
    );
  });

  it.each([
    ["#f5c400", "#1a1814"],
    ["#2f7de1", "#000000"],
    ["#1d3a8a", "#fdfcfa"],
  ])("on %s is %s", (accent, text) => {
    expect(findTextColor(accent)).toBe(text);
    expect(toBrandStyle(accent)).toBe(
      `:root { --brand-accent: ${accent}; --brand-on-accent: ${text}; }`,
    );
  });

  it("measures black on white as 21 to 1", () => {
    expect(contrastOf("#000000", "#ffffff")).toBeCloseTo(21, 5);
  });
});
