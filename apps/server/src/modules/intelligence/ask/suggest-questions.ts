import { readQuestion } from "@turnpike/domain/questions/read-question";
import { said } from "@turnpike/domain/text/said";
import { fillPlaces } from "#platform/words/fill-places.ts";
import type { Asker } from "./asker.ts";
import { nameDimension } from "./name-dimension.ts";
import type { NamedVocabulary } from "./named-vocabulary.ts";

const SUGGESTED_MAX = 6;

/** A question as the grammar reads it, and in the language of the person who may ask it. */
export type Suggestion = { readonly question: string; readonly title: string };

/** Questions to start with, in the names of this tenant's own data. Each is one that is understood. */
export function suggestQuestions(
  vocabulary: NamedVocabulary,
  { nowMs, words }: Pick<Asker, "nowMs" | "words">,
): Suggestion[] {
  const { actor, routes, keys, meters, tenants, models = [] } = vocabulary.index.vocabulary;
  const [route] = routes;
  const [key] = keys;
  const [tenant] = tenants;
  const meter = meters.find(({ dimensions }) => dimensions.length > 0) ?? meters[0];
  const [dimension] = meter?.dimensions ?? [];
  const suggest = (sentence: string, ...values: readonly string[]): Suggestion => ({
    question: fillPlaces(sentence, values),
    title: words.say(sentence, ...values),
  });
  const ofMeter =
    meter === undefined
      ? []
      : [
          dimension === undefined
            ? suggest(said("{0} per day this month"), meter.slug)
            : {
                ...suggest(said("{0} by {1} this month"), meter.slug, dimension),
                title: words.say(
                  said("{0} by {1} this month"),
                  meter.slug,
                  nameDimension(words, dimension),
                ),
              },
        ];
  const ofRoute = route === undefined ? [] : [suggest(said("p95 latency on {0} per day"), route)];
  const suggested =
    actor === "operator"
      ? [
          suggest(said("top 5 tenants by requests last week")),
          suggest(said("revenue per month this year")),
          suggest(said("overdue invoices by tenant this year")),
          ...(tenant === undefined
            ? []
            : [suggest(said("errors of {0} per day this month"), tenant)]),
          suggest(said("new tenants per month this year")),
          suggest(said("error rate by plan this month")),
        ]
      : [
          suggest(said("requests per day")),
          suggest(said("error rate by route last week vs the week before")),
          ...(models.length > 0
            ? [
                suggest(said("tokens by model this week")),
                suggest(said("which model costs the most this month")),
              ]
            : ofMeter),
          ...(key === undefined
            ? []
            : [
                /\bkey$/i.test(key)
                  ? suggest(said("requests of the {0} by route this month"), key)
                  : suggest(said("requests of the {0} key by route this month"), key),
              ]),
          ...ofRoute,
          suggest(said("why did requests change yesterday?")),
          suggest(said("when do we hit the quota?")),
          suggest(said("what will my next invoice be?")),
        ];
  const isUnderstood = ({ question }: Suggestion) =>
    !/^(?:clarify|refuse)$/.test(readQuestion(vocabulary.index, { question, nowMs }).kind);
  return suggested.filter(isUnderstood).slice(0, SUGGESTED_MAX);
}
