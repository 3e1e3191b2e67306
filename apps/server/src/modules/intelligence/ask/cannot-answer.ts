/** There is no data for a question. The message says why, to the person who asked. */
export class CannotAnswer extends Error {
  override readonly name = "CannotAnswer";
}
