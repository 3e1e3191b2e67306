import type { QuestionIntent } from "./find-intent.ts";
import { NOT_OF_CALLS } from "./is-out-of-place.ts";
import type { QuestionFilter } from "./question-reading.ts";
import { isComparing, isFiller } from "./words.ts";

/** A word that no rule understood, or that the reading of the rest leaves out. */
export type UnknownWord = {
  readonly word: string;
  /**
   * Where it is: a value is asked about, a breakdown is asked for, periods are compared, or none of these. A conflict is a word that
   * would have changed what the rest was read as.
   */
  readonly place: "value" | "dimension" | "comparison" | "other" | "conflict";
};

/** A reading, with the marked text that it was made of. */
export type Accounted = {
  readonly text: string;
  readonly intent: QuestionIntent | undefined;
  readonly measures: readonly string[];
  readonly dimensions: readonly string[];
  readonly filters: readonly QuestionFilter[];
  /** True where a period, two values, the values of a dimension or several measures are compared. */
  readonly compares: boolean;
  readonly isRanked: boolean;
  /** True where the rows of a breakdown or of a series are compared with a number. */
  readonly hasThreshold: boolean;
  readonly isSeries: boolean;
};

const MARK = /^(?:#\w+|,|-|\/|'|=|>|\.|@|\$|\+)$/;
const BEFORE_VALUE =
  /^(?:for|from|of|on|in|to|with|at|tenant|customer|key|route|endpoint|region|plan|model|by|only|via|the|about|against|using|called|named)$/;

function listUnknown({ text, compares }: Accounted): UnknownWord[] {
  const words = text.split(" ");
  return words.flatMap((word, at): UnknownWord[] => {
    if (word === "" || MARK.test(word) || isFiller(word) || (compares && isComparing(word))) {
      return [];
    }
    if (isComparing(word)) {
      return [{ word, place: "comparison" }];
    }
    const before = words[at - 1] ?? "";
    const after = words[at + 1] ?? "";
    const isValue =
      // A word in front of a measure says of what kind it is: “CPU usage”.
      !/^#m/.test(after) &&
      (BEFORE_VALUE.test(before) ||
        /^[/]/.test(word) ||
        /^#[dv]/.test(after) ||
        /^#[dv]/.test(before));
    const place = /^(?:by|per|each)$/.test(before) ? "dimension" : isValue ? "value" : "other";
    return [{ word, place }];
  });
}

const IS_OF_CALLS = /^(?:status|status_class|method)$/;
const COUNTS_OF_OTHERS =
  /^(?:new_tenants|active_tenants|tenants|active_keys|keys_created|keys_revoked)$/;
const NO_QUOTA = /^(?:errors|error_rate|denied|latency_\w+|revenue|mrr)$/;
const COUNTS_OF_CALLS = /^(?:requests|errors|denied|rate_limited)$/;

/** Words that would have changed the reading, had a rule taken them up. */
const LEFT_OUT: readonly {
  readonly pattern: RegExp;
  readonly isLeftOut: (reading: Accounted) => boolean;
}[] = [
  // The share of one in all; by key or by route the shares can be seen.
  {
    pattern:
      /(?<![\w#])(?:(?:what|the|an?|in|as|our|their|whose|biggest|largest|market) )shares?(?![\w-])|(?<![\w#])shares? of(?![\w-])/,
    isLeftOut: ({ dimensions, measures }) =>
      dimensions.length === 0 && !measures.includes("error_rate"),
  },
  // Those that did both: a breakdown counts either.
  {
    pattern: /(?<![\w#])both (?:(?:of|the|on|to|from|for|in|with) )*#[vsm]\d/,
    isLeftOut: ({ dimensions }) => dimensions.some((name) => name === "tenant" || name === "key"),
  },
  // The person that made or withdrew something.
  {
    pattern: /(?<![\w#])(?:creates?|created|creating|revokes?|revoked|revoking)(?![\w-])/,
    isLeftOut: ({ measures, intent }) =>
      intent !== "risk" && !measures.some((name) => /^keys_|^invoices$/.test(name)),
  },
  // “But” that no exclusion took up.
  {
    pattern: /(?<![\w#])but (?:(?:for|not|from|on|in) )*#[vs]\d/,
    isLeftOut: ({ filters }) => !filters.some(({ op }) => op === "ne" || op === "not_in"),
  },
  // One measure for each of another, such as tokens per request.
  { pattern: /(?<![\w#])(?:per|for each|for every|for one|by each) #m\d/, isLeftOut: () => true },
  // A measure of those that another one picks: errors of the top customers by revenue, requests of customers with many errors.
  {
    pattern:
      /#m\d (?:of|from|by|for|on) (?:(?:the|our|all|those) )*(?:#o (?:\S+ )*?#d\w+ by #m\d|#d\w+ (?:who|that|which|with|whose|having)\b.*#m\d)/,
    isLeftOut: () => true,
  },
  {
    pattern: /#m\d (?:of|from|by|for) (?:(?:the|our|all|those) )*#m\d/,
    isLeftOut: ({ measures }) => measures.some((name) => COUNTS_OF_OTHERS.test(name)),
  },
  { pattern: /(?<![\w#])(?:divided|multiplied) by(?![\w-])/, isLeftOut: () => true },
  // More than so many keys: a number of what a breakdown names.
  { pattern: /#t #d\w+/, isLeftOut: () => true },
  { pattern: /(?<![\w#])names? of(?![\w-])/, isLeftOut: () => true },
  // What plan a customer has, and since when, is no figure.
  {
    pattern: /(?:what|which) #d\w+ (?:is|are) #v\d/,
    isLeftOut: ({ intent, measures }) => intent === undefined && measures.length === 0,
  },
  {
    pattern: /(?:^|, )when (?:did|was|were|is|are|do|does|has|have)\b/,
    isLeftOut: ({ intent, isRanked }) => intent === undefined && !isRanked,
  },
];

function isMixed(filters: readonly QuestionFilter[]): boolean {
  const isOut = ({ op }: QuestionFilter) => op === "ne" || op === "not_in";
  const isIn = ({ op }: QuestionFilter) => op === "eq" || op === "in";
  // “Uses chat but not search” asks for what calls of both sets say together.
  return filters.some(
    (one) => isOut(one) && filters.some((other) => other.field === one.field && isIn(other)),
  );
}

/** What a question says that its reading leaves out. Where there is any, answering the rest would answer another question. */
export function listUnaccounted(reading: Accounted): UnknownWord[] {
  const { text, intent, measures, filters } = reading;
  const leftOut = LEFT_OUT.flatMap(({ pattern, isLeftOut }) => {
    const [word] = pattern.exec(text) ?? [];
    return word !== undefined && isLeftOut(reading) ? [word] : [];
  });
  const ofCalls = filters.find(({ field }) => IS_OF_CALLS.test(field));
  if (ofCalls !== undefined && measures.some((name) => NOT_OF_CALLS.test(name))) {
    leftOut.push(ofCalls.field);
  }
  // A number picks among rows: one total is neither kept nor left out.
  if (reading.hasThreshold && reading.dimensions.length === 0 && !reading.isSeries) {
    leftOut.push("than");
  }
  // “The error budget that is left” is no quota of a plan.
  if (intent === "quota" && measures.some((name) => NO_QUOTA.test(name))) {
    leftOut.push("left");
  }
  if (isMixed(filters)) {
    leftOut.push("but not");
  }
  // “Requests with a key that has expired” asks for requests, not for keys at risk.
  if (
    intent === "risk" &&
    measures.some((name) => COUNTS_OF_CALLS.test(name)) &&
    !NO_CALLS.test(text)
  ) {
    leftOut.push("keys");
  }
  return [
    ...listUnknown(reading),
    ...leftOut.map((word): UnknownWord => ({ word, place: "conflict" })),
  ];
}

const NO_CALLS = /\b(?:no|not|never|without|any|zero|unused|last)\b/;
