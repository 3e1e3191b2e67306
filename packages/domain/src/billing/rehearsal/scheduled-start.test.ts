import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { playStory } from "./play-story.ts";
import type { PlayedStory } from "./to-story-result.ts";

const CATALOG = {
  meters: [{ meterId: "calls", aggregation: "count" }],
  plans: [
    {
      planId: "pro",
      phases: [
        { duration: { days: 7 }, rateCards: [] },
        {
          rateCards: [
            {
              ...{ key: "base", interval: { month: 1 }, timing: "advance" },
              price: { model: "flat", amount: "31" },
            },
            {
              ...{ key: "calls", meter: "calls", interval: { month: 1 }, timing: "arrears" },
              price: { model: "per_unit", unitAmount: "0.5" },
            },
          ],
        },
      ],
    },
  ],
};

const dayOf = (day: number) => new Date(Date.UTC(2026, 0, 1 + day)).toISOString();

function play(first: object, rest: readonly object[]): PlayedStory {
  const result = playStory({
    ...{ id: "s", currency: "USD", catalog: CATALOG, until: dayOf(120) },
    story: [first, ...rest],
  });
  return "invoices" in result ? result : expect.fail(JSON.stringify(result.refused));
}

describe("a start that is planned", () => {
  it("comes to the same invoices as one that is asked for on its day", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 40 }),
        fc.array(fc.integer({ min: 0, max: 70 }), { maxLength: 6 }),
        (start, days) => {
          const uses = days
            .toSorted((a, b) => a - b)
            .map((day) => ({ at: dayOf(start + day), do: "use", meter: "calls", quantity: "3" }));
          const planned = play(
            { at: dayOf(0), do: "subscribe", plan: "pro", start: dayOf(start) },
            uses,
          );
          const asked = play({ at: dayOf(start), do: "subscribe", plan: "pro" }, uses);
          expect(planned.invoices).toEqual(asked.invoices);
          expect(planned.invoices.length).toBeGreaterThan(1);
        },
      ),
      { numRuns: 40 },
    );
  });

  it("refuses usage, changes and another plan before, and is cancelled for nothing", () => {
    const subscribe = { at: dayOf(0), do: "subscribe", plan: "pro", start: dayOf(20) };
    const { refused, invoices } = play(subscribe, [
      { at: dayOf(1), do: "use", meter: "calls", quantity: "3" },
      { at: dayOf(2), do: "pause" },
      { at: dayOf(3), do: "subscribe", plan: "pro" },
      { at: dayOf(4), do: "subscribe", plan: "pro", start: dayOf(1) },
      { at: dayOf(5), do: "cancel" },
      { at: dayOf(6), do: "subscribe", plan: "pro", start: dayOf(1) },
    ]);
    expect(refused.map(({ code }) => code)).toEqual([
      ...["no_subscription", "no_subscription", "already_subscribed", "already_subscribed"],
      "bad_value",
    ]);
    expect(invoices).toEqual([]);
  });
});
