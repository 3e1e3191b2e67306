import type { Grain } from "../../time/zoned-buckets.ts";
import type { FoundComparison } from "../find-comparison.ts";
import type { FoundDimension } from "../find-dimensions.ts";
import type { QuestionIntent } from "../find-intent.ts";
import type { FoundRanking } from "../find-ranking.ts";
import type { UnknownWord } from "../list-unaccounted.ts";
import type { QuestionFilter } from "../question-reading.ts";
import type { FoundRange } from "../ranges/relative-range.ts";

/** What one question says by itself. */
export type QuestionParts = {
  readonly intent?: QuestionIntent;
  readonly measures: readonly string[];
  readonly dimensions: readonly FoundDimension[];
  readonly filters: readonly QuestionFilter[];
  readonly range?: FoundRange;
  readonly grain?: Grain | "trend";
  readonly ranking?: FoundRanking;
  readonly compare?: FoundComparison;
  /** “The week before” of a follow-up. */
  readonly shiftsBy?: string;
  /** Filters that the question before named and this one does not. */
  readonly kept: readonly QuestionFilter[];
  readonly assumed: readonly string[];
  /** What was assumed of the measures. */
  readonly measuresAssumed: readonly string[];
  readonly ambiguous: readonly (readonly string[])[];
  readonly unknown: readonly UnknownWord[];
  /** True where the question asks to change something. */
  readonly isAction: boolean;
  /** What is left of it, with marks for what was found. */
  readonly text: string;
};
