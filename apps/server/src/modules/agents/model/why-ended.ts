import type { ModelEnd } from "@turnpike/contract/model-answers";
import { ModelNotAsked } from "./spend-tokens.ts";

const STANDS = "The built-in answer stands.";
const SENTENCES: Readonly<Record<Exclude<ModelEnd, "answered">, string>> = {
  not_configured: "No language model is set up.",
  switched_off: "The language model is switched off.",
  over_budget:
    "The language model's tokens of today are used up; there are new ones at midnight UTC.",
  unreachable: "The language model could not be reached, or answered with an error.",
  credential_refused: "The language model's endpoint refused the operator's key.",
  busy: "The language model's endpoint has too many questions. Try again in a minute.",
  too_slow: "The language model took too long.",
  broken_off: "The language model's answer broke off.",
  too_many_steps: "The language model did not come to an end.",
};

/** Why there is no whole answer, for the person who asked; null when there is. */
export function writeEnd(reason: ModelEnd): string | null {
  return reason === "answered" ? null : `${SENTENCES[reason]} ${STANDS}`;
}

function statusOf(error: unknown): number | undefined {
  const status =
    typeof error === "object" && error !== null && "statusCode" in error
      ? error.statusCode
      : undefined;
  return typeof status === "number" ? status : undefined;
}

/** Why a call to a model failed. @param hasBegun - True when some of the answer had come. */
export function reasonOf(error: unknown, hasBegun: boolean): ModelEnd {
  if (error instanceof ModelNotAsked) {
    return error.reason;
  }
  const status = statusOf(error);
  if (status === 401 || status === 403) {
    return "credential_refused";
  }
  if (status === 429) {
    return "busy";
  }
  return hasBegun && (status ?? 0) < 400 ? "broken_off" : "unreachable";
}

/** A failure for the log: its message may repeat the question, or the key. */
export function describeFailure(error: unknown): { name: string; status: number | null } {
  return {
    name: error instanceof Error ? error.name : typeof error,
    status: statusOf(error) ?? null,
  };
}

/** Why an answer ended, by what the endpoint says. */
export function reasonOfFinish(finishReason: string, hasText: boolean): ModelEnd {
  if (finishReason === "tool-calls") {
    return "too_many_steps";
  }
  return finishReason === "stop" && hasText ? "answered" : "broken_off";
}
