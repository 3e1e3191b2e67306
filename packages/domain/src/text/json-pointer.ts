/** The steps of a JSON pointer, unescaped; the empty list is the whole document. */
export type JsonPath = readonly string[];

const BAD_ESCAPE = /~(?![01])/;
const INDEX = /^(0|[1-9]\d{0,9})$/;

/**
 * Reads a JSON pointer (RFC 6901).
 *
 * @returns `undefined` for a text that is none.
 */
export function parseJsonPointer(text: string): JsonPath | undefined {
  if (text === "") {
    return [];
  }
  if (!text.startsWith("/") || BAD_ESCAPE.test(text)) {
    return;
  }
  return text
    .slice(1)
    .split("/")
    .map((step) => step.replaceAll("~1", "/").replaceAll("~0", "~"));
}

/** Finds what a pointer names in parsed JSON; `undefined` when there is nothing. Never reads inherited properties. */
export function findByPath(document: unknown, path: JsonPath): unknown {
  let found = document;
  for (const step of path) {
    if (typeof found !== "object" || found === null) {
      return;
    }
    if (Array.isArray(found)) {
      found = INDEX.test(step) ? found[Number(step)] : undefined;
    } else {
      found = Object.hasOwn(found, step) ? (found as Record<string, unknown>)[step] : undefined;
    }
  }
  return found;
}
