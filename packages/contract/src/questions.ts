import {
  QUESTION_LENGTH_MAX,
  QUESTIONS_BEFORE_MAX,
} from "@turnpike/domain/questions/question-limits";
import { LANGUAGES } from "@turnpike/domain/text/languages";
import { GRAINS } from "@turnpike/domain/time/zoned-buckets";
import { z } from "zod";
import { operation } from "./operation.ts";
import { instant, plainText, tenantId } from "./shapes.ts";
import { timeZone } from "./usage-query.ts";

export const QUESTION_KINDS = [
  "query",
  "explain",
  "forecast",
  "quota",
  "invoice",
  "advice",
  "risk",
  "clarify",
  "refuse",
] as const;
export const FILTER_OPERATORS = ["eq", "ne", "in", "not_in", "gt", "gte", "lt", "lte"] as const;
/** The most rows of an answer. */
export const ANSWER_ROWS_MAX = 500;
const NAME_LENGTH_MAX = 100;
const VALUE_LENGTH_MAX = 200;
const FILTER_VALUES_MAX = 100;

const name = plainText(NAME_LENGTH_MAX).min(1);
const filterValue = z.union([plainText(VALUE_LENGTH_MAX), z.number()]);

/** What a question asks for, in the names that people use: keys, routes and tenants by name. */
export const questionQuery = z.strictObject({
  measures: z.array(name).min(1).max(10),
  dimensions: z.array(name).max(4),
  filters: z
    .array(
      z.strictObject({
        field: name,
        op: z.enum(FILTER_OPERATORS),
        value: z.union([filterValue, z.array(filterValue).min(1).max(FILTER_VALUES_MAX)]),
      }),
    )
    .max(20),
  from: z.union([z.iso.date(), instant]).describe("Inclusive. A day begins in `timeZone`."),
  to: z.union([z.iso.date(), instant]).describe("Exclusive."),
  grain: z.enum(GRAINS).optional().describe("The step of a series over time."),
  order: z.enum(["asc", "desc"]).optional(),
  limit: z.number().int().min(1).max(1_000).optional(),
  compare: z.enum(["previous_period", "previous_year"]).optional(),
});
export type AskedQuery = z.infer<typeof questionQuery>;

const cells = z
  .record(z.string(), z.union([z.number(), z.string(), z.null()]))
  .meta({ description: "By measure: a number, an exact decimal as text, or null for nothing." });

export const ANSWER_UNITS = ["count", "share", "milliseconds", "bytes", "money", "units"] as const;

const answerMeasure = z.strictObject({
  name: z.string(),
  title: z.string(),
  unit: z.enum(ANSWER_UNITS),
  /** Of a meter, in the singular. */
  unitName: z.string().nullable(),
});
export type AnswerMeasure = z.infer<typeof answerMeasure>;

const answerRow = z.strictObject({
  /** Start of the step; null without a series. */
  time: instant.nullable(),
  group: z.record(z.string(), z.string()),
  values: cells,
  /** Of the period that it is compared with; null without a comparison. */
  before: cells.nullable(),
});
export type AnswerRow = z.infer<typeof answerRow>;

export const answer = z.strictObject({
  measures: z.array(answerMeasure),
  dimensions: z.array(z.string()),
  from: instant,
  to: instant,
  grain: z.enum(GRAINS).nullable(),
  rows: z.array(answerRow).max(ANSWER_ROWS_MAX),
  /** Over everything that was asked about, including rows that are not shown; null where rows do not add up to anything. */
  totals: cells.nullable(),
  totalsBefore: cells.nullable(),
  /** Names of the ids in the groups: of keys and tenants. */
  names: z.record(z.string(), z.string()),
  truncated: z.boolean(),
  /** The same question as parameters of `GET …/usage`; null where no single question of usage gives the figures. */
  usage: z.record(z.string(), z.string()).nullable(),
});
export type Answer = z.infer<typeof answer>;

export const questionReply = z.strictObject({
  kind: z.enum(QUESTION_KINDS),
  question: z.string(),
  /** What was understood, for `query`, `explain` and `forecast`. */
  query: questionQuery.nullable(),
  timeZone: z.string(),
  /** One for each choice that the question left open. */
  assumed: z.array(z.string()),
  /** The answer in plain words, with its figures; for `clarify` and `refuse`, why there is none. */
  sentence: z.string(),
  answer: answer.nullable(),
  /** Ways to go on: as a question with this one before it for `clarify`, by itself for `refuse`. */
  choices: z.array(z.string()),
  titles: z
    .array(z.string())
    .meta({ description: "What each of `choices` says, in the language asked for." }),
});
export type QuestionReply = z.infer<typeof questionReply>;

const answerLanguage = z
  .enum(LANGUAGES)
  .optional()
  .describe("Of sentences and titles. Left out: English, in which questions are always asked.");

const asked = {
  question: plainText(QUESTION_LENGTH_MAX).min(1),
  /** Questions before, the oldest first, that this one may go on from. */
  after: z.array(plainText(QUESTION_LENGTH_MAX)).max(QUESTIONS_BEFORE_MAX).default([]),
  /** Instead of what the text says, which is then only a title: the chips of an answer, edited. */
  query: questionQuery.optional(),
  kind: z.enum(["query", "explain", "forecast"]).default("query").describe("Of `query`."),
  timeZone,
  language: answerLanguage,
};
export const questionInput = z.strictObject(asked);
export type AskedInput = z.output<typeof questionInput>;

export const questionChoices = z.strictObject({
  /** Questions that this tenant's data can answer. */
  suggestions: z.array(z.string()),
  titles: z
    .array(z.string())
    .meta({ description: "What each of `suggestions` says, in the language asked for." }),
  measures: z.array(answerMeasure),
  dimensions: z.array(z.string()),
  /** By dimension: values by name, the first of many. */
  values: z.record(z.string(), z.array(z.string())),
});
export type QuestionChoices = z.infer<typeof questionChoices>;

const tags = ["Questions"];
const description =
  "A question in plain English, read by a grammar: no model, and nothing leaves the installation. It is answered with the rights of the caller. Ambiguous questions are answered with choices, others with what can be asked.";

export const questionsContract = {
  ask: operation({ scope: "usage:read" })
    .route({
      method: "POST",
      path: "/tenants/{tenantId}/questions",
      summary: "Ask about a tenant in plain English",
      description,
      tags,
    })
    .input(z.strictObject({ tenantId, ...asked }))
    .output(questionReply),
  choices: operation({ scope: "usage:read" })
    .route({
      method: "GET",
      path: "/tenants/{tenantId}/questions/choices",
      summary: "List what questions about a tenant may name, and some to start with",
      tags,
    })
    .input(z.strictObject({ tenantId, timeZone, language: answerLanguage }))
    .output(questionChoices),
};

export const allQuestionsContract = {
  ask: operation({ scope: "usage:read" })
    .route({
      method: "POST",
      path: "/questions",
      summary: "Ask about all tenants in plain English",
      description,
      tags,
    })
    .input(questionInput)
    .output(questionReply),
};
