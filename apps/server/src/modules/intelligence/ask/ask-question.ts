import type { Answer, AskedInput, AskedQuery, QuestionReply } from "@turnpike/contract/questions";
import { assertMay, assertMayInTenant, type CallContext } from "@turnpike/domain/access/actor";
import { AppError } from "@turnpike/domain/errors/app-error";
import type { TenantId } from "@turnpike/domain/ids/ids";
import type { QuestionReading } from "@turnpike/domain/questions/question-reading";
import { readQuestion } from "@turnpike/domain/questions/read-question";
import { said } from "@turnpike/domain/text/said";
import { answerAdvice } from "./answer-advice.ts";
import { answerCounts, COUNTED } from "./answer-counts.ts";
import { answerCredit } from "./answer-credit.ts";
import { answerExplain } from "./answer-explain.ts";
import { answerForecast } from "./answer-forecast.ts";
import { answerMoney } from "./answer-money.ts";
import { answerInvoice, answerQuota, answerRisk, type Said } from "./answer-standing.ts";
import { type Answered, answerUsage } from "./answer-usage.ts";
import { type AnswerWords, wordsOf } from "./answer-words.ts";
import type { AskDeps, Asker } from "./asker.ts";
import { CannotAnswer } from "./cannot-answer.ts";
import { MONEY } from "./money-thresholds.ts";
import type { NamedVocabulary } from "./named-vocabulary.ts";
import { findVocabulary } from "./question-vocabulary.ts";
import { type Suggestion, suggestQuestions } from "./suggest-questions.ts";
import { toQuery } from "./to-query.ts";
import { describeKept, writeSentence } from "./write-sentence.ts";

type Understood = { vocabulary: NamedVocabulary; reading: QuestionReading };

const ANSWERED = new Set(["query", "explain", "forecast", "quota", "invoice", "advice", "risk"]);

/** Reads a question; one that is not understood is read again with names that may be new. */
async function understand(deps: AskDeps, asker: Asker, input: AskedInput): Promise<Understood> {
  const { question, after } = input;
  const texts = [...after, question];
  const read = (vocabulary: NamedVocabulary) => ({
    vocabulary,
    reading: readQuestion(vocabulary.index, { question, after, nowMs: asker.nowMs }),
  });
  const first = read(await findVocabulary(deps, asker, { texts }));
  const isOld = first.vocabulary.readAtMs < asker.nowMs;
  return isOld && !ANSWERED.has(first.reading.kind)
    ? read(await findVocabulary(deps, asker, { texts, isFresh: true }))
    : first;
}

async function answerQuery(
  deps: AskDeps,
  asker: Asker,
  input: { vocabulary: NamedVocabulary; query: AskedQuery },
): Promise<Answered> {
  const { measures } = input.query;
  if (measures.some((name) => MONEY.includes(name))) {
    return await answerMoney(deps, asker, input);
  }
  return measures.some((name) => COUNTED.includes(name))
    ? await answerCounts(deps, asker, input)
    : await answerUsage(deps, asker, input);
}

async function say(
  deps: AskDeps,
  asker: Asker,
  {
    vocabulary,
    kind,
    about,
    query,
  }: {
    about: QuestionReading["about"] | undefined;
    vocabulary: NamedVocabulary;
    kind: QuestionReading["kind"];
    query: AskedQuery | null;
  },
): Promise<Said> {
  switch (kind) {
    case "quota":
      return about === "credit" ? await answerCredit(deps, asker) : await answerQuota(deps, asker);
    case "invoice":
      return await answerInvoice(deps, asker);
    case "risk":
      return await answerRisk(deps, asker, vocabulary);
    case "advice":
      return await answerAdvice(deps, asker);
    default:
  }
  if (query === null) {
    throw new CannotAnswer("Nothing was asked for.");
  }
  if (kind === "forecast") {
    return await answerForecast(deps, asker, { vocabulary, query });
  }
  if (kind === "explain") {
    return await answerExplain(deps, asker, { vocabulary, query });
  }
  const { answer, assumed } = await answerQuery(deps, asker, { vocabulary, query });
  return { answer, assumed, sentence: writeSentence(answer, query, asker) };
}

