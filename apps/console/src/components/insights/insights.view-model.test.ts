import { describe, expect, it } from "vitest";
import { makeEvidence, makeInsight } from "./insights.fixture.ts";
import { describeEvidence, groupParts, toInsightLink } from "./insights.view-model.ts";

describe("an insight", () => {
  it("leads to the chart of its hours, narrowed to what explains it", () => {
    expect(toInsightLink(makeInsight())).toEqual({
      to: "/analytics",
      search: {
        from: "2026-07-14T09:00:00.000Z",
        to: "2026-07-14T12:00:00.000Z",
        route: "/v1/search",
      },
      label: "Open chart",
    });
    const everywhere = makeInsight({
      action: {
        do: "open_chart",
        measure: "requests",
        from: "2026-07-14T09:00:00.000Z",
        to: "2026-07-14T12:00:00.000Z",
        dimension: null,
        value: null,
      },
    });
    expect(toInsightLink(everywhere).search).not.toHaveProperty("route");
  });

  it("shows the largest parts of each dimension first, those against it with a minus", () => {
    const parts = [
      { dimension: "key" as const, value: "key_1", share: -0.2, weight: 0.3 },
      { dimension: "key" as const, value: "key_2", share: 1.2, weight: 0.2 },
      ...Array.from({ length: 5 }, (_, index) => ({
        ...{ dimension: "route" as const, value: `/r${String(index)}`, share: 0.2, weight: 0.2 },
      })),
    ];
    const cause = parts[1] ?? null;
    const [keys, routes] = groupParts({ parts, cause }, new Map([["key_2", "batch"]]));
    expect(keys).toEqual({
      label: "By key",
      parts: [
        { name: "batch", percent: "120 %", isCause: true },
        { name: "key_1", percent: "-20 %", isCause: false },
      ],
      others: 0,
    });
    expect(routes?.others).toBe(1);
  });

  it("says what came instead of what is usual", () => {
    expect(describeEvidence(makeEvidence({ actual: 1200.4, low: 90, high: 3.14 }))).toBe(
      "1,200 instead of 90 to 3.1",
    );
  });
});
