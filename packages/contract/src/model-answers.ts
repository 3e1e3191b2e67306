import {
  QUESTION_LENGTH_MAX,
  QUESTIONS_BEFORE_MAX,
} from "@turnpike/domain/questions/question-limits";
import { z } from "zod";
import { operation } from "./operation.ts";
import { proposal } from "./proposals.ts";
import { questionReply } from "./questions.ts";
import { instant, plainText, tenantId } from "./shapes.ts";
import { timeZone } from "./usage-query.ts";

/** The most calls of tools for one question. */
export const MODEL_CALLS_MAX = 12;
/** The most figures that are shown of a call. */
export const MODEL_FIGURES_MAX = 12;

export const modelQuestion = z.strictObject({
  question: plainText(QUESTION_LENGTH_MAX).min(1),
  /** Questions before, the oldest first. */
  after: z.array(plainText(QUESTION_LENGTH_MAX)).max(QUESTIONS_BEFORE_MAX).default([]),
  timeZone,
});
export type ModelQuestion = z.output<typeof modelQuestion>;

const labelled = z.strictObject({ label: z.string(), value: z.string() });

/** Part of a query, as the model asked it and as the built-in grammar reads the question. */
export const queryDifference = z.strictObject({
  part: z.enum(["measures", "dimensions", "filters", "from", "to", "grain"]),
  model: z.string(),
  builtIn: z.string(),
});
export type QueryDifference = z.infer<typeof queryDifference>;

export const MODEL_ENDS = [
  /** It came to its end. */
  "answered",
  "not_configured",
  "switched_off",
  "over_budget",
  "unreachable",
  "credential_refused",
  "busy",
  "too_slow",
  "broken_off",
  "too_many_steps",
] as const;
export type ModelEnd = (typeof MODEL_ENDS)[number];

/** What is streamed, in this order: `start`, then any of the others, and `end` as the last. */
export const modelEvent = z.discriminatedUnion("kind", [
  /** The built-in answer stands, come what may; `model` is null where none is asked. */
  z.strictObject({
    kind: z.literal("start"),
    builtIn: questionReply,
    model: z.strictObject({ name: z.string(), host: z.string() }).nullable(),
  }),
  /** A piece of the model's text; to be shown as text, never as markup. */
  z.strictObject({ kind: z.literal("text"), text: z.string() }),
  /** Replaces a number in the model's text that no result has. */
  z.strictObject({ kind: z.literal("withheld") }),
  /** The model calls a tool. */
  z.strictObject({
    kind: z.literal("call"),
    callId: z.string(),
    tool: z.string(),
    title: z.string(),
    query: z.array(labelled),
  }),
  /** How a call ended; the product says so, not the model. */
  z.strictObject({
    kind: z.literal("result"),
    callId: z.string(),
    isOk: z.boolean(),
    /** Why it failed; null when it did not. */
    failure: z.string().nullable(),
    figures: z.array(labelled).max(MODEL_FIGURES_MAX),
    /** How many figures are not shown here. */
    more: z.int(),
  }),
  /** A change that waits for a person. */
  z.strictObject({ kind: z.literal("proposal"), callId: z.string(), proposal }),
  /** Whether one of the model's queries is that of the built-in grammar; empty: it is. */
  z.strictObject({ kind: z.literal("check"), differences: z.array(queryDifference) }),
  z.strictObject({
    kind: z.literal("end"),
    reason: z.enum(MODEL_ENDS),
    /** Why there is no whole answer; null when there is. */
    sentence: z.string().nullable(),
    withheld: z.int().describe("How many numbers were withheld."),
  }),
]);
export type ModelEvent = z.infer<typeof modelEvent>;

export const modelState = z.strictObject({
  /** Null where none is configured. */
  model: z
    .strictObject({
      name: z.string(),
      host: z.string().describe("Where questions and figures are sent."),
      isOn: z.boolean(),
      tokensPerDay: z.int().describe("Of this tenant, by UTC days."),
      tokensUsed: z.int().describe("Of today, with what is reserved for calls that run."),
    })
    .nullable(),
});
export type ModelState = z.infer<typeof modelState>;

export const modelSwitch = z.strictObject({
  isOn: z.boolean(),
  /** Null when it was never changed. */
  changedAt: instant.nullable(),
});
export type ModelSwitch = z.infer<typeof modelSwitch>;

const tags = ["Questions"];

export const modelAnswersContract = {
  getState: operation({ scope: "usage:read" })
    .route({
      method: "GET",
      path: "/tenants/{tenantId}/questions/model",
      summary: "Get which language model may be asked, and its budget",
      tags,
    })
    .input(z.strictObject({ tenantId }))
    .output(modelState),
};

export const modelSwitchContract = {
  get: operation({ scope: "tenants:write" })
    .route({
      method: "GET",
      path: "/model-switch",
      summary: "Get whether the language model may be asked",
      tags,
    })
    .input(z.strictObject({}))
    .output(modelSwitch),
  set: operation({ scope: "tenants:write", worksWhenFull: true })
    .route({
      method: "PUT",
      path: "/model-switch",
      summary: "Switch the language model off or on, for all tenants at once",
      description:
        "Holds for every process from its next call to the model on; nothing is restarted. A model that the configuration leaves out or switches off stays off.",
      tags,
    })
    .input(z.strictObject({ isOn: z.boolean() }))
    .output(modelSwitch),
};
