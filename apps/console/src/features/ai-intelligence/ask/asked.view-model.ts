import { QUESTIONS_BEFORE_MAX } from "@turnpike/domain/questions/question-limits";
import { type AskSearch, isQuestion } from "./ask-search.view-model.ts";

/** What is asked. */
export type Asked = {
  question: string;
  after: readonly string[];
  edited: unknown;
  isOfAll: boolean;
  timeZone?: string | undefined;
};

/** Asks a question: anew, from another one, or with an edited query. */
export type OnAsk = (next: Pick<Asked, "question"> & Partial<Asked>) => void;

function parseJson(text: unknown): unknown {
  // The router parses JSON by itself where it can.
  if (typeof text !== "string") {
    return text;
  }
  try {
    return JSON.parse(text);
  } catch {
    return;
  }
}

/** What the address asks; `undefined` when it asks nothing. Broken parts are left out: an address never fails. */
export function toAsked({ ask, after, edited, zone, of }: AskSearch): Asked | undefined {
  if (ask === undefined) {
    return;
  }
  const before = parseJson(after);
  return {
    question: ask,
    after: Array.isArray(before) ? before.filter(isQuestion).slice(-QUESTIONS_BEFORE_MAX) : [],
    edited: parseJson(edited),
    isOfAll: of === "all",
    timeZone: zone,
  };
}

/** The address of a question. */
export function toAskSearch({
  question,
  after = [],
  edited,
  isOfAll = false,
  timeZone,
}: Pick<Asked, "question"> & Partial<Asked>): AskSearch {
  return {
    ask: question,
    ...(after.length === 0 ? {} : { after: JSON.stringify(after.slice(-QUESTIONS_BEFORE_MAX)) }),
    ...(edited === undefined ? {} : { edited: JSON.stringify(edited) }),
    ...(timeZone === undefined ? {} : { zone: timeZone }),
    ...(isOfAll ? { of: "all" as const } : {}),
  };
}
