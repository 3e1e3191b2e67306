const BEYOND_ASCII = /[^\0-\x7f]/;
const EVERY_BEYOND_ASCII = /[^\0-\x7f]/g;

function escapeUnit(unit: string): string {
  return `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`;
}

/**
 * The JSON of a value in ASCII alone, as RFC 8259 section 7 allows: as many bytes as characters, so that nobody has to look at
 * each of them to know how long a hot answer is.
 */
export function asciiJson(value: unknown): string {
  const text = JSON.stringify(value);
  // Replacing nothing is far dearer than looking for it.
  return BEYOND_ASCII.test(text) ? text.replace(EVERY_BEYOND_ASCII, escapeUnit) : text;
}
