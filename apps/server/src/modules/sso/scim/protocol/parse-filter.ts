import { type Filter, parse } from "scim2-parse-filter";
import { ScimError } from "./scim-error.ts";

export type { Filter };

/** Directories look for one person or group at a time. */
const FILTER_LENGTH_MAX = 1_000;
const TERMS_MAX = 20;
/** The parser takes exponential time for a quote without an end before line breaks, which no filter needs. */
const CONTROL = /\p{Cc}/u;

function countTerms(filter: Filter): number {
  switch (filter.op) {
    case "and":
    case "or":
      return filter.filters.reduce((sum, one) => sum + countTerms(one), 0);
    case "not":
      return countTerms(filter.filter);
    case "[]":
      return countTerms(filter.valFilter);
    default:
      return 1;
  }
}

function invalidFilter(message: string): ScimError {
  return new ScimError(400, message, { scimType: "invalidFilter" });
}

/** @throws {ScimError} `invalidFilter`, also for one with more terms than a directory needs. */
export function parseFilter(text: string): Filter {
  if (text.length > FILTER_LENGTH_MAX || CONTROL.test(text)) {
    throw invalidFilter(`A filter is one line of at most ${String(FILTER_LENGTH_MAX)} characters.`);
  }
  let filter: Filter;
  try {
    filter = parse(text);
  } catch {
    throw invalidFilter("The filter cannot be read.");
  }
  if (countTerms(filter) > TERMS_MAX) {
    throw invalidFilter(`A filter has at most ${String(TERMS_MAX)} terms.`);
  }
  return filter;
}

/** The name of an attribute as it is compared: lower case, without the URN of its schema. */
export function toAttributeName(attrPath: string): string {
  return attrPath
    .toLowerCase()
    .replace(/^urn:ietf:params:scim:schemas:core:2\.0:(?:user|group):/, "");
}
