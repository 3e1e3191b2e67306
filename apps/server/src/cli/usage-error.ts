/** A mistake on the command line. The program exits with 2 and says how to fix it. */
export class UsageError extends Error {
  override readonly name = "UsageError";
}
