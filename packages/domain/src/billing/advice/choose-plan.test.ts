import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { choosePlan, isBlocking, totalOf } from "./choose-plan.ts";

const month = fc.record({
  amountMinor: fc.bigInt({ min: 0n, max: 10_000n }),
  blocked: fc.constantFrom(new Map<string, bigint>(), new Map([["calls", 1n]])),
});
const planNamed = (planId: string) =>
  fc.record({
    planId: fc.constant(planId),
    months: fc.array(month, { minLength: 3, maxLength: 3 }),
  });

describe("the choice of a plan", () => {
  it("costs less, or refuses nothing where the own plan does; nothing cheaper refuses nothing either", () => {
    const others = fc.tuple(planNamed("a"), planNamed("b"), planNamed("c"));
    fc.assert(
      fc.property(planNamed("own"), others, fc.boolean(), (own, plans, refuses) => {
        const choice = choosePlan(own, plans, { refuses });
        const good = plans.filter((plan) => !isBlocking(plan));
        if (choice === undefined) {
          const isStuck = refuses || isBlocking(own);
          expect(isStuck ? good : good.filter((plan) => totalOf(plan) < totalOf(own))).toEqual([]);
          return;
        }
        const chosen = good.find(({ planId }) => planId === choice.planId) ?? expect.fail();
        expect(choice.savingMinor).toBe(totalOf(own) - totalOf(chosen));
        expect(good.every((plan) => totalOf(plan) >= totalOf(chosen))).toBe(true);
        if (choice.reason === "cheaper") {
          expect(choice.savingMinor > 0n && !refuses && !isBlocking(own)).toBe(true);
        }
      }),
    );
  });
});
