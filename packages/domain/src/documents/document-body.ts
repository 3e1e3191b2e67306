import { isStorableText } from "../text/storable-text.ts";

/** The largest document, as JSON in UTF-8. */
export const DOCUMENT_BYTES_MAX = 65_536;
/** Deeper than any settings, and shallow enough for every parser. */
export const DOCUMENT_DEPTH_MAX = 32;

/** A value takes at least a digit and a comma. */
const VALUES_MAX = DOCUMENT_BYTES_MAX / 2;
const TOO_LARGE = `At most ${String(DOCUMENT_BYTES_MAX)} bytes.`;

function utf8Length(text: string): number {
  let length = 0;
  for (const character of text) {
    const point = character.codePointAt(0) ?? 0;
    length += point < 0x80 ? 1 : point < 0x800 ? 2 : point < 0x10000 ? 3 : 4;
  }
  return length;
}

function findValueFault(value: unknown): string | undefined {
  switch (typeof value) {
    case "string":
      return isStorableText(value) ? undefined : "Texts must not contain NUL or broken characters.";
    case "number":
      return Number.isFinite(value) ? undefined : "Numbers must be finite.";
    case "boolean":
      return undefined;
    default:
      return value === null ? undefined : "Only JSON values.";
  }
}

/**
 * Says why an object cannot be the body of a document. Does not recurse, so no depth can exhaust the stack.
 *
 * @param body - A result of `JSON.parse`.
 * @returns One sentence, or `undefined` for a valid body: at most 64 KB as JSON, at most 32 levels, no name `__proto__`,
 *   no NUL, no lone surrogate.
 */
export function findBodyFault(body: Readonly<Record<string, unknown>>): string | undefined {
  const open: { value: unknown; depth: number }[] = [{ value: body, depth: 1 }];
  let values = 0;
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { value, depth } = next;
    values += 1;
    if (values > VALUES_MAX) {
      return TOO_LARGE;
    }
    if (typeof value !== "object" || value === null) {
      const fault = findValueFault(value);
      if (fault !== undefined) {
        return fault;
      }
      continue;
    }
    if (depth > DOCUMENT_DEPTH_MAX) {
      return `At most ${String(DOCUMENT_DEPTH_MAX)} levels.`;
    }
    for (const name of Object.keys(value)) {
      if (name === "__proto__" || !isStorableText(name)) {
        return "A name is not allowed.";
      }
      if (open.length > VALUES_MAX) {
        return TOO_LARGE;
      }
      open.push({ value: Reflect.get(value, name), depth: depth + 1 });
    }
  }
  const text = JSON.stringify(body);
  // Each unit of a text takes at least one byte.
  return text.length > DOCUMENT_BYTES_MAX || utf8Length(text) > DOCUMENT_BYTES_MAX
    ? TOO_LARGE
    : undefined;
}
