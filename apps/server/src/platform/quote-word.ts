const PLAIN = /^[\w:/.~%@+=,-]+$/;

/** Writes a text as one word of a POSIX shell. */
export function quoteWord(text: string): string {
  return PLAIN.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}
