import { implement } from "@orpc/server";
import { allQuestionsContract, questionsContract } from "@turnpike/contract/questions";
import { nameSender, nameSenderIn } from "@turnpike/domain/access/actor";
import type { HttpContext } from "#http/http-context.ts";
import type { Queue } from "#modules/analytics/index.ts";
import { askQuestion } from "./ask-question.ts";
import type { AskDeps } from "./asker.ts";
import { listChoices } from "./list-choices.ts";
import { createVocabularyCache } from "./named-vocabulary.ts";

type RouteDeps = Omit<AskDeps, "vocabularies"> & { inTurn: Queue };

/** Questions about one tenant and about all; they share what they may name. */
export function createQuestionsRoutes(input: RouteDeps) {
  const deps = { ...input, vocabularies: createVocabularyCache() };
  const os = implement(questionsContract).$context<HttpContext>();
  const all = implement(allQuestionsContract).$context<HttpContext>();
  return {
    questions: os.router({
      ask: os.ask.handler(({ input: asked, context }) => {
        const call = context.call();
        return deps.inTurn(nameSenderIn(call.actor, asked.tenantId), () =>
          askQuestion(deps, call, asked),
        );
      }),
      choices: os.choices.handler(({ input: asked, context }) => {
        const call = context.call();
        return deps.inTurn(nameSenderIn(call.actor, asked.tenantId), () =>
          listChoices(deps, call, asked),
        );
      }),
    }),
    allQuestions: all.router({
      ask: all.ask.handler(({ input: asked, context }) => {
        const call = context.call();
        return deps.inTurn(nameSender(call.actor), () =>
          askQuestion(deps, call, { ...asked, tenantId: null }),
        );
      }),
    }),
  };
}
