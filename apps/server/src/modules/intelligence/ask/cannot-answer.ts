import { fillPlaces } from "#platform/words/fill-places.ts";

/** There is no data for a question. The sentence says why, to the person who asked. */
export class CannotAnswer extends Error {
  override readonly name = "CannotAnswer";
  /** With numbered places for the values. */
  readonly sentence: string;
  readonly values: readonly string[];

  constructor(sentence: string, ...values: readonly string[]) {
    super(fillPlaces(sentence, values));
    this.sentence = sentence;
    this.values = values;
  }
}
