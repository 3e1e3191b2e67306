import { AppError } from "@turnpike/domain/errors/app-error";
import {
  type FileMediaType,
  hasSignatureOf,
  isTextMediaType,
  SIGNATURE_BYTES_MAX,
} from "@turnpike/domain/files/media-type";

function notOfType(type: FileMediaType, cause?: unknown): AppError {
  return new AppError({
    code: "UNSUPPORTED_MEDIA_TYPE",
    publicMessage: `The content is not ${type}.`,
    cause,
  });
}

/**
 * Passes content through while checking that it matches its type: the first bytes of images and PDFs, every byte of text.
 *
 * @throws {AppError} `UNSUPPORTED_MEDIA_TYPE` while it is being read.
 */
export async function* checkContent(
  type: FileMediaType,
  content: AsyncIterable<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  yield* isTextMediaType(type) ? checkText(type, content) : checkSignature(type, content);
}

async function* checkSignature(
  type: FileMediaType,
  content: AsyncIterable<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  let head: Uint8Array | undefined = new Uint8Array();
  for await (const chunk of content) {
    if (head === undefined) {
      yield chunk;
      continue;
    }
    head = Buffer.concat([head, chunk]);
    if (head.length >= SIGNATURE_BYTES_MAX) {
      if (!hasSignatureOf(type, head)) {
        throw notOfType(type);
      }
      yield head;
      head = undefined;
    }
  }
  if (head !== undefined) {
    if (!hasSignatureOf(type, head)) {
      throw notOfType(type);
    }
    yield head;
  }
}

async function* checkText(
  type: FileMediaType,
  content: AsyncIterable<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  const decoder = new TextDecoder("utf-8", { fatal: true });
  const check = (chunk?: Uint8Array) => {
    try {
      return decoder.decode(chunk, { stream: chunk !== undefined });
    } catch (error) {
      throw notOfType(type, error);
    }
  };
  for await (const chunk of content) {
    if (check(chunk).includes("\0")) {
      throw notOfType(type);
    }
    yield chunk;
  }
  check();
}
