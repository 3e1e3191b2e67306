const BEYOND_ASCII = /[^\0-\x7f]/;
const EVERY_BEYOND_ASCII = /[^\0-\x7f]/g;

function escapeUnit(unit: string): string {
  return `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`;
}

/**
 * The JSON of a value in ASCII alone, as RFC 8259 section 7 allows: it has as many bytes as characters, so the length of a
 * hot answer is known without scanning it.
 */
export function asciiJson(value: unknown): string {
  const text = JSON.stringify(value);
  // Replacing nothing costs far more than testing first.
  return BEYOND_ASCII.test(text) ? text.replace(EVERY_BEYOND_ASCII, escapeUnit) : text;
}
