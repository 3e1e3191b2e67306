/** Longer texts are no questions, and reading one takes time. */
export const QUESTION_LENGTH_MAX = 400;
/** The most questions before one that it may go on from. */
export const QUESTIONS_BEFORE_MAX = 5;
