import { suggest, toSuggestion } from "@turnpike/domain/text/suggest";
import { z } from "zod";

const KINDS: Readonly<Record<string, string>> = {
  string: "A text.",
  number: "A number.",
  int: "A whole number.",
  bigint: "A whole number.",
  boolean: "true or false.",
  array: "A list.",
  object: "An object.",
  record: "An object.",
  null: "Only null.",
};

const FORMATS: Readonly<Record<string, string>> = {
  datetime: "An instant such as 2027-01-31T00:00:00Z.",
  date: "A day such as 2027-01-31.",
  email: "An e-mail address.",
  url: "An address such as https://example.com.",
};

/**
 * Says what a value should be, in plain English: "A whole number.", "One of live, test.", "At most 100."
 *
 * @param issue - A schema's finding for which the schema has no message of its own.
 * @returns Undefined where the validator's own message is better.
 */
export function explainIssue(issue: z.core.$ZodRawIssue): string | undefined {
  switch (issue.code) {
    case "invalid_type":
      // A missing value is reported as missing, not as having the wrong type.
      return issue.input === undefined ? "Required." : KINDS[issue.expected];
    case "invalid_value":
      return issue.values.length === 1
        ? `Only ${String(issue.values[0])}.`
        : `One of ${issue.values.map(String).join(", ")}.${suggestValue(issue)}`;
    case "invalid_format":
      return FORMATS[issue.format];
    case "too_small":
      return explainMin(issue);
    case "too_big":
      return explainMax(issue);
    case "not_multiple_of":
      return `A multiple of ${toNumeral(issue.divisor)}.`;
    case "unrecognized_keys":
      return explainUnknown(issue.keys, listKnown(issue.inst));
    default:
      return;
  }
}

function suggestValue({
  input,
  values,
}: z.core.$ZodRawIssue<z.core.$ZodIssueInvalidValue>): string {
  return typeof input === "string" ? toSuggestion(input, values.map(String)) : "";
}

/** The names that the refusing schema knows. */
function listKnown(schema: unknown): string[] {
  return schema instanceof z.ZodObject ? Object.keys(schema.shape) : [];
}

/** More unknown names are not mistakes to be corrected one by one, and each costs a comparison with every known one. */
const UNKNOWN_SHOWN_MAX = 20;

function explainUnknown(all: readonly string[], known: readonly string[]): string {
  const keys = all.slice(0, UNKNOWN_SHOWN_MAX);
  const rest = all.length - keys.length;
  const [only] = keys;
  const suggestions =
    keys.length === 1 && only !== undefined
      ? toSuggestion(only, known)
      : keys
          .map((key) => ({ key, meant: suggest(key, known) }))
          .map(({ key, meant }) =>
            meant === undefined ? "" : ` Did you mean ${meant} instead of ${key}?`,
          )
          .join("");
  return `Unknown: ${keys.join(", ")}${rest > 0 ? ` and ${String(rest)} more` : ""}.${suggestions}`;
}

/** What is said of one of the unknown names of an issue, with the name that was probably meant. */
export function explainUnknownKey(
  issue: { keys: readonly string[]; message: string },
  key: string,
): string {
  const [, suggested] =
    issue.keys.length === 1
      ? (/Did you mean (\S+)\?$/.exec(issue.message) ?? [])
      : ([...issue.message.matchAll(/Did you mean (\S+) instead of (\S+)\?/g)].find(
          ([, , name]) => name === key,
        ) ?? []);
  return `Unknown: ${key}.${suggested === undefined ? "" : ` Did you mean ${suggested}?`}`;
}

function explainMin(issue: z.core.$ZodRawIssue<z.core.$ZodIssueTooSmall>): string {
  const { origin, minimum } = issue;
  if (issue.exact !== true && COUNTED[origin] !== undefined && Number(minimum) === 1) {
    return origin === "string" ? "Must not be empty." : "At least one.";
  }
  return bound(issue.exact === true ? "Exactly" : isInclusive(issue) ? "At least" : "More than", {
    origin,
    limit: minimum,
  });
}

function explainMax(issue: z.core.$ZodRawIssue<z.core.$ZodIssueTooBig>): string {
  return bound(issue.exact === true ? "Exactly" : isInclusive(issue) ? "At most" : "Less than", {
    origin: issue.origin,
    limit: issue.maximum,
  });
}

function isInclusive({ inclusive }: { inclusive?: boolean | undefined }): boolean {
  return inclusive !== false;
}

/** The unit of a size limit, where it is not the value itself that is too small or too large. */
const COUNTED: Readonly<Record<string, string>> = {
  string: "characters",
  array: "entries",
  set: "entries",
  map: "entries",
};

const ONE: Readonly<Record<string, string>> = { characters: "character", entries: "entry" };

function bound(words: string, of: { origin: string; limit: number | bigint }): string {
  const counted = COUNTED[of.origin];
  const noun = Number(of.limit) === 1 ? ONE[counted ?? ""] : counted;
  return `${words} ${toNumeral(of.limit)}${noun === undefined ? "" : ` ${noun}`}.`;
}

function toNumeral(value: number | bigint): string {
  return value.toLocaleString("en", { maximumFractionDigits: 12 });
}
