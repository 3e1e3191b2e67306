import { createReadStream } from "node:fs";
import { stat } from "node:fs/promises";
import { createInterface } from "node:readline";
import { InputFileError } from "./input-file-error.ts";

/** A line of a file that is not blank; `line` counts from 1, blank lines included. */
export type TextLine = { line: number; text: string };

async function openText(path: string, name: string): Promise<NodeJS.ReadableStream> {
  if (name === "-") {
    return process.stdin;
  }
  const facts = await stat(path).catch(() => undefined);
  if (facts === undefined) {
    throw new InputFileError(`There is no file ${path}.`);
  }
  if (facts.isDirectory()) {
    throw new InputFileError(`${path} is a folder: name a file.`);
  }
  return createReadStream(path, "utf8");
}

/**
 * Reads lines one at a time, so that a file of any length needs the memory of one line.
 *
 * @param name - The name on the command line; `-` is standard input.
 * @throws {InputFileError} When there is no such file.
 */
export async function* readLines(path: string, name: string): AsyncGenerator<TextLine> {
  const input = await openText(path, name);
  let line = 0;
  for await (const read of createInterface({ input, crlfDelay: Number.POSITIVE_INFINITY })) {
    line += 1;
    // Some programs begin a file with a mark of its encoding.
    const text = line === 1 ? read.replace(/^\ufeff/, "") : read;
    if (text.trim() !== "") {
      yield { line, text };
    }
  }
}

/** Parses a line as JSON; a fault says what is wrong with it. */
export function parseJsonLine(text: string): { value: unknown } | { fault: string } {
  try {
    return { value: JSON.parse(text) };
  } catch (error) {
    return { fault: error instanceof Error ? error.message : String(error) };
  }
}
