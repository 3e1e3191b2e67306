import { describe, expect, it } from "vitest";
import { indexVocabulary, type QuestionVocabulary } from "./question-vocabulary.ts";
import { readQuestion } from "./read-question.ts";

const VOCABULARY: QuestionVocabulary = {
  actor: "tenant",
  timeZone: "UTC",
  billingPeriod: { from: "2026-07-01", to: "2026-08-01" },
  tenants: [],
  keys: ["production"],
  plans: ["Free", "Pro"],
  routes: ["/v1/chat/completions", "/v1/messages"],
  models: ["gpt-4o", "gpt-4o-mini-2024-07-18", "claude-sonnet-4-5", "meta/llama-3.1-70b"],
  methods: ["GET", "POST"],
  regions: [],
  environments: ["live", "test"],
  meters: [
    { slug: "input-tokens", name: "Input tokens", unit: "token", dimensions: [] },
    { slug: "output-tokens", name: "Output tokens", unit: "token", dimensions: [] },
  ],
  meterValues: {},
};
const index = indexVocabulary(VOCABULARY);
/** A Wednesday. */
const nowMs = Date.parse("2026-07-15T12:00:00Z");
const TOKENS = ["input-tokens", "output-tokens"];
const GPT_4O = { field: "model", op: "eq", value: "gpt-4o" };
const MINI = { field: "model", op: "eq", value: "gpt-4o-mini-2024-07-18" };

describe("a question about models", () => {
  it.each([
    ["tokens by model this week", { measures: TOKENS, dimensions: ["model"], from: "2026-07-13" }],
    ["token usage per model in June", { measures: TOKENS, dimensions: ["model"] }],
    ["output tokens by model per day", { measures: ["output-tokens"], grain: "day" }],
    ["tokens by modle", { measures: TOKENS, dimensions: ["model"] }],
    ["which model costs the most", { measures: ["spend"], dimensions: ["model"], limit: 1 }],
    ["what does each model cost this month", { measures: ["spend"], dimensions: ["model"] }],
    ["how much did gpt-4o cost in June", { measures: ["spend"], filters: [GPT_4O] }],
    ["cost by llm", { measures: ["spend"], dimensions: ["model"] }],
    [
      "calls of gpt-4o yesterday",
      { measures: ["requests"], filters: [GPT_4O], from: "2026-07-14", to: "2026-07-15" },
    ],
    ["requests to GPT-4o today", { measures: ["requests"], filters: [GPT_4O] }],
    ["requests of gpt 4o mini", { measures: ["requests"], filters: [MINI] }],
    ["p95 latency of the gpt-4o model", { measures: ["latency_p95"], filters: [GPT_4O] }],
    ["which model is the slowest", { measures: ["latency_p95"], dimensions: ["model"], limit: 1 }],
    ["error rate by model", { measures: ["error_rate"], dimensions: ["model"] }],
    [
      "most used models last month",
      { measures: ["requests"], dimensions: ["model"], order: "desc" },
    ],
    [
      "requests of all models except gpt-4o",
      { measures: ["requests"], filters: [{ ...GPT_4O, op: "ne" }] },
    ],
    [
      "errors of llama-3.1-70b by key",
      {
        measures: ["errors"],
        dimensions: ["key"],
        filters: [{ field: "model", op: "eq", value: "meta/llama-3.1-70b" }],
      },
    ],
    [
      "tokens of the gpt models this month",
      {
        measures: TOKENS,
        filters: [{ field: "model", op: "in", value: [GPT_4O.value, MINI.value] }],
      },
    ],
  ])("is understood: %s", (question, query) => {
    expect(readQuestion(index, { question, nowMs })).toMatchObject({ kind: "query", query });
  });

  it("may go on from one before", () => {
    const after = "tokens of gpt-4o this week";
    expect(readQuestion(index, { question: "and by key?", after, nowMs }).query).toMatchObject({
      ...{ measures: TOKENS, dimensions: ["key"], filters: [GPT_4O] },
    });
  });

  it("asks back for a model that no call named", () => {
    const reading = readQuestion(index, { question: "requests of gpt-5o yesterday", nowMs });
    expect(reading.kind === "clarify" ? reading.choices : reading.query?.filters).toContainEqual(
      reading.kind === "clarify" ? "gpt-4o" : GPT_4O,
    );
    if (reading.kind !== "clarify") {
      expect(reading.assumed).toContain("gpt-5o: gpt-4o");
    }
  });

  it("has no answer where calls have no model", () => {
    const without = indexVocabulary({ ...VOCABULARY, models: [] });
    expect(readQuestion(without, { question: "requests by model", nowMs }).kind).toBe("refuse");
  });

  it("means the dimension of a meter of events where only that has models", () => {
    const own = indexVocabulary({
      ...VOCABULARY,
      models: [],
      meters: [{ slug: "tokens", unit: "token", dimensions: ["model"] }],
      meterValues: { model: ["small", "large"] },
    });
    expect(readQuestion(own, { question: "tokens by model", nowMs }).query).toMatchObject({
      measures: ["tokens"],
      dimensions: ["model"],
    });
  });
});
