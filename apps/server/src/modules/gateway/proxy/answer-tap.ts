/** What an answer says of itself before its first byte; empty texts for what it does not say. */
export type AnswerHead = { status: number; contentType: string; contentEncoding: string };

/** Reads an answer as it passes. It must return at once and never throw. */
export type AnswerTap = {
  /** How long an answer is read to its end after its client has left, in milliseconds; 0 drops it. */
  readonly readOnMs: number;
  /** True when fewer bytes may pass than came, so that their length cannot be announced. */
  readonly changesLength: boolean;
  start(head: AnswerHead): void;
  /** @returns The bytes for the client. */
  write(chunk: Buffer): Buffer;
  /**
   * The answer is over, or will never come. Only the first time counts.
   *
   * @param isWhole - False when it broke off.
   * @returns Bytes for the client that were held.
   */
  end(isWhole: boolean): Buffer;
};
