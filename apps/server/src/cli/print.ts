const toEscape = (character: string) =>
  `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;

/**
 * A text without control characters but for new lines and tabs: names and answers of others would otherwise move the cursor, or write
 * over what was shown.
 */
export function toPrintable(text: string): string {
  return text.replace(/(?![\n\t])\p{Cc}/gu, "\ufffd");
}

/** JSON escapes control characters, but not those from U+007F to U+009F, which some terminals obey. */
export function toPrintableJson(value: unknown, indent?: number): string {
  return JSON.stringify(value, undefined, indent).replace(/(?!\n)\p{Cc}/gu, toEscape);
}

/** One column of a table for people. */
export type Column<Row> = {
  header: string;
  value: (row: Row) => string;
  /** Numbers line up on the right. */
  align?: "left" | "right";
};

const GAP = "  ";

function pad(text: string, width: number, align: "left" | "right" | undefined): string {
  return align === "right" ? text.padStart(width) : text.padEnd(width);
}

/** Lays rows out in aligned columns under their headers; `empty` stands in for no rows. */
export function toTable<Row>(
  rows: readonly Row[],
  columns: readonly Column<Row>[],
  empty: string,
): string {
  if (rows.length === 0) {
    return empty;
  }
  const cells = rows.map((row) => columns.map((column) => column.value(row)));
  const widths = columns.map((column, index) =>
    Math.max(column.header.length, ...cells.map((line) => line[index]?.length ?? 0)),
  );
  const toLine = (line: readonly string[]) =>
    columns
      .map((column, index) => pad(line[index] ?? "", widths[index] ?? 0, column.align))
      .join(GAP)
      .trimEnd();
  return [toLine(columns.map((column) => column.header)), ...cells.map(toLine)].join("\n");
}

/** Lays one record out as a name and a value on each line. */
export function toRecord(fields: readonly (readonly [name: string, value: string])[]): string {
  const width = Math.max(0, ...fields.map(([name]) => name.length));
  return fields.map(([name, value]) => `${name.padEnd(width)}${GAP}${value}`.trimEnd()).join("\n");
}

/** A minute is precise enough for people: `2026-01-31 09:30`, UTC; a dash for null. */
export function toShortInstant(iso: string | null): string {
  return iso === null ? "-" : iso.slice(0, 16).replace("T", " ");
}
