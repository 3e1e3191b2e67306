import {
  QUESTION_LENGTH_MAX,
  QUESTIONS_BEFORE_MAX,
} from "@turnpike/domain/questions/question-limits";
import { isTimeZone } from "@turnpike/domain/time/zoned-buckets";

/** The search parameters of `/ai-intelligence`: they hold what is asked, so an answer can be shared and Back works. */
export type AskSearch = {
  ask?: string;
  /** Questions before, oldest first, as a JSON list. */
  after?: string;
  /** The query of an answer, edited, as JSON. */
  edited?: string;
  /** The time zone in which days begin; the reader's own without it. */
  zone?: string;
  /** `all`: about all tenants, for operators. */
  of?: "all";
};

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

const isQuestion = (value: unknown): value is string =>
  typeof value === "string" && value.trim() !== "" && value.length <= QUESTION_LENGTH_MAX;

/** Keeps the search parameters that the page understands. */
export function parseAskSearch(search: Record<string, unknown>): AskSearch {
  const text = (name: string) => {
    const value = search[name];
    return typeof value === "object" && value !== null ? JSON.stringify(value) : value;
  };
  const ask = typeof search["ask"] === "number" ? String(search["ask"]) : search["ask"];
  if (!isQuestion(ask)) {
    return {};
  }
  const after = text("after");
  const edited = text("edited");
  const { zone } = search;
  return {
    ask,
    ...(typeof after === "string" ? { after } : {}),
    ...(typeof edited === "string" ? { edited } : {}),
    ...(typeof zone === "string" && isTimeZone(zone) ? { zone } : {}),
    ...(search["of"] === "all" ? { of: "all" as const } : {}),
  };
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
