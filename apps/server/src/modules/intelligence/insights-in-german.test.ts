import type { PlanAdvice, TriedPlanAdvice } from "@turnpike/contract/advice";
import type { InsightPart } from "@turnpike/contract/insights";
import { toId } from "@turnpike/domain/ids/ids";
import type { RoutedIncident } from "@turnpike/domain/insights/group-incidents";
import { WATCHED_MEASURES } from "@turnpike/domain/insights/incident";
import { findCurrency } from "@turnpike/domain/money/currency";
import { expect, it } from "vitest";
import { findTranslator } from "#platform/words/find-translator.ts";
import { describePlanAdvice } from "./advice/describe-plan-advice.ts";
import { describeAnomaly } from "./describe-anomaly.ts";

const translator = findTranslator("de", "page") ?? expect.fail("no German");
/** Words that stand in English sentences alone. */
const ENGLISH =
  /\b(?:the|of|from|with|is|are|and|to|than|usually|rose|fell|calls|more|less|last|months?)\b/;

const MONTH = { from: "2026-01-01T00:00:00.000Z", to: "2026-02-01T00:00:00.000Z" };
const QUOTA = {
  ...{ meter: "requests", name: "Requests", unit: "request", kind: "hard" as const },
  ...{ limit: "10000", most: "900", share: 0.09 },
};

function* listAnomalies(): Generator<string> {
  const at = { sinceMs: 0, untilMs: 1, isOver: false, statistic: "level" as const };
  const cause = { share: 0.8, weight: 0.2 };
  const causes: readonly (InsightPart | null)[] = [
    null,
    { ...cause, dimension: "route", value: "/v1/search" },
    { ...cause, dimension: "key", value: "" },
  ];
  for (const measure of WATCHED_MEASURES) {
    for (const direction of ["up", "down"] as const) {
      for (const route of [null, "/v1/search"]) {
        const incident: RoutedIncident = {
          ...{ ...at, measure, direction, route, confidence: 1 },
          ...{ low: 1_000, expected: 1_500, high: 2_000, actual: 12_345 },
        };
        for (const part of causes) {
          yield describeAnomaly(incident, part, findCurrency("EUR"));
        }
      }
    }
  }
}

function* listAdvice(): Generator<string> {
  const plan = (name: string, total: string, saving: string): TriedPlanAdvice => ({
    ...{ planId: name.toLowerCase(), version: 1, name, isOwn: name === "Own", total, saving },
    ...{ blocked: [], months: [] },
  });
  const advice: PlanAdvice = {
    tenantId: toId("tenant", "0199f3b0c1d27a4e8f60112233445500"),
    asOf: "2026-03-02T00:00:00.000Z",
    ...{ currency: "USD", state: "advice", months: [MONTH, MONTH] },
    plans: [plan("Own", "50.00", "0.00"), plan("Other", "1.00", "5.00")],
    ...{ recommended: null, refused: 0, quotas: [], spendCap: null },
  };
  const other = { planId: "other" };
  for (const more of [
    { recommended: { ...other, reason: "cheaper" as const, saving: "5.00" } },
    { recommended: { ...other, reason: "refuses_nothing" as const, saving: "-7.00" } },
    { recommended: { ...other, reason: "refuses_nothing" as const, saving: "0.00" } },
    { quotas: [QUOTA] },
  ]) {
    yield describePlanAdvice({ ...advice, ...more }) ?? expect.fail("no advice");
  }
}

it("says every change and every advice in German, with nothing left in English", () => {
  const texts = [...listAnomalies(), ...listAdvice()];
  expect(texts.length).toBeGreaterThan(70);
  const left = texts
    .map((text) => ({ text, german: translator.translate(text) }))
    .filter(({ german }) => german === undefined || ENGLISH.test(german));
  expect(left).toEqual([]);
  expect(translator.translate(texts[0] ?? "")).toBe(
    "Fehlerquote: Anstieg auf 12345,0 % (üblich sind 1000,0 bis 2000,0 %).",
  );
});
