import { describe, expect, it } from "vitest";
import { indexVocabulary } from "./question-vocabulary.ts";
import { readQuestion } from "./read-question.ts";

const index = indexVocabulary({
  actor: "tenant",
  timeZone: "UTC",
  billingPeriod: { from: "2026-07-01", to: "2026-08-01" },
  tenants: [],
  keys: ["production"],
  plans: ["Free", "Pro"],
  routes: ["/v1/search", "/v1/orders"],
  methods: ["GET", "POST"],
  regions: [],
  environments: ["live", "test"],
  meters: [{ slug: "tokens", unit: "token", dimensions: [] }],
  meterValues: {},
});
const nowMs = Date.parse("2026-07-15T12:00:00Z");

/** What is asked most, in the words of different people. */
const INTENTS: Readonly<Record<string, readonly string[]>> = {
  quota: [
    "when do we hit the quota?",
    "when will I run out of my free requests?",
    "when will my free requests be used up?",
    "how many free requests do I have left?",
    "do I still have free calls left?",
    "have I used up my free calls?",
    "how much of my allowance is left?",
    "when is my allowance gone?",
    "will my included calls last until the end of the month?",
    "how long will my free calls last?",
    "will we exceed our included requests?",
    "when do I exhaust my quota?",
    "how many calls remain this month?",
    "how many calls can I still make this month?",
    "how many more calls can I make?",
    "what's left of my plan?",
    "what will I be left with at the end of the month?",
    "are we going to burn through our requests?",
    "do we have enough calls for this month?",
    "when will my tokens run out?",
  ],
  invoice: [
    "what will my next invoice be?",
    "how much will I pay this month?",
    "what do I owe?",
    "how high is my next bill?",
    "how much is this month going to cost me?",
    "what will we be charged?",
    "what would I pay on this plan next month?",
  ],
  advice: [
    "which plan fits me?",
    "is there a cheaper plan for us?",
    "should I upgrade?",
    "am I on the right plan?",
    "what plan should I be on?",
    "how much would the Pro plan cost me?",
    "what would I pay on Pro?",
    "what would we be charged if we were on the Pro plan?",
  ],
  risk: [
    "which keys are unused?",
    "are any of my keys at risk?",
    "which keys expire soon?",
    "which keys should I revoke?",
    "do I have keys that no one uses?",
  ],
  "query requests": [
    "how many calls did I make today?",
    "number of API calls today",
    "total traffic today",
    "how busy was the API today?",
    "how often was the API called today?",
    "what is my usage today?",
  ],
  "query errors": [
    "how many errors today?",
    "how many calls failed today?",
    "did anything fail today?",
    "what errors did I get today?",
    "how many failures were there today?",
  ],
  "query latency_p95 by route": [
    "which route is the slowest?",
    "what is my slowest endpoint?",
    "which endpoint takes the longest?",
    "which endpoint has the highest latency?",
    "which route responds slowest?",
  ],
  "query denied": [
    "how many calls were denied today?",
    "how many requests were refused today?",
    "how many calls were turned away today?",
    "how many calls got blocked today?",
    "rejected calls today",
  ],
  "query requests by key": [
    "which key makes the most calls?",
    "who uses the most?",
    "busiest key",
    "calls per key",
    "which API key has the most traffic?",
  ],
  "query spend": [
    "how much did I spend last month?",
    "what did we pay last month?",
    "what did last month cost?",
    "spending last month",
  ],
  "explain denied": [
    "why are so many of my calls denied?",
    "why do my calls get blocked?",
    "why were requests rejected today?",
  ],
};
const CASES = Object.entries(INTENTS).flatMap(([expected, questions]) =>
  questions.map((question): [string, string] => [question, expected]),
);

describe("what is asked most", () => {
  it.each(CASES)("“%s” is read as %s", (question, expected) => {
    const { kind, query } = readQuestion(index, { question, nowMs });
    const by = query?.dimensions.map((name) => ` by ${name}`).join("") ?? "";
    expect(query === undefined ? kind : `${kind} ${query.measures.join()}${by}`).toBe(expected);
  });
});

describe("the range of a question that names none", () => {
  const rangeOf = (question: string) => {
    const { query, assumed } = readQuestion(index, { question, nowMs });
    return [query?.from, query?.to, assumed.find((text) => text.startsWith("last 30"))];
  };

  it("includes today, so that the first day is not empty", () => {
    for (const question of [
      "which route is the slowest?",
      "errors by key",
      "why are calls denied?",
    ]) {
      expect(rangeOf(question)).toEqual(["2026-06-15", "2026-07-16", "last 30 days and today"]);
    }
  });

  it("is whole days where it is compared with the period before", () => {
    expect(rangeOf("did errors go up compared to the period before?")).toEqual([
      "2026-06-15",
      "2026-07-15",
      "last 30 days",
    ]);
  });
});

const FOREIGN = [
  "Wie viele Fehler gab es gestern?",
  "Welche Route ist die langsamste?",
  "Wann ist mein Kontingent aufgebraucht?",
  "Fehler gestern",
  "Quelle route est la plus lente ?",
  "Combien d'erreurs hier ?",
  "Quand vais-je épuiser mon quota ?",
  "¿Cuántos errores hubo ayer?",
  "¿Cuál es la ruta más lenta?",
  "errores por clave",
  "Quanti errori ieri?",
  "昨天有多少错误",
];

describe("a question in another language than English", () => {
  it.each(FOREIGN)("“%s” is refused as such", (question) => {
    expect(readQuestion(index, { question, nowMs })).toMatchObject({
      kind: "refuse",
      isForeign: true,
    });
  });

  it("is no question with names of the vocabulary that are words elsewhere", () => {
    const named = indexVocabulary({ ...index.vocabulary, keys: ["fehler", "semana", "por hoy"] });
    for (const question of ["requests of the key fehler", "errors of semana", "calls of por hoy"]) {
      expect(readQuestion(named, { question, nowMs })).toMatchObject({ kind: "query" });
    }
  });
});
