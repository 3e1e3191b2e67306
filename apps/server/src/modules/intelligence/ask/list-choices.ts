import type { QuestionChoices } from "@turnpike/contract/questions";
import { USAGE_DIMENSIONS } from "@turnpike/contract/usage-query";
import { assertMayInTenant, type CallContext } from "@turnpike/domain/access/actor";
import type { TenantId } from "@turnpike/domain/ids/ids";
import type { Language } from "@turnpike/domain/text/languages";
import { wordsOf } from "./answer-words.ts";
import type { AskDeps } from "./asker.ts";
import { describeMeasure, TENANT_MEASURES } from "./describe-measure.ts";
import { findVocabulary } from "./question-vocabulary.ts";
import { suggestQuestions } from "./suggest-questions.ts";

/** More are typed rather than chosen. */
const VALUES_MAX = 100;

/** Lists what questions about a tenant may name. @throws {AppError} `RESOURCE_NOT_FOUND`; `INSUFFICIENT_SCOPE`. */
export async function listChoices(
  deps: AskDeps,
  context: CallContext,
  {
    tenantId,
    timeZone,
    language = "en",
  }: { tenantId: TenantId; timeZone: string; language?: Language | undefined },
): Promise<QuestionChoices> {
  assertMayInTenant(context.actor, "usage:read", tenantId);
  const words = wordsOf(language);
  const asker = { context, tenantId, timeZone, nowMs: deps.clock.now().getTime(), words };
  const vocabulary = await findVocabulary(deps, asker, { texts: [] });
  const { keys, routes, models, methods, environments, meters, meterValues } =
    vocabulary.index.vocabulary;
  const values = {
    ...meterValues,
    key: keys,
    route: routes,
    model: [...new Set([...(models ?? []), ...(meterValues["model"] ?? [])])],
    method: methods,
    environment: environments,
    status_class: ["2xx", "3xx", "4xx", "5xx"],
  };
  const names = [...TENANT_MEASURES, ...meters.map(({ slug }) => slug)];
  const suggested = suggestQuestions(vocabulary, asker);
  return {
    suggestions: suggested.map(({ question }) => question),
    titles: suggested.map(({ title }) => title),
    measures: names.map((name) => {
      const measure = describeMeasure(vocabulary, name);
      return { ...measure, title: words.say(measure.title) };
    }),
    dimensions: [
      ...USAGE_DIMENSIONS.filter((name) => name !== "outcome"),
      ...new Set(meters.flatMap(({ dimensions }) => dimensions)),
    ],
    values: Object.fromEntries(
      Object.entries(values).map(([name, list]) => [name, list.slice(0, VALUES_MAX)]),
    ),
  };
}
