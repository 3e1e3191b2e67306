import { type Phrase, take } from "./phrase.ts";
import { NUMBER, toNumber } from "./ranges/range-words.ts";

export type FoundRanking = {
  readonly order: "asc" | "desc";
  readonly limit?: number;
  /** What the superlative ranks by when the question names no measure. */
  readonly measure?: string;
  /** True for “best” and “worst”, whose direction depends on the measure. */
  readonly isJudgement: boolean;
  /** True where all rows are asked for, in an order. */
  readonly isSort: boolean;
};

type Superlative = {
  readonly pattern: RegExp;
  readonly order: "asc" | "desc";
  readonly measure?: string;
  readonly isJudgement?: boolean;
  readonly isSort?: boolean;
};

const words = (pattern: string) => new RegExp(`(?<![\\w#-])(?:${pattern})(?![\\w-])`);
const USED =
  "(?:heavily |often |frequently )?(?:used|active|popular|frequent|called|requested|busy|hit|loaded|queried|common|numerous)";

const SUPERLATIVES: readonly Superlative[] = [
  {
    pattern: words(
      "(?:sorted |ordered )?ascending|lowest first|smallest first|best first|least first|fastest first|in ascending order",
    ),
    order: "asc",
    isSort: true,
  },
  {
    pattern: words(
      "(?:sorted |ordered )?descending|(?:highest|largest|worst|biggest|most|slowest) first|in descending order",
    ),
    order: "desc",
    isSort: true,
  },

  { pattern: words("sorted by"), order: "desc", isSort: true },
  { pattern: words(`(?:the )?most ${USED}`), order: "desc", measure: "requests" },
  { pattern: words(`(?:the )?least ${USED}`), order: "asc", measure: "requests" },
  { pattern: words("(?:the )?most expensive|costliest|priciest"), order: "desc", measure: "spend" },
  {
    pattern: words("(?:the )?least (?:expensive|costly)|cheapest"),
    order: "asc",
    measure: "spend",
  },
  {
    pattern: words("busiest|heaviest|noisiest|loudest|hottest"),
    order: "desc",
    measure: "requests",
  },
  { pattern: words("quietest|least busy|idlest"), order: "asc", measure: "requests" },
  {
    pattern: words(
      "(?:takes?|took|taking) (?:the )?(?:longest|most time)(?: to (?:respond|answer|complete|finish|load))?|slowest",
    ),
    order: "desc",
    measure: "latency_p95",
  },
  {
    pattern: words("(?<!growing )(?:fastest|quickest)(?! growing)"),
    order: "asc",
    measure: "latency_p95",
  },
  { pattern: words("worst|flakiest"), order: "desc", measure: "error_rate", isJudgement: true },
  { pattern: words("best"), order: "asc", measure: "error_rate", isJudgement: true },
  { pattern: words("bottom|lowest|smallest|fewest|least|minimum"), order: "asc" },
  {
    pattern: words("top|highest|biggest|largest|greatest|most|maximum|max|leading|rank(?:ed)?"),
    order: "desc",
  },
];

const COUNT = new RegExp(`(?<![\\w#.-])(${NUMBER.replace("|a|an|couple|few", "")})(?![\\w.%-])`);
const LIMIT_MAX = 1_000;

/** Takes a ranking out of a phrase whose ranges, thresholds and values are marks already. */
export function findRanking(phrase: Phrase): FoundRanking | undefined {
  for (const { pattern, order, measure, isJudgement = false, isSort = false } of SUPERLATIVES) {
    if (take(phrase, pattern, "#o") === undefined) {
      continue;
    }
    // “Bottom 3” beside “quietest” says the same again.
    const other = SUPERLATIVES.find((one) => one.pattern.test(phrase.text));
    if (other !== undefined) {
      take(phrase, other.pattern, "#o");
    }
    const count = toNumber(COUNT.exec(phrase.text)?.[1]);
    const isLimit = count !== undefined && count > 0 && count <= LIMIT_MAX;
    if (isLimit) {
      take(phrase, COUNT);
    }
    // “Lowest three by …” of a word with a measure and one without: the direction is that of the first.
    return {
      order,
      isJudgement,
      isSort,
      ...(isLimit ? { limit: count } : {}),
      ...(measure === undefined ? {} : { measure }),
    };
  }
  return;
}
