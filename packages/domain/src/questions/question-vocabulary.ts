import { createOffsetAt } from "../time/zoned-buckets.ts";
import { FIELD_NOUNS } from "./field-nouns.ts";
import { isKnownWord } from "./words.ts";

/** What a question may name: the data of one tenant, or of all tenants of an operator. */
export type QuestionVocabulary = {
  readonly actor: "operator" | "tenant";
  /** A name of the IANA time zone database. */
  readonly timeZone: string;
  /** ISO dates or instants, half-open. */
  readonly billingPeriod: { readonly from: string; readonly to: string };
  readonly tenants: readonly string[];
  readonly keys: readonly string[];
  readonly plans: readonly string[];
  readonly routes: readonly string[];
  /** What calls of APIs that answer with tokens named lately. Left out or empty: calls have no model. */
  readonly models?: readonly string[] | undefined;
  readonly methods: readonly string[];
  readonly regions: readonly string[];
  readonly environments: readonly string[];
  readonly meters: readonly QuestionMeter[];
  /** The values of the meters' dimensions. */
  readonly meterValues: Readonly<Record<string, readonly string[]>>;
};

export type QuestionMeter = {
  readonly slug: string;
  /** What people call it, where that is not the slug. */
  readonly name?: string | undefined;
  readonly unit: string;
  readonly dimensions: readonly string[];
};

export type NamedValue = { readonly field: string; readonly value: string };

/** A vocabulary as the grammar looks it up. Made once for many questions. */
export type VocabularyIndex = {
  readonly vocabulary: QuestionVocabulary;
  /** From what a person types, in lower case, to all it may name. The whole name wins over a part of one. */
  readonly names: ReadonlyMap<string, readonly NamedValue[]>;
  readonly parts: ReadonlyMap<string, readonly NamedValue[]>;
  /** From what a person types to the meters it names; several where they share a unit, such as “tokens”. */
  readonly meterWords: ReadonlyMap<string, readonly QuestionMeter[]>;
  readonly offsetAt: (epochMs: number) => number;
};

/** The dimension of calls that not every API has. */
export const MODEL = "model";
/** The unit that people name instead of the meters of what went in and what came out. */
const TOKEN = "token";
const INVOICE_STATUSES = ["draft", "open", "paid", "void", "uncollectible", "overdue"];
/** Suffixes of a meter's slug that are units and not what people say. */
const UNIT_SUFFIX = /[-_](?:gb|mb|kb|tb|ms|seconds|minutes|hours|count|total)$/;
/** Where the cloud regions are that people name by the continent. */
const CONTINENTS: Readonly<Record<string, readonly string[]>> = {
  "eu-": ["eu", "europe"],
  "us-": ["america", "united states"],
  "ap-": ["asia", "asia pacific", "apac"],
};

function spaced(text: string): string {
  return text
    .replace(/[-_.]+/g, " ")
    .replace(/\s+/g, " ")
    .trim();
}

function withPlural(word: string): string[] {
  return word.endsWith("s") ? [word, word.slice(0, -1)] : [word, `${word}s`];
}

/** A route as people type it: “orders/{id}” of `/v1/orders/{id}`. */
function listTails(route: string): string[] {
  const tail = route.replace(/^\/(?:v\d+\/)?/, "");
  const whole = route.slice(1);
  return tail.includes("/") ? [whole, tail, `/${tail}`] : whole.includes("/") ? [whole] : [];
}

/** The words of a route that say what it serves: “orders” of `/v1/orders/{id}`. */
function listRouteParts(route: string): string[] {
  const segments = route
    .toLowerCase()
    .split("/")
    .filter((segment) => segment !== "" && !/^v\d+$/.test(segment) && !segment.startsWith("{"));
  const last = segments.at(-1);
  if (last === undefined) {
    return [];
  }
  const words = [...withPlural(spaced(last)), ...listTails(route.toLowerCase())];
  return last === "health"
    ? [...words, "health check", "health checks", "healthcheck", "healthchecks"]
    : [...words, `/${last}`];
}

