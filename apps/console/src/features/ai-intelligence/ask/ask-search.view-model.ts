import { QUESTION_LENGTH_MAX } from "@turnpike/domain/questions/question-limits";

/** True for a time zone that this browser knows. The first page load reads this, so it takes no calendar with it. */
function isTimeZone(timeZone: string): boolean {
  try {
    return new Intl.DateTimeFormat("en", { timeZone }).resolvedOptions().timeZone !== "";
  } catch {
    return false;
  }
}

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

export const isQuestion = (value: unknown): value is string =>
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
