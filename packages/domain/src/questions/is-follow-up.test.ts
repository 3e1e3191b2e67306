import { describe, expect, it } from "vitest";
import { indexVocabulary } from "./question-vocabulary.ts";
import { readQuestion } from "./read-question.ts";

const index = indexVocabulary({
  actor: "tenant",
  timeZone: "UTC",
  billingPeriod: { from: "2026-07-01", to: "2026-08-01" },
  tenants: [],
  keys: ["production", "mobile-app"],
  plans: ["Free", "Pro"],
  routes: ["/v1/search", "/v1/orders"],
  methods: ["GET", "POST"],
  regions: [],
  environments: ["live", "test"],
  meters: [{ slug: "tokens", unit: "token", dimensions: ["model"] }],
  meterValues: { model: ["small", "large"] },
});
/** A Wednesday. */
const nowMs = Date.parse("2026-07-15T12:00:00Z");
const read = (question: string, after: readonly string[] = []) =>
  readQuestion(index, { question, nowMs, after });

/** The question before, and one that has a subject of its own. */
const AFRESH: readonly (readonly [before: string, question: string])[] = [
  ["how many 404s were there this week?", "why are so many of my calls denied?"],
  ["how many 404s were there this week?", "which route is the slowest?"],
  ["how many 404s were there this week?", "then which route is the slowest?"],
  ["how many 404s were there this week?", "ok, which key is the busiest?"],
  ["errors yesterday by route", "which key makes the most calls?"],
  ["errors yesterday by route", "which endpoint takes the longest to respond?"],
  ["requests on /v1/search yesterday", "how many errors were there?"],
  ["requests on /v1/search yesterday", "what is the average latency?"],
  ["errors of the production key last week", "show me requests by route"],
  ["errors of the production key last week", "how many 429s did I get?"],
  ["requests by key last week", "in June, how many errors were there?"],
  ["requests by key last week", "on /v1/search, what is the p95 latency?"],
  ["404s by key", "rank routes by p95 latency"],
  ["404s by key", "split tokens by model"],
  ["errors yesterday", "why is latency so high?"],
  ["404s this week", "what caused the drop in traffic?"],
  ["why did errors jump yesterday?", "how many calls did I make today?"],
  ["when do we hit the quota?", "requests by route today"],
  ["when do we hit the quota?", "which route is the slowest?"],
  ["requests last week", "when do we hit the quota?"],
  ["requests last week", "what will my next invoice be?"],
  ["requests last week", "which keys are unused?"],
  ["errors yesterday", "how are we doing?"],
  ["errors yesterday", "thanks!"],
];

type Expected = {
  kind?: string;
  measures?: string[];
  dimensions?: string[];
  filters?: string[];
  from?: string;
  kept?: string[];
  assumed?: string;
};

const READ_ON: readonly (readonly [before: string, question: string, expected: Expected])[] = [
  ["errors yesterday", "why?", { kind: "explain", measures: ["errors"], from: "2026-07-14" }],
  ["errors yesterday", "why did it jump?", { kind: "explain", measures: ["errors"] }],
  ["errors yesterday", "what happened?", { kind: "explain", measures: ["errors"] }],
  [
    "errors on /v1/search yesterday",
    "why did errors jump?",
    { kind: "explain", filters: ["route /v1/search"], kept: ["route /v1/search"] },
  ],
  [
    "how many 404s were there this week?",
    "by key?",
    { dimensions: ["key"], filters: ["status 404"], kept: ["status 404"] },
  ],
  [
    "how many 404s were there this week?",
    "which route is the worst?",
    { measures: ["requests"], dimensions: ["route"], filters: ["status 404"] },
  ],
  [
    "how many 404s were there this week?",
    "and how many were denied?",
    { measures: ["denied"], filters: [], assumed: "no longer only status 404", from: "2026-07-13" },
  ],
  [
    "requests by route last week",
    "and the slowest?",
    { measures: ["latency_p95"], dimensions: ["route"], assumed: "by latency (p95)" },
  ],
  [
    "requests by route last week",
    "how many of those were errors?",
    { measures: ["errors"], dimensions: ["route"], from: "2026-07-06" },
  ],
  [
    "requests of the production key last week",
    "only POST",
    { filters: ["key production", "method POST"], kept: ["key production"] },
  ],
  [
    "requests of the production key last week",
    "what about mobile-app?",
    { filters: ["key mobile-app"], kept: [] },
  ],
  [
    "requests of the production key last week",
    "and the week before?",
    { filters: ["key production"], from: "2026-06-29" },
  ],
  ["requests of the production key last week", "which routes?", { dimensions: ["route"] }],
  [
    "5xx errors last week",
    "and the error rate?",
    { measures: ["error_rate"], filters: ["status_class 5xx"] },
  ],
  [
    "tokens for the large model in June",
    "and how many requests?",
    { measures: ["requests"], filters: [], assumed: "no longer only model large" },
  ],
  ["tokens by model in June", "and requests?", { measures: ["requests"], dimensions: [] }],
  [
    "429s yesterday",
    "and spend?",
    { measures: ["spend"], filters: [], assumed: "no longer only status 429" },
  ],
  [
    "why did errors jump yesterday?",
    "by route?",
    { kind: "query", measures: ["errors"], dimensions: ["route"], from: "2026-07-14" },
  ],
  ["requests today", "now as p99 latency", { measures: ["latency_p99"], from: "2026-07-15" }],
  ["cost of tokens in June", "spend", { measures: ["spend"], from: "2026-06-01", kept: [] }],
  ["how are we doing last week?", "errors", { measures: ["errors"], from: "2026-07-06" }],
];

describe("a question after another one", () => {
  it.each(AFRESH)("after “%s”, “%s” is read as if it came first", (before, question) => {
    expect(read(question, [before])).toEqual(read(question));
  });

  it("starts afresh in a conversation too: nothing of the first question comes back", () => {
    const before = ["how many 404s were there this week?", "why are so many of my calls denied?"];
    expect(read("which route is the slowest?", before)).toEqual(
      read("which route is the slowest?"),
    );
  });

  it.each(READ_ON)("after “%s”, “%s” goes on from it", (before, question, expected) => {
    const { kind, query, kept = [], assumed } = read(question, [before]);
    const toText = ({ field, value }: { field: string; value: unknown }) =>
      `${field} ${String(value)}`;
    const found: Expected = {
      kind,
      measures: [...(query?.measures ?? [])],
      dimensions: [...(query?.dimensions ?? [])],
      filters: (query?.filters ?? []).map(toText),
      from: query?.from ?? "",
      kept: kept.map(toText),
    };
    const { assumed: says, ...fields } = expected;
    expect(found).toMatchObject(fields);
    expect(says === undefined || assumed.includes(says)).toBe(true);
  });
});