/** “gpt-4o” of `openai/gpt-4o-2024-08-06`, and “gpt”. */
function listModelParts(text: string): string[] {
  const name = text.slice(text.lastIndexOf("/") + 1);
  const undated = name.replace(/-(?:\d{4}-\d{2}-\d{2}|\d{6,8}|latest)$/, "");
  const [family = ""] = spaced(undated).split(" ");
  const isFamily = family.length >= 3 && !isKnownWord(family);
  return [
    ...new Set([name, spaced(name), undated, spaced(undated), ...(isFamily ? [family] : [])]),
  ];
}

function listParts({ field, value }: NamedValue): string[] {
  const text = value.toLowerCase();
  switch (field) {
    case "route":
      return listRouteParts(value);
    case MODEL:
      return listModelParts(text);
    case "region": {
      const names = Object.entries(CONTINENTS).find(([prefix]) => text.startsWith(prefix))?.[1];
      return [...(names ?? []), text.replace(/-\d+$/, "")];
    }
    default: {
      const [first = "", ...more] = spaced(text).split(" ");
      return more.length > 0 && first.length >= 3 && !isKnownWord(first) ? [first] : [];
    }
  }
}

function add(map: Map<string, NamedValue[]>, name: string, value: NamedValue): void {
  const known = map.get(name) ?? [];
  if (name !== "" && !known.some((one) => one.field === value.field && one.value === value.value)) {
    map.set(name, [...known, value]);
  }
}

function listValues(vocabulary: QuestionVocabulary): NamedValue[] {
  const of = (field: string, values: readonly string[]) =>
    values.map((value) => ({ field, value }));
  return [
    ...of("tenant", vocabulary.tenants),
    ...of("key", vocabulary.keys),
    ...of("plan", vocabulary.plans),
    ...of("route", vocabulary.routes),
    ...of(MODEL, vocabulary.models ?? []),
    ...of("region", vocabulary.regions),
    ...of("environment", vocabulary.environments),
    ...Object.entries(vocabulary.meterValues).flatMap(([field, values]) => of(field, values)),
    ...of("invoice_status", INVOICE_STATUSES),
  ];
}

/** True where every call may have a model, so that it is no dimension of one meter alone. */
export function hasModels({ models }: QuestionVocabulary): boolean {
  return models !== undefined && models.length > 0;
}

/**
 * Indexes a vocabulary.
 *
 * @throws {RangeError} when the time zone is not known.
 */
export function indexVocabulary(vocabulary: QuestionVocabulary): VocabularyIndex {
  const names = new Map<string, NamedValue[]>();
  const parts = new Map<string, NamedValue[]>();
  for (const value of listValues(vocabulary)) {
    const text = value.value.toLowerCase();
    add(names, text, value);
    add(names, spaced(text), value);
    // “By route” is a breakdown, also where a route is called /v1/routes.
    for (const part of listParts(value).filter((one) => !FIELD_NOUNS.has(one))) {
      add(parts, part, value);
    }
  }
  const meterWords = new Map<string, readonly QuestionMeter[]>();
  const ofTokens = vocabulary.meters.filter(({ unit }) => unit === TOKEN);
  if (ofTokens.length > 0) {
    for (const form of withPlural(TOKEN)) {
      meterWords.set(form, ofTokens);
    }
  }
  for (const meter of vocabulary.meters) {
    const slug = meter.slug.toLowerCase();
    const name = spaced((meter.name ?? slug).toLowerCase());
    for (const word of [slug, spaced(slug), spaced(slug.replace(UNIT_SUFFIX, "")), name]) {
      for (const form of withPlural(word)) {
        meterWords.set(form, [meter]);
      }
    }
  }
  return { vocabulary, names, parts, meterWords, offsetAt: createOffsetAt(vocabulary.timeZone) };
}
