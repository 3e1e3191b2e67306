type Row = Readonly<Record<string, string | number>>;

/** Lays rows out for a terminal, numbers to the right. Columns are those of the first row. */
export function toTextTable(rows: readonly Row[]): string {
  const columns = Object.keys(rows[0] ?? {});
  const cell = (row: Row, column: string) => String(row[column] ?? "");
  const widths = columns.map((column) =>
    Math.max(column.length, ...rows.map((row) => cell(row, column).length)),
  );
  const isNumber = columns.map((column) => rows.every((row) => typeof row[column] === "number"));
  const line = (cells: readonly string[]) =>
    cells
      .map((text, index) => {
        const width = widths[index] ?? 0;
        return isNumber[index] === true ? text.padStart(width) : text.padEnd(width);
      })
      .join("  ")
      .trimEnd();
  return [
    line(columns),
    line(widths.map((width) => "-".repeat(width))),
    ...rows.map((row) => line(columns.map((column) => cell(row, column)))),
  ].join("\n");
}

/** The same as a table of Markdown. */
export function toMarkdownTable(rows: readonly Row[]): string {
  const columns = Object.keys(rows[0] ?? {});
  const line = (cells: readonly string[]) => `| ${cells.join(" | ")} |`;
  return [
    line(columns),
    line(
      columns.map((column) =>
        rows.every((row) => typeof row[column] === "number") ? "---:" : "---",
      ),
    ),
    ...rows.map((row) => line(columns.map((column) => String(row[column] ?? "")))),
  ].join("\n");
}
