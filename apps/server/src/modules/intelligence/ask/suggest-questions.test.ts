import { indexVocabulary } from "@turnpike/domain/questions/question-vocabulary";
import { expect, it } from "vitest";
import { wordsOf } from "./answer-words.ts";
import { suggestQuestions } from "./suggest-questions.ts";

function suggestFor(key: string, language: "en" | "de" = "en"): string[] {
  const index = indexVocabulary({
    actor: "tenant",
    timeZone: "UTC",
    billingPeriod: { from: "2026-07-01", to: "2026-08-01" },
    tenants: [],
    keys: [key],
    plans: [],
    routes: [],
    methods: ["GET"],
    regions: [],
    environments: ["live", "test"],
    meters: [],
    meterValues: {},
  });
  const vocabulary = {
    index,
    ids: { key: new Map(), tenant: new Map(), plan: new Map() },
    names: new Map(),
    meters: new Map(),
    isCut: false,
    readAtMs: 0,
  };
  const words = wordsOf(language);
  const nowMs = Date.parse("2026-07-15T12:00:00Z");
  return suggestQuestions(vocabulary, { nowMs, words }).map(({ title }) => title);
}

it("does not say key twice of a key whose name says it", () => {
  expect(suggestFor("First key")).toContain("requests of the First key by route this month");
  expect(suggestFor("production")).toContain("requests of the production key by route this month");
  expect(suggestFor("First key", "de")).toContain(
    "Anfragen mit dem Schlüssel First key nach Route in diesem Monat",
  );
});
