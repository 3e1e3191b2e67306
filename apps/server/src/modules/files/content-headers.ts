import type { File } from "@turnpike/contract/files";
import type { ByteRange } from "./file-store.ts";

const RANGE = /^bytes=(\d{0,15})-(\d{0,15})$/;

/**
 * Reads a `Range` header (RFC 9110, section 14) with a single range.
 *
 * @returns `undefined` for no range, several, or another unit: then the whole file is the right answer; `unsatisfiable` for a range
 *   outside the file.
 */
export function parseByteRange(
  header: string | undefined,
  bytes: number,
): ByteRange | "unsatisfiable" | undefined {
  const match = RANGE.exec(header ?? "");
  const [, from = "", to = ""] = match ?? [];
  if (match === null || (from === "" && to === "")) {
    return undefined;
  }
  if (from === "") {
    const length = Math.min(Number(to), bytes);
    return length === 0 ? "unsatisfiable" : { first: bytes - length, last: bytes - 1 };
  }
  const first = Number(from);
  const last = to === "" ? bytes - 1 : Math.min(Number(to), bytes - 1);
  if (to !== "" && Number(to) < first) {
    return undefined;
  }
  return first >= bytes ? "unsatisfiable" : { first, last };
}

/** RFC 6266: an ASCII name for old clients, and the real one in UTF-8. */
function attachment(name: string): string {
  const plain = name.replace(/[^\x20-\x7e]|["\\%]/g, "_");
  const encoded = encodeURIComponent(name.toWellFormed()).replace(
    /['()*]/g,
    (letter) => `%${letter.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  return `attachment; filename="${plain}"; filename*=UTF-8''${encoded}`;
}

/** Headers of a full download. No browser runs it, with any content, shows it in our origin, or caches it. */
export function toAttachmentHeaders(content: {
  name: string;
  mediaType: string;
  bytes: number;
}): Record<string, string | number> {
  return {
    "content-type": content.mediaType,
    "content-length": content.bytes,
    "content-disposition": attachment(content.name),
    "content-security-policy": "sandbox; default-src 'none'",
    "x-content-type-options": "nosniff",
    "cross-origin-resource-policy": "same-origin",
    "cache-control": "private, no-store",
  };
}

/** The same for a file, full or a slice. */
export function toContentHeaders(
  file: File,
  range: ByteRange | undefined,
): Record<string, string | number> {
  return {
    ...toAttachmentHeaders(file),
    "accept-ranges": "bytes",
    etag: `"${file.sha256}"`,
    ...(range === undefined
      ? {}
      : {
          "content-length": range.last - range.first + 1,
          "content-range": `bytes ${String(range.first)}-${String(range.last)}/${String(file.bytes)}`,
        }),
  };
}
