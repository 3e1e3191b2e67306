import { IS_SOAK } from "@turnpike/testkit/soak";
import fc from "fast-check";
import { expect, it } from "vitest";
import type { QuestionReading } from "./question-reading.ts";
import { indexVocabulary, type QuestionVocabulary } from "./question-vocabulary.ts";
import { readQuestion } from "./read-question.ts";

const VOCABULARY: QuestionVocabulary = {
  actor: "operator",
  timeZone: "America/New_York",
  billingPeriod: { from: "2026-07-01", to: "2026-08-01" },
  tenants: ["Acme Corp", "Globex"],
  keys: ["production", "ci"],
  plans: ["Free", "Pro"],
  routes: ["/v1/search", "/v1/orders/{id}"],
  methods: ["GET", "POST"],
  regions: ["eu-west-1"],
  environments: ["live", "test"],
  meters: [{ slug: "tokens", unit: "token", dimensions: ["model"] }],
  meterValues: { model: ["small", "large"] },
};
const index = indexVocabulary(VOCABULARY);
const QUESTIONS = [
  "top 5 tenants by errors on /v1/search between 3 and 9 June vs the week before",
  "p95 and p99 latency per hour in eu-west-1 for Globex since last Monday",
  "tokens of the large model by key, except ci, in Q2 compared with last year",
  "why did revenue on the Pro plan drop in the second quarter of 2025",
  "routes slower than 800 ms at p95, 5xx only, month to date",
  "what will my invoice be at the end of the month",
];
const WORDS = [...new Set(QUESTIONS.flatMap((question) => question.split(" ")))];
const MEASURES =
  /^(?:requests|errors|error_rate|denied|rate_limited|latency_(?:avg|p50|p95|p99)|bytes_(?:in|out)|spend|revenue|mrr|tenants|active_tenants|new_tenants|active_keys|keys_created|keys_revoked|invoices|tokens)$/;
const DIMENSIONS =
  /^(?:tenant|key|plan|route|method|status|status_class|region|environment|invoice_status|model)$/;
const VALUES: ReadonlySet<unknown> = new Set([
  ...Object.values(VOCABULARY).flatMap((list) => (Array.isArray(list) ? list : [])),
  ...(VOCABULARY.meterValues["model"] ?? []),
  ...["draft", "open", "paid", "void", "uncollectible", "overdue"],
  ...["1xx", "2xx", "3xx", "4xx", "5xx"],
]);

/** Cuts, swaps, repeats and replaces words and characters of a question. */
const mutated = fc
  .tuple(
    fc.constantFrom(...QUESTIONS),
    fc.array(
      fc.tuple(
        fc.nat(120),
        fc.constantFrom("cut", "put", "word", "swap", "twice"),
        fc.oneof(fc.string({ maxLength: 6 }), fc.string({ unit: "binary", maxLength: 3 })),
        fc.constantFrom(...WORDS),
      ),
      { minLength: 1, maxLength: 12 },
    ),
  )
  .map(([question, edits]) =>
    edits.reduce((text, [place, edit, put, word]) => {
      const at = place % (text.length + 1);
      switch (edit) {
        case "cut":
          return text.slice(0, at) + text.slice(at + 1 + (place % 5));
        case "put":
          return text.slice(0, at) + put + text.slice(at);
        case "word":
          return `${text.slice(0, at)} ${word} ${text.slice(at)}`;
        case "swap":
          return text.slice(at) + text.slice(0, at);
        default:
          return text + text.slice(at);
      }
    }, question),
  );

function isWithinVocabulary({ query }: QuestionReading): boolean {
  if (query === undefined) {
    return true;
  }
  const isField = (name: string) => MEASURES.test(name) || DIMENSIONS.test(name);
  return (
    query.measures.length > 0 &&
    query.measures.every((name) => MEASURES.test(name)) &&
    query.dimensions.every((name) => DIMENSIONS.test(name)) &&
    Date.parse(query.from) < Date.parse(query.to) &&
    query.filters.every(
      ({ field, value }) =>
        isField(field) && [value].flat().every((one) => typeof one === "number" || VALUES.has(one)),
    )
  );
}

it("never throws and never names what the vocabulary does not have, however a question is mangled", () => {
  fc.assert(
    fc.property(mutated, (question) => {
      const nowMs = Date.parse("2026-07-15T12:00:00Z");
      const after = question.length % 3 === 0 ? QUESTIONS[0] : undefined;
      expect(isWithinVocabulary(readQuestion(index, { question, nowMs, after }))).toBe(true);
    }),
    { numRuns: IS_SOAK ? 100_000 : 2_000, seed: 25 },
  );
});
