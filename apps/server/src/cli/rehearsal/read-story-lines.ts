import { createReadStream } from "node:fs";
import { stat } from "node:fs/promises";
import { createInterface } from "node:readline";
import { InputFileError } from "../input-file-error.ts";

/** One line of a file of stories; `line` counts from 1, empty lines included. */
export type StoryLine = { line: number } & ({ value: unknown } | { fault: string });

function parseLine(text: string): { value: unknown } | { fault: string } {
  try {
    return { value: JSON.parse(text) };
  } catch (error) {
    return { fault: error instanceof Error ? error.message : String(error) };
  }
}

async function openStories(path: string, name: string): Promise<NodeJS.ReadableStream> {
  if (name === "-") {
    return process.stdin;
  }
  const facts = await stat(path).catch(() => undefined);
  if (facts === undefined) {
    throw new InputFileError(`There is no file ${path}.`);
  }
  if (facts.isDirectory()) {
    throw new InputFileError(`${path} is a folder: name a file with one story a line.`);
  }
  return createReadStream(path, "utf8");
}

/**
 * Reads stories one at a time, so that a file of any length needs the memory of one story.
 *
 * @param name - The name on the command line; `-` is standard input.
 * @throws {InputFileError} When there is no such file.
 */
export async function* readStoryLines(path: string, name: string): AsyncGenerator<StoryLine> {
  const input = await openStories(path, name);
  let line = 0;
  for await (const text of createInterface({ input, crlfDelay: Number.POSITIVE_INFINITY })) {
    line += 1;
    if (text.trim() !== "") {
      yield { line, ...parseLine(text) };
    }
  }
}
