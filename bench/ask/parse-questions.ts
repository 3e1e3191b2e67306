import type { QuestionFilter, QuestionKind } from "@turnpike/domain/questions/question-reading";

/** A question with the reading that a person expects. */
export type LabelledQuestion = {
  readonly group: string;
  readonly question: string;
  readonly after?: string;
  readonly expected: ExpectedReading;
};

export type ExpectedReading = {
  /** `cautious` where asking back and refusing are equally right. */
  readonly kind: QuestionKind | "cautious";
  readonly measures?: readonly string[];
  readonly dimensions?: readonly string[];
  readonly filters?: readonly QuestionFilter[];
  readonly from?: string;
  /** Ends that are equally right, such as now and the end of the month. */
  readonly to?: readonly string[];
  readonly grain?: string;
  readonly order?: string;
  readonly limit?: number;
  readonly compare?: string;
};

const LABEL =
  /^(?<kind>\w+) (?<measures>\S+)(?: by (?<by>\S+))?(?: where (?<where>.+?))? from (?<from>\S+?)[.][.](?<to>\S+)(?: each (?<grain>\w+))?(?: (?<rank>top|bottom) (?<limit>\d+))?(?: sorted (?<sorted>\w+))?(?: vs (?<compare>\w+))?$/;
const FILTER = /^(?<field>\w+) ?(?<sign>!=|>=|<=|=|>|<|not_in|in) ?(?<value>.+)$/;
const OPERATORS = {
  "=": "eq",
  "!=": "ne",
  ">": "gt",
  ">=": "gte",
  "<": "lt",
  "<=": "lte",
} as const;

const toValue = (text: string) => (/^\d+(?:[.]\d+)?$/.test(text) ? Number(text) : text);
/** Days of 2026 are written without it. */
const toInstant = (text: string) => (/^\d{2}-\d{2}$/.test(text) ? `2026-${text}` : text);

function parseFilter(text: string): QuestionFilter {
  const { field = "", sign = "", value = "" } = FILTER.exec(text)?.groups ?? {};
  if (sign === "in" || sign === "not_in") {
    return { field, op: sign, value: value.split("|").map(toValue) };
  }
  const op = Object.entries(OPERATORS).find(([name]) => name === sign)?.[1];
  if (op === undefined) {
    throw new Error(`No filter: ${text}`);
  }
  return { field, op, value: toValue(value) };
}

function parseLabel(label: string): ExpectedReading {
  if (!label.includes(" ")) {
    return { kind: label as ExpectedReading["kind"] };
  }
  const groups = LABEL.exec(label)?.groups;
  if (groups === undefined) {
    throw new Error(`No label: ${label}`);
  }
  const {
    kind,
    measures = "",
    by,
    where,
    from = "",
    to = "",
    grain,
    rank,
    limit,
    sorted,
    compare,
  } = groups;
  return {
    kind: kind as QuestionKind,
    measures: measures.split(","),
    dimensions: by?.split(",") ?? [],
    filters: where?.split(" & ").map(parseFilter) ?? [],
    from: toInstant(from),
    to: to.split("|").map(toInstant),
    ...(grain === undefined ? {} : { grain }),
    ...(rank === undefined ? {} : { order: rank === "top" ? "desc" : "asc", limit: Number(limit) }),
    ...(sorted === undefined ? {} : { order: sorted }),
    ...(compare === undefined ? {} : { compare }),
  };
}

/**
 * Reads questions with labels: `# group` on a line, then `question => label` or `question before >> question => label`.
 *
 * @throws {Error} Naming the first line that has another form.
 */
export function parseQuestions(text: string): LabelledQuestion[] {
  const found: LabelledQuestion[] = [];
  let group = "";
  for (const line of text.split("\n").filter(Boolean)) {
    if (line.startsWith("# ")) {
      group = line.slice(2);
      continue;
    }
    const at = line.lastIndexOf(" => ");
    if (at < 0) {
      throw new Error(`No label: ${line}`);
    }
    const [question = "", after] = line.slice(0, at).split(" >> ").reverse();
    const expected = parseLabel(line.slice(at + " => ".length));
    found.push({ group, question, expected, ...(after === undefined ? {} : { after }) });
  }
  return found;
}
