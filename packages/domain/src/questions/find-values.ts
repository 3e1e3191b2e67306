import { said } from "../text/said.ts";
import { findNearest } from "./correct-spelling.ts";
import { FIELD_NOUNS } from "./field-nouns.ts";
import type { QuestionFilter } from "./question-reading.ts";
import { MODEL, type NamedValue, type VocabularyIndex } from "./question-vocabulary.ts";
import { isKnownWord } from "./words.ts";

const WORDS_MAX = 4;

/** One mention of a value: all that the same field has under this name. */
export type FoundValue = {
  readonly field: string;
  readonly values: readonly string[];
  readonly typed: string;
};

export type FoundValues = {
  /** The text with `#v0` for the first value, and so on. */
  readonly text: string;
  readonly found: readonly FoundValue[];
  readonly assumed: string[];
  /** Names that mean one of several values. */
  readonly ambiguous: readonly (readonly string[])[];
};

/** The field whose noun is next to a name: “the production key” is a key. */
function findFieldBeside(words: readonly string[], at: number, length: number): string | undefined {
  return (
    FIELD_NOUNS.get(words[at + length] ?? "") ??
    FIELD_NOUNS.get(words[at - 1] ?? "") ??
    (words[at - 1] === "the" ? FIELD_NOUNS.get(words[at - 2] ?? "") : undefined)
  );
}

/** Names that are also everyday words count only beside the noun of their field, or where a value belongs. */
const NEEDS_CONTEXT = /^(?:open|void|draft|paid|overdue)$/;

/** A model that calls named, which may also be a value of a meter's own dimension. */
function isModelOfCalls({ vocabulary }: VocabularyIndex, field: string, value: string): boolean {
  return field === MODEL && vocabulary.models?.includes(value) === true;
}

/** Fields of which a part of the name may mean several values at once. */
const MAY_BE_SEVERAL: ReadonlySet<string> = new Set(["route", "region", MODEL]);

function lookUp(
  index: VocabularyIndex,
  words: readonly string[],
  at: number,
  isOfMeter: boolean,
): { length: number; candidates: readonly NamedValue[]; isNear?: boolean } | undefined {
  for (let length = Math.min(WORDS_MAX, words.length - at); length > 0; length -= 1) {
    const typed = words.slice(at, at + length).join(" ");
    const candidates = (index.names.get(typed) ?? index.parts.get(typed))?.filter(
      ({ field, value }) =>
        isOfMeter ||
        !(field in index.vocabulary.meterValues) ||
        isModelOfCalls(index, field, value),
    );
    if (
      candidates !== undefined &&
      candidates.length > 0 &&
      !(NEEDS_CONTEXT.test(typed) && !words.some(isInvoiceWord))
    ) {
      return { length, candidates };
    }
  }
  for (let length = Math.min(2, words.length - at); length > 0; length -= 1) {
    const run = words.slice(at, at + length);
    const typed = run.join(" ");
    if (run.some((word) => isKnownWord(word) || /[#,]/.test(word)) || /^\/|^\d+$/.test(typed)) {
      continue;
    }
    const name =
      (length === 1 ? findBeginning(typed, index.names.keys()) : undefined) ??
      findNearest(typed, index.names.keys()) ??
      findNearest(typed, index.parts.keys());
    const candidates =
      name === undefined || isKnownWord(typed)
        ? []
        : (index.names.get(name) ?? index.parts.get(name) ?? []);
    if (name !== typed && candidates.length > 0) {
      return { length, candidates, isNear: true };
    }
  }
  return;
}

const BEGINNING_MIN = 4;

/** The only name that begins with what is typed: “production” for “prod”. */
function findBeginning(typed: string, names: Iterable<string>): string | undefined {
  if (typed.length < BEGINNING_MIN) {
    return;
  }
  let found: string | undefined;
  for (const name of names) {
    if (name.startsWith(typed) && !name.includes(" ")) {
      if (found !== undefined) {
        return;
      }
      found = name;
    }
  }
  return found;
}

const isInvoiceWord = (word: string) => /^(?:invoices?|bills?)$/.test(word);

/** True where a question is about a meter, so that “large” may be a value of its dimension. */
function namesMeter(index: VocabularyIndex, words: readonly string[]): boolean {
  const dimensions = index.vocabulary.meters.flatMap((meter) => meter.dimensions);
  return words.some(
    (word) =>
      index.meterWords.has(word) || dimensions.some((name) => word === name || word === `${name}s`),
  );
}

/** Finds every value of the vocabulary that a normalised question names: exactly, by a part of the name, or nearly. */
export function findValues(index: VocabularyIndex, text: string): FoundValues {
  const words = text.split(" ");
  const written: string[] = [];
  const found: FoundValue[] = [];
  const assumed: string[] = [];
  const ambiguous: string[][] = [];
  const isOfMeter = namesMeter(index, words);
  for (let at = 0; at < words.length; ) {
    const match = lookUp(index, words, at, isOfMeter);
    const word = words[at] ?? "";
    if (match === undefined) {
      written.push(word);
      at += 1;
      continue;
    }
    const { length } = match;
    const beside = findFieldBeside(words, at, length);
    const fitting = match.candidates.filter(({ field }) => field === beside);
    const candidates = fitting.length > 0 ? fitting : match.candidates;
    const [first] = candidates;
    const field = first?.field ?? "";
    const values = candidates.filter((one) => one.field === field).map(({ value }) => value);
    const typed = words.slice(at, at + length).join(" ");
    const isOneField = values.length === candidates.length;
    if (!isOneField || (values.length > 1 && !MAY_BE_SEVERAL.has(field))) {
      ambiguous.push(candidates.map(({ value }) => value));
    } else if (values.length > 1) {
      const last = values.at(-1) ?? "";
      assumed.push(said(`${typed}: ${values.slice(0, -1).join(", ")} and ${last}`));
    } else if (match.isNear === true) {
      assumed.push(`${typed}: ${values[0] ?? ""}`);
    }
    written.push(`#v${String(found.length)}`);
    found.push({ field, values, typed });
    at += length;
  }
  return { text: written.join(" "), found, assumed, ambiguous };
}

/** Joins the values that a question names for each field into filters. */
export function toFilters(
  mentions: readonly { field: string; values: readonly (string | number)[]; isExcluded: boolean }[],
): QuestionFilter[] {
  const groups = new Map<string, { field: string; values: Set<string | number>; not: boolean }>();
  for (const { field, values, isExcluded } of mentions) {
    const name = `${field} ${String(isExcluded)}`;
    const group = groups.get(name) ?? { field, values: new Set(), not: isExcluded };
    groups.set(name, group);
    for (const value of values) {
      group.values.add(value);
    }
  }
  return [...groups.values()].map(({ field, values, not }) => {
    const [only, ...more] = values;
    return only !== undefined && more.length === 0
      ? { field, op: not ? "ne" : "eq", value: only }
      : { field, op: not ? "not_in" : "in", value: [...values] };
  });
}
