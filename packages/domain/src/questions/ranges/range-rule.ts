import type { FoundRange, QuestionClock } from "./relative-range.ts";

/** A rule for one way to name a range; the groups are those of its pattern. */
export type RangeRule = {
  readonly pattern: string;
  readonly read: (clock: QuestionClock, groups: readonly string[]) => FoundRange | undefined;
};

/** A pattern that starts and ends where words do. */
export function toPattern(pattern: string): RegExp {
  return new RegExp(`(?<![\\w#/-])(?:${pattern})(?![\\w/]|-\\w)`);
}
