/** The columns of a table of existing keys: the fields of a row of the API. */
export const IMPORT_COLUMNS = [
  "hash",
  "name",
  "environment",
  "start",
  "lastFour",
  "scopes",
  "expiresAt",
  "metadata",
  "externalId",
] as const;
export type ImportColumn = (typeof IMPORT_COLUMNS)[number];

/** What the first line of a table must contain. */
export const IMPORT_HEADER_RULE = `The first line must name the columns, each once and hash among them: ${IMPORT_COLUMNS.join(", ")}.`;

/** A parsed line of a table: a row for the API, or its mistakes. */
export type ImportLine =
  | { value: Record<string, unknown> }
  | { errors: { pointer: string; message: string }[] };

function isColumn(name: string): name is ImportColumn {
  return IMPORT_COLUMNS.some((column) => column === name);
}

/** Reads the line of column names. @returns `undefined` when it breaks {@link IMPORT_HEADER_RULE}. */
export function parseImportHeader(header: readonly string[]): ImportColumn[] | undefined {
  const names = header.map((name) => name.trim()).filter(isColumn);
  const isWhole = names.length === header.length && new Set(names).size === names.length;
  return isWhole && names.includes("hash") ? names : undefined;
}

/** Empty cells are left out, scopes are separated by spaces, and metadata is a JSON object. */
function toValue(
  columns: readonly ImportColumn[],
  cells: readonly string[],
): Record<string, unknown> {
  const value: Record<string, unknown> = {};
  for (const [index, column] of columns.entries()) {
    const cell = cells[index] ?? "";
    if (cell === "") {
      continue;
    }
    switch (column) {
      case "scopes":
        value[column] = cell.split(/[\s,;]+/).filter((scope) => scope !== "");
        break;
      case "metadata":
        value[column] = JSON.parse(cell);
        break;
      default:
        value[column] = cell;
    }
  }
  return value;
}

/** Reads a line by its column names. */
export function parseImportCells(
  columns: readonly ImportColumn[],
  cells: readonly string[],
): ImportLine {
  if (cells.length !== columns.length) {
    const message = `${String(cells.length)} cells where the first line names ${String(columns.length)} columns.`;
    return { errors: [{ pointer: "", message }] };
  }
  try {
    return { value: toValue(columns, cells) };
  } catch (error) {
    if (error instanceof SyntaxError) {
      return { errors: [{ pointer: "/metadata", message: "Not a JSON object." }] };
    }
    throw error;
  }
}
