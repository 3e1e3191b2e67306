/** A set of questions, and how it was read the first time, before the grammar knew it. */
export type QuestionSet = {
  /** The name of its file, without the suffix. */
  readonly set: string;
  readonly questions: number;
  readonly exact: number;
  readonly wrong: number;
};

/** Written one after the other by hand; the grammar was corrected after each. */
export const QUESTION_SETS: readonly QuestionSet[] = [
  { set: "held-out", questions: 143, exact: 135, wrong: 2 },
  { set: "seen", questions: 160, exact: 125, wrong: 9 },
  { set: "round-1", questions: 79, exact: 58, wrong: 4 },
  { set: "round-2", questions: 83, exact: 65, wrong: 10 },
  { set: "round-3", questions: 82, exact: 67, wrong: 7 },
  { set: "round-4", questions: 83, exact: 63, wrong: 9 },
  { set: "traps", questions: 81, exact: 65, wrong: 16 },
  { set: "round-5", questions: 79, exact: 58, wrong: 7 },
  { set: "round-6", questions: 81, exact: 78, wrong: 3 },
  { set: "round-7", questions: 77, exact: 70, wrong: 3 },
  { set: "round-8", questions: 75, exact: 62, wrong: 3 },
  { set: "round-9", questions: 78, exact: 73, wrong: 2 },
  { set: "round-10", questions: 73, exact: 73, wrong: 0 },
  { set: "traps-2", questions: 66, exact: 50, wrong: 13 },
  { set: "traps-3", questions: 50, exact: 42, wrong: 8 },
];
