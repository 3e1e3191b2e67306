import { t } from "@lingui/core/macro";
import {
  IMPORT_HEADER_RULE,
  type ImportColumn,
  type ImportLine,
  parseImportCells,
  parseImportHeader,
} from "@turnpike/domain/keys/import-table";
import type { CsvError } from "csv-parse/browser/esm/sync";

/** A row and its position in the file: "Line 3" of a CSV, "Row 3" of a JSON array. */
export type ImportRow = { place: string } & (
  | { value: unknown }
  | Exclude<ImportLine, { value: unknown }>
);

/** Why a file cannot be read at all, for the person who chose it. */
export class ImportFileError extends Error {
  override readonly name = "ImportFileError";
}

/** Longer lists need several files or the command line. */
export const IMPORT_FILE_ROWS_MAX = 100_000;
/** Of the whole file, in bytes: the browser holds it in memory. */
export const IMPORT_FILE_BYTES_MAX = 32 * 1024 * 1024;
/** Of one row, in bytes of JSON: below the API's limit of 1 MB, and far more than a key's name and metadata. */
export const IMPORT_ROW_BYTES_MAX = 900_000;

/** Byte order marks and their encodings. Without one, the file is UTF-8. */
const BYTE_ORDER_MARKS = [
  { bytes: [0xff, 0xfe], encoding: "utf-16le" },
  { bytes: [0xfe, 0xff], encoding: "utf-16be" },
] as const;

/** Decodes a file, including the UTF-16 that some spreadsheets save. */
export function decodeImportFile(content: ArrayBuffer): string {
  const start = new Uint8Array(content.slice(0, 2));
  const mark = BYTE_ORDER_MARKS.find(({ bytes }) => bytes.every((byte, at) => start[at] === byte));
  return new TextDecoder(mark?.encoding).decode(content);
}

/**
 * Reads keys from a CSV with a header line, or from a JSON array of objects. The first character decides which it is.
 *
 * @throws {ImportFileError}
 */
export async function readImportText(text: string): Promise<ImportRow[]> {
  const content = text.replace(/^\ufeff/, "").trim();
  if (content === "") {
    throw new ImportFileError(t`The file is empty.`);
  }
  if (content.startsWith("{")) {
    throw new ImportFileError(
      "The file starts with {, so it holds a single object. It must be a JSON array of objects: [{…}, {…}].",
    );
  }
  const rows = content.startsWith("[") ? readJson(content) : await readCsv(text);
  if (rows.length === 0) {
    throw new ImportFileError(t`The file has no rows.`);
  }
  if (rows.length > IMPORT_FILE_ROWS_MAX) {
    throw new ImportFileError(t`The file has more than 100,000 rows: split it.`);
  }
  return rows.map(refuseTooLong);
}

/** A row that the API rejects for its size would block the rows in the same request. */
function refuseTooLong(row: ImportRow): ImportRow {
  if (!("value" in row) || toJsonBytes(row.value) <= IMPORT_ROW_BYTES_MAX) {
    return row;
  }
  const message = t`The row is too long: more than 900 kB.`;
  return { place: row.place, errors: [{ pointer: "", message }] };
}

const encoder = new TextEncoder();

/** The size of a row in a request, in bytes. */
export function toJsonBytes(value: unknown): number {
  return encoder.encode(JSON.stringify(value)).length;
}

function readJson(content: string): ImportRow[] {
  let values: unknown;
  try {
    values = JSON.parse(content);
  } catch (cause) {
    throw new ImportFileError(t`This is not valid JSON, or the file is incomplete.`, { cause });
  }
  if (!Array.isArray(values)) {
    throw new ImportFileError(t`The JSON is not an array of keys.`);
  }
  return values.map((value: unknown, index) => ({ place: t`Row ${String(index + 1)}`, value }));
}

async function readCsv(text: string): Promise<ImportRow[]> {
  // Only people who import keys load the parser.
  const { parse, CsvError: Refusal } = await import("csv-parse/browser/esm/sync");
  const rows: ImportRow[] = [];
  let columns: readonly ImportColumn[] | undefined;
  try {
    parse(text, {
      bom: true,
      relaxColumnCount: true,
      skipEmptyLines: true,
      trim: true,
      // Otherwise the first line's ending applies to the whole file, but concatenated files mix several.
      recordDelimiter: ["\r\n", "\n", "\r"],
      onRecord: (record: string[], { lines }) => {
        if (columns === undefined) {
          columns = toColumns(record);
        } else {
          rows.push({ place: t`Line ${String(lines)}`, ...parseImportCells(columns, record) });
        }
        // The rows are collected here, so the parser does not need to keep them.
        return null;
      },
    });
  } catch (cause) {
    if (cause instanceof Refusal) {
      throw new ImportFileError(describe(cause), { cause });
    }
    throw cause;
  }
  return rows;
}

function toColumns(header: readonly string[]): readonly ImportColumn[] {
  const columns = parseImportHeader(header);
  if (columns === undefined) {
    throw new ImportFileError(`${IMPORT_HEADER_RULE} ${describeHeader(header)}`);
  }
  return columns;
}

/** Characters shown of a header that could not be understood. */
const HEADER_SHOWN_MAX = 80;

/** Cell separators of files that are not CSV, and their names. */
const OTHER_SEPARATORS = [
  { sign: ";", name: "semicolons" },
  { sign: "\t", name: "tabs" },
] as const;

/** Shows what was read as the header, and guesses what went wrong. */
function describeHeader(header: readonly string[]): string {
  const line = header.join(",");
  if (line.includes("\0")) {
    return t`It contains characters that are not text: save the file as UTF-8.`;
  }
  const shown = line.length > HEADER_SHOWN_MAX ? `${line.slice(0, HEADER_SHOWN_MAX)}…` : line;
  const separator = header.length === 1 && OTHER_SEPARATORS.find(({ sign }) => line.includes(sign));
  return separator
    ? t`It was read as “${shown}”, separated by ${separator.name}: use commas.`
    : t`It was read as “${shown}”.`;
}

function describe(refusal: CsvError): string {
  const line = typeof refusal["lines"] === "number" ? refusal["lines"] : 1;
  return t`Line ${String(line)}: a quote is out of place or not closed.`;
}
