/** The most addresses of one request. */
export const ADDRESSES_MAX = 100;

/**
 * Reads the addresses of a text that was typed or pasted: one a line, or separated by commas, semicolons or spaces. Of
 * `Ada <ada@example.com>`, as mail programs copy it, the part in angle brackets counts.
 *
 * @returns In the order of the text, each once, as they were written. A part that is no address stays, to be refused by name.
 */
export function listAddresses(text: string): readonly string[] {
  const parts = text.split(/[\n,;]+/).flatMap((part) => {
    const inBrackets = [...part.matchAll(/<([^<>]+)>/g)].map((match) => match[1] ?? "");
    return inBrackets.length > 0 ? inBrackets : part.split(/\s+/);
  });
  const found = new Map<string, string>();
  for (const part of parts.map((one) => one.trim())) {
    if (part !== "" && !found.has(part.toLowerCase())) {
      found.set(part.toLowerCase(), part);
    }
  }
  return [...found.values()];
}
