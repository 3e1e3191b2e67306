import { Readable } from "node:stream";
import { JSONParser, TokenizerError, TokenParserError } from "@streamparser/json";
import {
  IMPORT_HEADER_RULE,
  type ImportColumn,
  parseImportCells,
  parseImportHeader,
} from "@turnpike/domain/keys/import-table";
import { CsvError, parse as parseCsv } from "csv-parse";
import { InputFileError } from "./input-file-error.ts";

type Mistake = { pointer: string; message: string };

/** A row of a file of keys and the line on which it ends: its content, or why it cannot be read. */
export type FileRow = { line: number } & ({ value: unknown } | { errors: Mistake[] });

/** Characters of one row, in either format: far more than a key's name and metadata. */
const ROW_LENGTH_MAX = 64 * 1024;
const NEWLINE = 0x0a;

function toColumns(header: readonly string[]): readonly ImportColumn[] {
  const columns = parseImportHeader(header);
  if (columns === undefined) {
    throw new InputFileError(IMPORT_HEADER_RULE);
  }
  return columns;
}

async function* readCsv(source: AsyncIterable<Buffer>): AsyncGenerator<FileRow> {
  const parser = parseCsv({
    bom: true,
    info: true,
    relaxColumnCount: true,
    skipEmptyLines: true,
    trim: true,
    // Without these the end of the first line is that of all others, and a file that was put together has several.
    recordDelimiter: ["\r\n", "\n", "\r"],
    maxRecordSize: ROW_LENGTH_MAX,
  });
  const reading = Readable.from(source, { objectMode: false });
  reading.on("error", (error) => parser.destroy(error)).pipe(parser);
  let columns: readonly ImportColumn[] | undefined;
  try {
    for await (const { record, info } of parser as AsyncIterable<{
      record: string[];
      info: { lines: number };
    }>) {
      if (columns === undefined) {
        columns = toColumns(record);
      } else {
        yield { line: info.lines, ...parseImportCells(columns, record) };
      }
    }
  } catch (error) {
    if (error instanceof CsvError) {
      const line = typeof error["lines"] === "number" ? error["lines"] : 1;
      throw new InputFileError(
        error.code === "CSV_MAX_RECORD_SIZE"
          ? `Line ${String(line)}: a row has more than ${String(ROW_LENGTH_MAX)} characters, or a quote is not closed.`
          : `Line ${String(line)}: a quote in the wrong position, or not closed.`,
      );
    }
    throw error;
  } finally {
    reading.destroy();
  }
}

/** Splits text after line ends, so that the reader can count lines. */
function* splitLines(chunk: Buffer): Generator<Buffer> {
  let from = 0;
  while (from < chunk.length) {
    const newlineAt = chunk.indexOf(NEWLINE, from);
    const to = newlineAt === -1 ? chunk.length : newlineAt + 1;
    yield chunk.subarray(from, to);
    from = to;
  }
}

async function* readJson(
  source: AsyncIterable<Buffer>,
  firstLine: number,
): AsyncGenerator<FileRow> {
  const parser = new JSONParser({ paths: ["$.*"], keepStack: false });
  let line = firstLine;
  let rows: FileRow[] = [];
  let bytesSinceRow = 0;
  let failure: Error | undefined;
  parser.onValue = ({ value }) => {
    rows.push({ line, value });
    bytesSinceRow = 0;
  };
  parser.onError = (error) => {
    failure = error;
  };
  const assertFine = () => {
    if (failure instanceof TokenizerError || failure instanceof TokenParserError) {
      throw new InputFileError(`Line ${String(line)}: this is not JSON.`);
    }
    if (failure !== undefined) {
      throw failure;
    }
  };
  for await (const chunk of source) {
    for (const piece of splitLines(chunk)) {
      bytesSinceRow += piece.length;
      parser.write(piece);
      assertFine();
      if (bytesSinceRow > ROW_LENGTH_MAX + chunk.length) {
        throw new InputFileError(
          `Line ${String(line)}: a row has more than ${String(ROW_LENGTH_MAX)} characters.`,
        );
      }
      line += piece.at(-1) === NEWLINE ? 1 : 0;
      yield* rows;
      rows = [];
    }
  }
  if (!parser.isEnded) {
    throw new InputFileError(`Line ${String(line)}: the JSON ends in the middle.`);
  }
}

async function* chain(first: Buffer, rest: AsyncIterator<Buffer>): AsyncGenerator<Buffer> {
  yield first;
  for (let next = await rest.next(); next.done !== true; next = await rest.next()) {
    yield next.value;
  }
}

/**
 * Reads keys from a CSV with a line of names, or from a JSON array of objects: told apart by the first character. One row
 * at a time is in memory.
 *
 * @throws {InputFileError} When the rest of the file cannot be read; the rows before it are good.
 */
export async function* readImportFile(source: AsyncIterable<Buffer>): AsyncGenerator<FileRow> {
  const chunks = source[Symbol.asyncIterator]();
  let head = Buffer.alloc(0);
  let first = "";
  while (first === "") {
    const next = await chunks.next();
    if (next.done === true) {
      throw new InputFileError("The file is empty.");
    }
    head = Buffer.concat([head, next.value]);
    first = head
      .toString("utf8")
      .replace(/^\ufeff/, "")
      .trimStart()
      .charAt(0);
    if (first === "" && head.length > ROW_LENGTH_MAX) {
      throw new InputFileError("The file begins with nothing but blanks.");
    }
  }
  if (first !== "[") {
    yield* readCsv(chain(head, chunks));
    return;
  }
  const start = head.indexOf("[");
  const firstLine = head.subarray(0, start).toString("latin1").split("\n").length;
  yield* readJson(chain(head.subarray(start), chunks), firstLine);
}
