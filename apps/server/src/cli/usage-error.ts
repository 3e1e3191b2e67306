/** A command line that cannot be understood: the program ends with 2 and says how to mend it. */
export class UsageError extends Error {
  override readonly name = "UsageError";
}
