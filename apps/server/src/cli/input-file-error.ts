/** One mistake in a file: `pointer` is a JSON pointer into it, empty for the whole. */
export type FileMistake = { pointer: string; message: string };

/** A file that a command was given cannot be used: the program ends with 1 and says what to fix, and where. */
export class InputFileError extends Error {
  override readonly name = "InputFileError";
  readonly mistakes: readonly FileMistake[];

  constructor(message: string, mistakes: readonly FileMistake[] = []) {
    super(message);
    this.mistakes = mistakes;
  }
}

/** Names the file and every mistake, each on a line of its own. */
export function toInputFileError(path: string, mistakes: readonly FileMistake[]): InputFileError {
  const lines = mistakes.map(({ pointer, message }) =>
    pointer === "" ? `\n  ${message}` : `\n  ${pointer}  ${message}`,
  );
  const count = mistakes.length === 1 ? "a mistake" : `${String(mistakes.length)} mistakes`;
  return new InputFileError(`${path} has ${count}:${lines.join("")}`, mistakes);
}
