import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { GRADUATED, makePlan } from "#components/billing/plan.fixture.ts";
import { STEPS, toPosition, toQuantity, toRange } from "./quantity-scale.view-model.ts";

const exponent = fc.integer({ min: 4, max: 12 });

describe("the scale of a slider", () => {
  it("begins at nothing, ends at the end, and never falls", () => {
    fc.assert(
      fc.property(exponent, (digits) => {
        const max = 10 ** digits;
        expect(toQuantity(0, max)).toBe(0);
        expect(toQuantity(STEPS, max)).toBe(max);
        for (let position = 1; position <= STEPS; position += 1) {
          expect(toQuantity(position, max)).toBeGreaterThanOrEqual(toQuantity(position - 1, max));
        }
      }),
    );
  });

  it("finds the position of any quantity, within the slider", () => {
    fc.assert(
      fc.property(exponent, fc.integer({ min: 0, max: 10 ** 12 }), (digits, quantity) => {
        const max = 10 ** digits;
        const position = toPosition(quantity, max);
        expect(position).toBeGreaterThanOrEqual(0);
        expect(position).toBeLessThanOrEqual(STEPS);
        expect(position === 0).toBe(quantity === 0);
      }),
    );
    expect(toQuantity(toPosition(12_000, 1_000_000), 1_000_000)).toBe(12_000);
  });

  it("reaches ten times beyond the bounds of plans and what is used", () => {
    const plans = [makePlan({ phases: [{ rateCards: [GRADUATED] }] })];
    expect(toRange(plans, "requests", 0)).toEqual({ max: 100_000, start: 1_000 });
    expect(toRange(plans, "requests", 45_000)).toEqual({ max: 1_000_000, start: 45_000 });
    expect(toRange(plans, "tokens", 0)).toEqual({ max: 10_000, start: 10_000 });
  });
});
