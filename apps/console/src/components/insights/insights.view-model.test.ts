import { describe, expect, it } from "vitest";
import { toAlertProposal } from "./alert-proposal.view-model.ts";
import { makeEvidence, makeInsight } from "./insights.fixture.ts";
import {
  describeEvidence,
  groupParts,
  isAboutKey,
  nameIds,
  rankInsights,
  toInsightLink,
} from "./insights.view-model.ts";

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
        { value: "key_2", name: "batch", percent: "120%", width: 100, isCause: true },
        { value: "key_1", name: "key_1", percent: "-20%", width: 0, isCause: false },
      ],
      others: 0,
    });
    expect(routes?.others).toBe(1);
  });

  it("writes what is nearly nothing without a minus", () => {
    const parts = [{ dimension: "key" as const, value: "key_1", share: -0.002, weight: 1 }];
    const [keys] = groupParts({ parts, cause: null }, new Map());
    expect(keys?.parts.map(({ percent }) => percent)).toEqual(["0%"]);
  });

  it("tells parts apart that have no name yet and were made at one time", () => {
    const ids = ["key_0199f3b0c1d27a4e8f60112233445599", "key_0199f3b0c1d27a4e8f60112233440001"];
    const parts = ids.map((value) => ({
      dimension: "key" as const,
      value,
      share: 0.5,
      weight: 0.5,
    }));
    const [keys] = groupParts({ parts, cause: null }, new Map());
    expect(keys?.parts.map(({ value }) => value)).toEqual(ids);
    expect(keys?.parts.map(({ name }) => name)).toEqual(["key_0199f3b0…5599", "key_0199f3b0…0001"]);
  });

  it("says what came instead of what is usual", () => {
    expect(describeEvidence(makeEvidence({ actual: 1200.4, low: 90, high: 3.14 }))).toBe(
      "1,200 instead of 90 to 3.1",
    );
  });
});

describe("an alert of an anomaly", () => {
  it("fires at the edge of what is usual, for what explains it; facts make none", () => {
    const route = { dimension: "route", value: "/a,b", share: 1, weight: 0.5 } as const;
    expect(toAlertProposal(makeInsight({ evidence: makeEvidence({ cause: route }) }))).toEqual({
      measure: "requests",
      filters: { route: "/a\\,b" },
      kind: "above",
      threshold: 310,
      windowMinutes: 60,
    });
    const fall = makeEvidence({ direction: "down", low: 0.4, cause: null });
    expect(toAlertProposal({ evidence: fall })).toEqual({
      measure: "requests",
      filters: {},
      kind: "below",
      threshold: 1,
      windowMinutes: 60,
    });
    expect(toAlertProposal({ evidence: null })).toBeUndefined();
  });
});

describe("insights", () => {
  it("are ranked by urgency, certainty and age; failing calls are urgent", () => {
    const make = (name: string, overrides: Partial<ReturnType<typeof makeInsight>>) =>
      makeInsight({ text: name, ...overrides });
    const ranked = rankInsights([
      make("unused", { kind: "key_unused", evidence: null, confidence: 1 }),
      make("sure", { confidence: 0.9 }),
      make("unsure", { confidence: 0.6 }),
      make("failing", { evidence: makeEvidence({ measure: "errors" }), confidence: 0.55 }),
    ]);
    expect(ranked.map(({ text }) => text)).toEqual(["failing", "sure", "unsure", "unused"]);
  });

  it("belong to a key by their action or by what explains them, and carry its name", () => {
    const keyId = "key_0199f3b0c1d27a4e8f60112233445599";
    const cause = { dimension: "key", value: keyId, share: 1, weight: 0.5 } as const;
    const unused = makeInsight({
      evidence: null,
      action: { do: "revoke_key", keyId: keyId as never },
    });
    const grown = makeInsight({ evidence: makeEvidence({ cause }) });
    expect([unused, grown, makeInsight()].map((each) => isAboutKey(each, keyId))).toEqual([
      true,
      true,
      false,
    ]);
    expect(nameIds(`The key ${keyId} expires.`, new Map([[keyId, "Shop"]]))).toBe(
      "The key Shop expires.",
    );
  });
});
