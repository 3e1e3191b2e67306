/** A mistake on the command line. The program exits with 2 and says how to fix it. */
export class UsageError extends Error {
  override readonly name = "UsageError";
  /** The message lists all that there is, so that help would add nothing. */
  readonly isComplete: boolean;

  constructor(message: string, { isComplete = false }: { isComplete?: boolean } = {}) {
    super(message);
    this.isComplete = isComplete;
  }
}