/** Why a question has no answer, as far as that is the question's fault; `undefined` for any other failure. */
function refusalOf(error: unknown, { say, recognise, translate }: AnswerWords): string | undefined {
  if (error instanceof CannotAnswer) {
    return say(error.sentence, ...error.values.map(recognise));
  }
  if (error instanceof AppError && error.code === "INVALID_REQUEST") {
    return translate(error.errors[0]?.message ?? error.message);
  }
  return error instanceof AppError && error.code === "INSUFFICIENT_SCOPE"
    ? `${say("Your role does not allow to see that.")} ${translate(error.message)}`
    : undefined;
}

const CLARIFY = "That can mean several things. Which one?";
const FOREIGN = said("Questions are understood in English only. You can ask, for example:");
const REFUSE = said("That cannot be answered here. You can ask for figures such as these:");

/** Ways to go on: as questions, and in the language of the person who may ask them. */
const toChoices = (suggested: readonly Suggestion[]) => ({
  choices: suggested.map(({ question }) => question),
  titles: suggested.map(({ title }) => title),
});

/** Names the measures of an answer in the language of the answer. */
function withTitles(answer: Answer | null, { say }: AnswerWords): Answer | null {
  return (
    answer && {
      ...answer,
      measures: answer.measures.map((measure) => ({ ...measure, title: say(measure.title) })),
    }
  );
}

/**
 * Answers a question in plain English with the rights of the caller, about one tenant or, for operators, about all. What is asked is
 * data: every name is one that the caller may see, and no text reaches the database as anything but a value.
 *
 * @throws {AppError} `RESOURCE_NOT_FOUND`; `INSUFFICIENT_SCOPE`; `QUERY_TOO_COSTLY`; `OVERLOADED`.
 */
export async function askQuestion(
  deps: AskDeps,
  context: CallContext,
  input: AskedInput & { tenantId: TenantId | null },
): Promise<QuestionReply> {
  const { tenantId, question, timeZone, query: edited } = input;
  if (tenantId === null) {
    assertMay(context.actor, "usage:read");
  } else {
    assertMayInTenant(context.actor, "usage:read", tenantId);
  }
  const words = wordsOf(input.language);
  const asker = { context, tenantId, timeZone, nowMs: deps.clock.now().getTime(), words };
  const { vocabulary, reading } =
    edited === undefined
      ? await understand(deps, asker, input)
      : {
          vocabulary: await findVocabulary(deps, asker, { texts: [JSON.stringify(edited)] }),
          reading: { kind: input.kind, query: edited, assumed: [] } as QuestionReading,
        };
  const { kind, about, choices = [], kept = [] } = reading;
  const query = reading.query === undefined ? null : toQuery(reading.query);
  const assumed = reading.assumed.map(words.recognise);
  const reply = { question, query, timeZone, assumed };
  if (!ANSWERED.has(kind)) {
    const isClear = kind === "clarify" && choices.length > 0;
    return {
      ...reply,
      kind: isClear ? "clarify" : "refuse",
      sentence: words.say(isClear ? CLARIFY : reading.isForeign === true ? FOREIGN : REFUSE),
      answer: null,
      ...(isClear
        ? { choices: [...choices], titles: choices.map(words.recognise) }
        : toChoices(suggestQuestions(vocabulary, asker))),
    };
  }
  try {
    const answered = await say(deps, asker, { vocabulary, kind, about, query });
    return {
      ...reply,
      kind,
      assumed: [...new Set([...assumed, ...answered.assumed.map(words.recognise)])],
      sentence: `${answered.sentence}${describeKept(kept, words)}`,
      answer: withTitles(answered.answer, words),
      choices: [],
      titles: [],
    };
  } catch (error) {
    const sentence = refusalOf(error, words);
    if (sentence === undefined) {
      throw error;
    }
    return {
      ...reply,
      kind: "refuse",
      sentence,
      answer: null,
      ...toChoices(suggestQuestions(vocabulary, asker)),
    };
  }
}
