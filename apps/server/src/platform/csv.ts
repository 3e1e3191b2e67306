/** Characters, of half and of full width, that start a formula in a spreadsheet, and those that it skips before one. */
const FORMULA_START = /^[\s\p{Cc}]*[=+\-@\uff1d\uff0b\uff0d\uff20]|^[\t\r\n]/u;
const NEEDS_QUOTES = /["',;\r\n\t]/;

/** Writes a cell of text that no spreadsheet takes for a formula: one that would be begins with `'`. */
export function toTextCell(text: string): string {
  const safe = FORMULA_START.test(text) ? `'${text}` : text;
  return NEEDS_QUOTES.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

/** Writes a cell of a number as it is in JSON; empty for null. */
export function toNumberCell(value: string | number | null | undefined): string {
  return value === null || value === undefined ? "" : String(value);
}

/** Writes a line of CSV (RFC 4180). @param cells - Written by the functions above. */
export function toCsvRow(cells: readonly string[]): string {
  return `${cells.join(",")}\r\n`;
}
