import { readQuestion } from "@turnpike/domain/questions/read-question";
import type { Asker } from "./asker.ts";
import type { NamedVocabulary } from "./named-vocabulary.ts";

const SUGGESTED_MAX = 6;

/** Questions to start with, in the names of this tenant's own data. Each is one that is understood. */
export function suggestQuestions(vocabulary: NamedVocabulary, { nowMs }: Asker): string[] {
  const { actor, routes, keys, meters, tenants, models = [] } = vocabulary.index.vocabulary;
  const [route] = routes;
  const [key] = keys;
  const [tenant] = tenants;
  const meter = meters.find(({ dimensions }) => dimensions.length > 0) ?? meters[0];
  const [dimension] = meter?.dimensions ?? [];
  const ofMeter =
    meter === undefined
      ? []
      : [`${meter.slug}${dimension === undefined ? " per day" : ` by ${dimension}`} this month`];
  const ofRoute = route === undefined ? [] : [`p95 latency on ${route} per day`];
  const texts =
    actor === "operator"
      ? [
          "top 5 tenants by requests last week",
          "revenue per month this year",
          "overdue invoices by tenant this year",
          ...(tenant === undefined ? [] : [`errors of ${tenant} per day this month`]),
          "new tenants per month this year",
          "error rate by plan this month",
        ]
      : [
          "requests per day",
          "error rate by route last week vs the week before",
          ...(models.length > 0
            ? ["tokens by model this week", "which model costs the most this month"]
            : ofMeter),
          ...(key === undefined ? [] : [`requests of the ${key} key by route this month`]),
          ...ofRoute,
          "why did requests change yesterday?",
          "when do we hit the quota?",
          "what will my next invoice be?",
        ];
  const isUnderstood = (question: string) =>
    !/^(?:clarify|refuse)$/.test(readQuestion(vocabulary.index, { question, nowMs }).kind);
  return texts.filter(isUnderstood).slice(0, SUGGESTED_MAX);
}
