import { open } from "node:fs/promises";
import { Readable } from "node:stream";
import { createGunzip } from "node:zlib";
import type { HistoryLine } from "#modules/metering/index.ts";
import { InputFileError } from "../input-file-error.ts";

/** Longer lines are not lines of an access log. One character more is kept, to recognise them. */
export const LINE_LENGTH_MAX = 64 * 1024;

const GZIP = [0x1f, 0x8b] as const;
/** The mark of UTF-8 at the start of a file. */
const BYTE_ORDER_MARK = "\u00ef\u00bb\u00bf";

/** An open log. */
export type OpenLog = {
  /** The name on the command line. */
  name: string;
  /** Bytes of the file; null without a size, as of standard input. */
  bytes: number | null;
  /** The bytes of the file, compressed or not. */
  content: AsyncIterable<Buffer>;
  close(): Promise<void>;
};

/** The rest of a log cannot be read; the lines read so far are fine. */
export class LogUnreadable extends Error {
  override readonly name = "LogUnreadable";
}

function codeOf(error: unknown): string {
  return error instanceof Error && "code" in error ? String(error.code) : String(error);
}

/**
 * Opens a log.
 *
 * @throws {InputFileError} When it does not exist or cannot be read.
 */
export async function openLog(path: string, name: string): Promise<OpenLog> {
  if (name === "-") {
    const content = process.stdin as AsyncIterable<Buffer>;
    return { name, bytes: null, content, close: () => Promise.resolve() };
  }
  try {
    const file = await open(path);
    const facts = await file.stat();
    if (facts.isDirectory()) {
      await file.close();
      throw new InputFileError(`${path} is a folder: name the logs in it.`);
    }
    return {
      name,
      bytes: facts.isFile() ? facts.size : null,
      content: file.createReadStream({ autoClose: false }) as AsyncIterable<Buffer>,
      close: () => file.close(),
    };
  } catch (error) {
    if (error instanceof InputFileError) {
      throw error;
    }
    throw new InputFileError(
      codeOf(error) === "ENOENT"
        ? `There is no file ${path}.`
        : `${path} cannot be read (${codeOf(error)}).`,
    );
  }
}

async function* countBytes(
  source: AsyncIterable<Buffer>,
  onBytes: (count: number) => void,
): AsyncGenerator<Buffer> {
  for await (const chunk of source) {
    onBytes(chunk.length);
    yield chunk;
  }
}

async function* chain(first: Buffer, rest: AsyncIterator<Buffer>): AsyncGenerator<Buffer> {
  yield first;
  for (let next = await rest.next(); next.done !== true; next = await rest.next()) {
    yield next.value;
  }
}

/** Decompresses a log that begins with the bytes of gzip, regardless of its name. */
async function* decompress(source: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  const chunks = source[Symbol.asyncIterator]();
  let head = Buffer.alloc(0);
  while (head.length < GZIP.length) {
    const next = await chunks.next();
    if (next.done === true) {
      yield head;
      return;
    }
    head = Buffer.concat([head, next.value]);
  }
  const whole = chain(head, chunks);
  if (GZIP.some((byte, index) => head[index] !== byte)) {
    yield* whole;
    return;
  }
  const gunzip = createGunzip();
  const reading = Readable.from(whole, { objectMode: false });
  reading.on("error", (error) => gunzip.destroy(error)).pipe(gunzip);
  try {
    yield* gunzip as AsyncIterable<Buffer>;
  } finally {
    reading.destroy();
  }
}

function clip(text: string): string {
  return text.length > LINE_LENGTH_MAX ? text.slice(0, LINE_LENGTH_MAX + 1) : text;
}

function toLine(text: string, isOpen: boolean): HistoryLine {
  return { text: clip(text.endsWith("\r") ? text.slice(0, -1) : text), isOpen };
}

async function* splitLines(source: AsyncIterable<Buffer>): AsyncGenerator<HistoryLine[]> {
  let rest = "";
  let isFirst = true;
  for await (const chunk of source) {
    const texts = (rest + chunk.toString("latin1")).split("\n");
    rest = clip(texts.pop() ?? "");
    if (texts.length > 0) {
      if (isFirst && texts[0]?.startsWith(BYTE_ORDER_MARK) === true) {
        texts[0] = texts[0].slice(BYTE_ORDER_MARK.length);
      }
      isFirst = false;
      yield texts.map((text) => toLine(text, false));
    }
  }
  if (rest !== "") {
    yield [toLine(isFirst ? rest.replace(BYTE_ORDER_MARK, "") : rest, true)];
  }
}

/**
 * Reads the lines of a log, compressed with gzip or not, in pieces and in bounded memory.
 *
 * @param onBytes - Told what was read of the file.
 * @throws {LogUnreadable} behind the lines that could be read.
 */
export async function* readLogLines(
  log: Pick<OpenLog, "content">,
  onBytes: (count: number) => void,
): AsyncGenerator<HistoryLine[]> {
  try {
    yield* splitLines(decompress(countBytes(log.content, onBytes)));
  } catch (error) {
    const code = codeOf(error);
    throw new LogUnreadable(
      code.startsWith("Z_")
        ? "it is compressed and broken, or cut off"
        : `reading failed (${code})`,
      { cause: error },
    );
  }
}
