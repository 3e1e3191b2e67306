import type { QueryDifference } from "@turnpike/contract/model-answers";
import { type QuestionReply, questionReply } from "@turnpike/contract/questions";
import { usageReport } from "@turnpike/contract/usage";
import { USAGE_DIMENSIONS } from "@turnpike/contract/usage-query";

/** A query in comparable texts. */
type Comparable = Readonly<Record<QueryDifference["part"], string>>;

const PARTS = ["measures", "dimensions", "filters", "from", "to", "grain"] as const;
const FILTERS = [...USAGE_DIMENSIONS, "event"];
/** Ends of ranges are rounded, and "until now" moves on between two questions. */
const SAME_INSTANT_MS = 15 * 60_000;

const toSorted = (values: readonly string[]) => [...values].sort().join(", ");

function toFilterText(value: unknown): string {
  return toSorted((Array.isArray(value) ? value : [value]).map(String));
}

/** The query that a reply of the grammar was run with. */
function ofReply({ query }: QuestionReply): Comparable | undefined {
  return query === null
    ? undefined
    : {
        measures: toSorted(query.measures),
        dimensions: toSorted(query.dimensions),
        filters: toSorted(
          query.filters.map(({ field, op, value }) => `${field} ${op} ${toFilterText(value)}`),
        ),
        from: query.from,
        to: query.to,
        grain: query.grain ?? "",
      };
}

const toList = (text: unknown) =>
  Array.isArray(text) ? text.map(String) : String(text ?? "").split(/(?<!\\),/);

function toParamFilters(params: Readonly<Record<string, unknown>>): string {
  return toSorted(
    FILTERS.filter((name) => params[name] !== undefined).map(
      (name) => `${name} = ${toSorted(toList(params[name]))}`,
    ),
  );
}

/** The same as parameters of the usage query, which the grammar's reply states. */
function ofUsageParams({ answer }: QuestionReply): Comparable | undefined {
  const params = answer?.usage;
  return params === undefined || params === null
    ? undefined
    : {
        measures: toSorted(toList(params["measures"])),
        dimensions: toSorted(toList(params["dimensions"])),
        filters: toParamFilters(params),
        from: params["from"] ?? "",
        to: params["to"] ?? "",
        grain: params["grain"] ?? "",
      };
}

/** What a usage query of the model was run with: its own filters, and the rest as the API has read it. */
function ofReport(input: unknown, result: unknown): Comparable | undefined {
  const report = usageReport.safeParse(result);
  if (!report.success || typeof input !== "object" || input === null) {
    return;
  }
  const { measures, dimensions, from, to, grain } = report.data;
  return {
    measures: toSorted(measures),
    dimensions: toSorted(dimensions),
    filters: toParamFilters({ ...input }),
    from,
    to,
    grain: grain ?? "",
  };
}

function isSamePart(part: QueryDifference["part"], one: string, other: string): boolean {
  if (one === other || (part !== "from" && part !== "to")) {
    return one === other;
  }
  return Math.abs(Date.parse(one) - Date.parse(other)) <= SAME_INSTANT_MS;
}

function findDifferences(model: Comparable, builtIn: Comparable): QueryDifference[] {
  return PARTS.filter((part) => !isSamePart(part, model[part], builtIn[part])).map((part) => ({
    part,
    model: model[part],
    builtIn: builtIn[part],
  }));
}

/** Holds the queries of a model against the one that the grammar reads out of the same question. */
export function createQueryCheck(builtIn: QuestionReply) {
  let fewest: QueryDifference[] | undefined;

  function compare(model: Comparable | undefined, own: Comparable | undefined): void {
    if (model === undefined || own === undefined) {
      return;
    }
    const differences = findDifferences(model, own);
    if (fewest === undefined || differences.length < fewest.length) {
      fewest = differences;
    }
  }

  return {
    add(tool: string, { input, result }: { input: unknown; result: unknown }): void {
      if (tool === "ask") {
        const reply = questionReply.safeParse(result);
        compare(reply.success ? ofReply(reply.data) : undefined, ofReply(builtIn));
      } else if (tool === "query_usage") {
        compare(ofReport(input, result), ofUsageParams(builtIn));
      }
    },
    /** Of the query that is nearest to the built-in one; undefined when the model asked none that can be compared. */
    differences: () => fewest,
  };
}
