import { readFileSync, statSync } from "node:fs";
import type { OpenapiPaths } from "@turnpike/domain/routes/openapi-paths";
import { OPENAPI_BYTES_MAX, parseOpenapiText } from "./parse-openapi-text.ts";

/** @throws {Error} When it cannot be read, or is larger than a document may be; the message is a sentence. */
export function readOpenapiFile(path: string): string {
  let bytes: number;
  try {
    bytes = statSync(path).size;
    if (bytes <= OPENAPI_BYTES_MAX) {
      return readFileSync(path, "utf8");
    }
  } catch (cause) {
    throw new Error(`The file ${path} cannot be read.`, { cause });
  }
  throw new Error(`The file ${path} has more than ${String(OPENAPI_BYTES_MAX)} bytes.`);
}

/** Says what is wrong with a document before anything starts; `undefined` when nothing is. */
export function checkOpenapiFile(path: string): string | undefined {
  try {
    const read: OpenapiPaths = parseOpenapiText(readOpenapiFile(path));
    return read.ok ? undefined : `${path}: ${read.reason}`;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}
