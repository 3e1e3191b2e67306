import { readFileSync } from "node:fs";
import { explainUnknownKey } from "@turnpike/contract/explain-issue";
import type { FieldError } from "@turnpike/domain/errors/app-error";
import { parseJsonPointer } from "@turnpike/domain/text/json-pointer";
import { type Document, isMap, isNode, isScalar, isSeq, LineCounter, parseDocument } from "yaml";
import type { z } from "zod";
import { StartupError } from "#platform/startup-error.ts";

/** Something to fix: `place` is a file with its line, or the name of a variable. */
export type Mistake = { place: string; message: string };

/**
 * @param isNamed - Whether this file was asked for by name; otherwise it need not exist.
 * @throws {StartupError} `CONFIG_INVALID` when it cannot be read.
 */
export function readConfigText(path: string, isNamed: boolean): string | undefined {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    const isMissing =
      error instanceof Error && "code" in error && error.code === "ENOENT" && !isNamed;
    if (isMissing) {
      return;
    }
    throw new StartupError({
      code: "CONFIG_INVALID",
      message: `The configuration file ${path} cannot be read`,
      hint: "Check the path in TURNPIKE_CONFIG and the file's permissions",
      cause: error,
    });
  }
}

/** A name that is not known is a mistake of its own, at its own place. */
export function splitIssue(issue: z.core.$ZodIssue): { path: PropertyKey[]; message: string }[] {
  const at = issue.path.length === 0 ? "" : `${issue.path.map(String).join(".")}: `;
  if (issue.code === "unrecognized_keys") {
    return issue.keys.map((key) => ({
      path: [...issue.path, key],
      message: at + explainUnknownKey(issue, key),
    }));
  }
  return [{ path: issue.path, message: at + issue.message }];
}

/** Where a name stands, or the value when it has no name; the next outer one when it is not there at all. */
function findOffset(document: Document.Parsed, path: readonly PropertyKey[]): number | undefined {
  for (let depth = path.length; depth > 0; depth -= 1) {
    const name = path[depth - 1];
    const parent = depth === 1 ? document.contents : document.getIn(path.slice(0, depth - 1), true);
    const pair = isMap(parent)
      ? parent.items.find((item) => isScalar(item.key) && item.key.value === name)
      : undefined;
    const node = pair?.key ?? (isSeq(parent) ? parent.get(Number(name), true) : undefined);
    if (isNode(node) && node.range) {
      return node.range[0];
    }
  }
  return document.contents?.range[0];
}

/** Reads YAML; `place` tells where a value stands, as `path:line`. */
export function parseFile(
  path: string,
  text: string,
): { file: unknown; mistakes: Mistake[]; place: (path: readonly PropertyKey[]) => string } {
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, strict: true, uniqueKeys: true });
  const lineOf = (offset: number) => `${path}:${String(lines.linePos(offset).line)}`;
  const place = (keys: readonly PropertyKey[]): string => {
    const offset = findOffset(document, keys);
    return offset === undefined ? path : lineOf(offset);
  };
  const mistakes = document.errors.map((error) => ({
    place: lineOf(error.pos[0]),
    message: error.message.split("\n")[0]?.replace(/ at line .*$/, "") ?? error.message,
  }));
  if (mistakes.length > 0) {
    return { file: undefined, mistakes, place };
  }
  try {
    return { file: document.toJS() ?? {}, mistakes, place };
  } catch (error) {
    // An alias without its anchor, or so many that the file would grow without end.
    const message = error instanceof Error ? error.message : String(error);
    return { file: undefined, mistakes: [{ place: place([]), message }], place };
  }
}

/** Lists what is to be fixed, each at its place. */
export function toConfigError(mistakes: readonly Mistake[]): StartupError {
  const lines = mistakes.map((mistake) => `\n  ${mistake.place}  ${mistake.message}`).join("");
  const count = mistakes.length === 1 ? "a mistake" : `${String(mistakes.length)} mistakes`;
  return new StartupError({
    code: "CONFIG_INVALID",
    message: `The configuration has ${count}:${lines}\nEvery value is described in docs/configuration.md`,
    hint: "Fix what is listed and start again",
  });
}

/**
 * Tells what is wrong with the section `catalog` like every other mistake of the file.
 *
 * @param path - The file that names the catalogue.
 * @param faults - Each with its place in the catalogue.
 */
export function toCatalogError(path: string, faults: readonly FieldError[]): StartupError {
  const { place } = parseFile(path, readConfigText(path, true) ?? "");
  return toConfigError(
    faults.map(({ pointer, message }) => {
      const keys = ["catalog", ...(parseJsonPointer(pointer) ?? [])];
      return { place: place(keys), message: `${keys.join(".")}: ${message}` };
    }),
  );
}
