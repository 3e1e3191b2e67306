import { insight, insightList } from "@turnpike/contract/insights";
import { TENANT_ID } from "#components/billing/billing-answers.fixture.ts";
import type { Evidence, Insight, InsightList } from "./insights.queries.ts";

export const INSIGHT_ID = "ins_0199f3b0c1d27a4e8f60112233445566";
const FROM = "2026-07-14T09:00:00.000Z";
const TO = "2026-07-14T12:00:00.000Z";
const ROUTE = { dimension: "route", value: "/v1/search", share: 0.9, weight: 0.2 } as const;

export function makeEvidence(overrides: Partial<Evidence> = {}): Evidence {
  return {
    measure: "requests",
    route: null,
    also: [],
    statistic: "residual",
    direction: "up",
    from: FROM,
    to: TO,
    actual: 1200,
    expected: 200,
    low: 90,
    high: 310,
    comparedFrom: "2026-07-07T09:00:00.000Z",
    cause: ROUTE,
    parts: [ROUTE, { dimension: "route", value: "/v1/list", share: 0.1, weight: 0.8 }],
    others: [],
    points: [
      { time: FROM, value: 200, low: 90, high: 310 },
      { time: "2026-07-14T10:00:00.000Z", value: 1200, low: 90, high: 310 },
    ],
    ...overrides,
  };
}

export function makeInsight(overrides: Partial<Insight> = {}): Insight {
  return {
    ...insight.parse({
      insightId: INSIGHT_ID,
      tenantId: TENANT_ID,
      kind: "anomaly",
      text: "Requests rose to 1,200 an hour; /v1/search makes 90% of the change.",
      since: FROM,
      seenAt: TO,
      endedAt: null,
      confidence: 0.93,
      evidence: makeEvidence(),
      action: {
        do: "open_chart",
        measure: "requests",
        from: FROM,
        to: TO,
        dimension: "route",
        value: "/v1/search",
      },
      dismissedAt: null,
      isUseful: null,
    }),
    ...overrides,
  };
}

export function makeInsightList(overrides: Partial<InsightList> = {}): InsightList {
  return {
    ...insightList.parse({
      items: [],
      history: { hours: 400, needed: 200 },
      checkedAt: TO,
    }),
    ...overrides,
  };
}
