import { z } from "zod";
import type { Cli } from "./cli.ts";
import { type FileMistake, toInputFileError } from "./input-file-error.ts";
import { parseJsonLine, readLines } from "./read-lines.ts";
import { writeLine } from "./write-line.ts";

/** More bad lines say nothing new. */
const MISTAKES_MAX = 100;

function toFault(error: unknown): string {
  if (error instanceof z.ZodError) {
    return error.issues
      .map(({ path, message }) => (path.length === 0 ? message : `${path.join(".")}: ${message}`))
      .join("; ");
  }
  if (error instanceof RangeError) {
    return error.message;
  }
  throw error;
}

/**
 * Answers a file of JSON lines with one text for each. A line that is no JSON, or that `answer` refuses, is named at the end; all
 * others are answered.
 *
 * @param input.name - The name on the command line; `-` is standard input.
 * @param input.answer - Refuses a line with a `ZodError` or a `RangeError`.
 * @throws {InputFileError} Naming bad lines, at most 100.
 */
export async function answerJsonLines(
  cli: Cli,
  { name, answer }: { name: string; answer: (value: unknown) => string },
): Promise<void> {
  const path = cli.toPath(name);
  const mistakes: FileMistake[] = [];
  for await (const { line, text } of readLines(path, name)) {
    const read = parseJsonLine(text);
    let fault = "fault" in read ? read.fault : undefined;
    if ("value" in read) {
      try {
        await writeLine(cli.environment.output, answer(read.value));
      } catch (error) {
        fault = toFault(error);
      }
    }
    if (fault !== undefined && mistakes.length < MISTAKES_MAX) {
      mistakes.push({ pointer: `line ${String(line)}`, message: fault });
    }
  }
  if (mistakes.length > 0) {
    throw toInputFileError(name === "-" ? "Standard input" : path, mistakes);
  }
}
