import { OPENAPI_BYTES_MAX, parseOpenapiText } from "./parse-openapi-text.ts";
import { readTextFile } from "./read-text-file.ts";

/** @throws {Error} When it cannot be read, or is larger than a document may be; the message is a sentence. */
export function readOpenapiFile(path: string): string {
  return readTextFile(path, OPENAPI_BYTES_MAX).text;
}

/** Says what is wrong with a document before anything starts; `undefined` when nothing is. */
export function checkOpenapiFile(path: string): string | undefined {
  try {
    const read = parseOpenapiText(readOpenapiFile(path));
    return read.ok ? undefined : `${path}: ${read.reason}`;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}
