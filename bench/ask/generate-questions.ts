import type { LabelledQuestion } from "./parse-questions.ts";

const MEASURES = [
  ["requests", "requests"],
  ["API calls", "requests"],
  ["traffic", "requests"],
  ["errors", "errors"],
  ["failures", "errors"],
  ["the error rate", "error_rate"],
  ["p95 latency", "latency_p95"],
  ["p99 response time", "latency_p99"],
  ["average latency", "latency_avg"],
  ["denied calls", "denied"],
  ["tokens", "tokens"],
  ["token usage", "tokens"],
  ["storage", "storage_gb"],
  ["spend", "spend"],
  ["costs", "spend"],
  ["revenue", "revenue"],
  ["bytes out", "bytes_out"],
] as const;
const DIMENSIONS = [
  ["key", "key"],
  ["api key", "key"],
  ["tenant", "tenant"],
  ["customer", "tenant"],
  ["endpoint", "route"],
  ["route", "route"],
  ["region", "region"],
  ["plan", "plan"],
  ["method", "method"],
  ["environment", "environment"],
] as const;
const RANGES = [
  ["yesterday", "2026-07-14", "2026-07-15"],
  ["last week", "2026-07-06", "2026-07-13"],
  ["last month", "2026-06-01", "2026-07-01"],
  ["in May", "2026-05-01", "2026-06-01"],
  ["in Q1", "2026-01-01", "2026-04-01"],
  ["since Monday", "2026-07-13", "2026-07-16"],
  ["month to date", "2026-07-01", "2026-07-16"],
  ["between 3 and 9 June", "2026-06-03", "2026-06-10"],
  ["over the past 7 days", "2026-07-08", "2026-07-15"],
  ["from 2026-06-01 to 2026-06-14", "2026-06-01", "2026-06-15"],
  ["in the previous billing period", "2026-06-01", "2026-07-01"],
] as const;
const FILTERS = [
  ["for Globex", "tenant", "Globex"],
  ["of Wayne Enterprises", "tenant", "Wayne Enterprises"],
  ["with the mobile-app key", "key", "mobile-app"],
  ["on /v1/chat", "route", "/v1/chat"],
  ["in eu-west-1", "region", "eu-west-1"],
  ["on the Pro plan", "plan", "Pro"],
  ["in the test environment", "environment", "test"],
] as const;
const GRAINS = [
  ["per day", "day"],
  ["by hour", "hour"],
  ["week by week", "week"],
] as const;

/** The element that a counter comes to when it goes around a list. */
function pick<Element>(list: readonly Element[], at: number): Element {
  const element = list[at % list.length];
  if (element === undefined) {
    throw new RangeError("The list is empty.");
  }
  return element;
}

const COUNT = 2_000;

/** Two thousand questions from templates, all expected readings included. */
export function generateQuestions(): LabelledQuestion[] {
  return Array.from({ length: COUNT }, (_, at): LabelledQuestion => {
    const [measure, name] = pick(MEASURES, at);
    const [noun, dimension] = pick(DIMENSIONS, Math.floor(at / 3));
    const [range, from, to] = pick(RANGES, Math.floor(at / 5));
    const [where, field, value] = pick(FILTERS, Math.floor(at / 7));
    const [step, grain] = pick(GRAINS, Math.floor(at / 11));
    const count = 2 + (at % 8);
    const base = {
      kind: "query",
      measures: [name],
      dimensions: [],
      filters: [],
      from,
      to: [to],
    } as const;
    const filters = [{ field, op: "eq", value }] as const;
    const of = (question: string, more: object): LabelledQuestion => ({
      group: "from templates",
      question,
      expected: { ...base, ...more },
    });
    switch (at % 6) {
      case 0:
        return of(`show me ${measure} ${range}`, {});
      case 1:
        return of(`${measure} by ${noun} ${range}`, { dimensions: [dimension] });
      case 2:
        return of(`What was ${measure} ${where} ${range}?`, { filters });
      case 3:
        return of(`top ${String(count)} ${noun}s by ${measure} ${range}`, {
          dimensions: [dimension],
          order: "desc",
          limit: count,
        });
      case 4:
        return of(`${range}, ${measure} ${step}, please`, { grain });
      default:
        return of(`how did ${measure} split by ${noun} ${where} ${range}`, {
          dimensions: [dimension],
          filters,
        });
    }
  });
}
