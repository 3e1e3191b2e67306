import type { ModelEnd, ModelEvent, ModelQuestion } from "@turnpike/contract/model-answers";
import { questionReply } from "@turnpike/contract/questions";
import { assertMayInTenant, type CallContext, mayInTenant } from "@turnpike/domain/access/actor";
import { SCOPES } from "@turnpike/domain/access/scopes";
import type { TenantId } from "@turnpike/domain/ids/ids";
import type { TextStreamPart, ToolSet } from "ai";
import type { AppServices } from "#platform/app-services.ts";
import type { Documentation } from "../agents.ports.ts";
import type { ToolCall, ToolFailure } from "../tools/agent-tools.ts";
import { keepBudget } from "./keep-budget.ts";
import { hostOf, type ModelSettings } from "./model-settings.ts";
import { createModelTools } from "./model-tools.ts";
import type { LanguageModel } from "./open-language-model.ts";
import { createSpending, ModelNotAsked } from "./spend-tokens.ts";
import { toSentText } from "./to-sent-result.ts";
import { createTranslation, type Translation } from "./translate-events.ts";
import { describeFailure, reasonOf, reasonOfFinish, writeEnd } from "./why-ended.ts";
import { writeInstructions, writePrompt } from "./write-instructions.ts";

/** Calls of the model for one question. */
const STEPS_MAX = 6;
export type ModelDeps = AppServices & {
  /** Undefined: none is configured. */
  model: { settings: ModelSettings; open(): Promise<LanguageModel> } | undefined;
  documentation: Documentation;
  brandName: string;
};

/** The caller, the tenant that is asked about, and how operations of the API are called for them. */
export type ModelAsker = {
  context: CallContext;
  tenantId: TenantId;
  callOperation(id: string, input: unknown): Promise<unknown>;
  explainError(error: unknown): ToolFailure;
};

/** The rights of the caller, as those of an agent. */
function toToolCall(deps: ModelDeps, asker: ModelAsker): ToolCall {
  const { actor } = asker.context;
  const { tenantId } = asker;
  const scopes = new Set<string>(SCOPES.filter((scope) => mayInTenant(actor, scope, tenantId)));
  return {
    agent: { actor, tenantId, scopes },
    documentation: deps.documentation,
    callOperation: asker.callOperation,
    explainError: asker.explainError,
  };
}

async function* translate(
  parts: AsyncIterable<TextStreamPart<ToolSet>>,
  translation: Translation,
): AsyncGenerator<ModelEvent, ModelEnd> {
  let finish = "interrupted";
  for await (const part of parts) {
    switch (part.type) {
      case "text-start":
        yield* translation.beginText();
        break;
      case "text-delta":
        yield* translation.pushText(part.text);
        break;
      case "text-end":
        yield* translation.endText();
        break;
      case "tool-call":
        yield* translation.call(part);
        break;
      case "tool-error":
        yield* translation.invalid(part.toolCallId, part.error);
        break;
      case "tool-result":
        yield* translation.result(part);
        break;
      case "finish":
        finish = part.finishReason;
        break;
      case "error":
        throw part.error;
      case "abort":
        return "too_slow";
      default:
    }
  }
  yield* translation.endText();
  return reasonOfFinish(finish, translation.hasText());
}

async function* runModel(
  deps: ModelDeps & { model: NonNullable<ModelDeps["model"]> },
  asker: ModelAsker,
  run: { question: ModelQuestion; translation: Translation; signal: AbortSignal },
): AsyncGenerator<ModelEvent, ModelEnd> {
  const { settings, open } = deps.model;
  const { question, translation, signal } = run;
  const { isStepCount, streamText, wrapLanguageModel } = await import("ai");
  const spending = createSpending({ ...deps, model: settings }, asker.context, {
    tenantId: asker.tenantId,
    question: toSentText(question.question),
  });
  const { stream } = streamText({
    model: wrapLanguageModel({
      model: await open(),
      middleware: keepBudget(spending, settings.answerTokensMax),
    }),
    instructions: writeInstructions({
      brandName: deps.brandName,
      now: deps.clock.now(),
      timeZone: question.timeZone,
    }),
    tools: await createModelTools({ call: toToolCall(deps, asker), modelName: settings.name }),
    toolCallConcurrency: 1,
    stopWhen: isStepCount(STEPS_MAX),
    maxOutputTokens: settings.answerTokensMax,
    // Each attempt costs tokens, and the person can ask again.
    maxRetries: 0,
    prompt: writePrompt(question),
    abortSignal: signal,
    // It would print them: they are parts of the stream as well.
    onError: () => undefined,
  });
  return yield* translate(stream, translation);
}

/**
 * Lets a language model answer a question about one tenant, with the tools and the rights of the caller. The built-in answer comes first
 * and stands: the stream comes to an `end` that says why, also when the model fails.
 *
 * @returns The events; nothing is sent to the model before they are read. The signal ends it early.
 * @throws {AppError} `RESOURCE_NOT_FOUND`; `INSUFFICIENT_SCOPE`; `QUERY_TOO_COSTLY`; `OVERLOADED`.
 */
export async function answerWithModel(
  deps: ModelDeps,
  asker: ModelAsker,
  question: ModelQuestion,
): Promise<(signal: AbortSignal) => AsyncGenerator<ModelEvent>> {
  const { tenantId } = asker;
  assertMayInTenant(asker.context.actor, "usage:read", tenantId);
  const asked = await asker.callOperation("questions.ask", { tenantId, ...question });
  const builtIn = questionReply.parse(asked);
  const { model } = deps;
  const translation = createTranslation({ builtIn, question: question.question });

  function* end(reason: ModelEnd): Generator<ModelEvent> {
    const differences = translation.differences();
    if (differences !== undefined) {
      yield { kind: "check", differences };
    }
    yield { kind: "end", reason, sentence: writeEnd(reason), withheld: translation.withheld() };
  }

  return async function* events(gone) {
    if (model === undefined) {
      yield { kind: "start", builtIn, model: null };
      yield* end("not_configured");
      return;
    }
    const { settings } = model;
    yield { kind: "start", builtIn, model: { name: settings.name, host: hostOf(settings) } };
    const timeout = AbortSignal.timeout(settings.timeoutMs);
    const signal = AbortSignal.any([gone, timeout]);
    let reason: ModelEnd;
    try {
      reason = yield* runModel({ ...deps, model }, asker, { question, translation, signal });
    } catch (error) {
      yield* translation.endText();
      reason = timeout.aborted ? "too_slow" : reasonOf(error, translation.hasText());
      if (!(gone.aborted || error instanceof ModelNotAsked)) {
        deps.logger.warn(
          { failure: describeFailure(error), reason, requestId: asker.context.requestId },
          "A language model did not answer",
        );
      }
    }
    if (!gone.aborted) {
      yield* end(reason);
    }
  };
}
