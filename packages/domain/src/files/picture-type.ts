/** What a picture may be that is drawn anew before anyone sees it. */
export const PICTURE_TYPES = ["png", "jpeg", "webp", "gif", "avif", "svg"] as const;
export type PictureType = (typeof PICTURE_TYPES)[number];

/** The longest picture that is read, in bytes. */
export const PICTURE_BYTES_MAX = 5 * 1024 * 1024;
/** The longest drawing in SVG: beyond it are embedded photos and machine-made paths. */
export const SVG_BYTES_MAX = 512 * 1024;

function startsWith(bytes: Uint8Array, text: string, at = 0): boolean {
  return Array.from(text).every((letter, index) => bytes[at + index] === letter.charCodeAt(0));
}

/** The brands that the first box of an ISO media file names, from the fourth byte on. */
function isAvif(bytes: Uint8Array): boolean {
  const length = Math.min(((bytes[2] ?? 0) << 8) | (bytes[3] ?? 0), bytes.length);
  for (let at = 8; at + 4 <= length; at += 4) {
    if (startsWith(bytes, "avif", at) || startsWith(bytes, "avis", at)) {
      return true;
    }
  }
  return false;
}

/** Text in UTF-8, or undefined. */
function decode(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

/**
 * Tells the type of a picture by its bytes: names and headers are what the sender says.
 *
 * @returns Undefined for anything that is none of {@link PICTURE_TYPES}.
 */
export function findPictureType(bytes: Uint8Array): PictureType | undefined {
  if (startsWith(bytes, "\x89PNG\r\n\x1a\n")) {
    return "png";
  }
  if (startsWith(bytes, "\xff\xd8\xff")) {
    return "jpeg";
  }
  if (startsWith(bytes, "RIFF") && startsWith(bytes, "WEBP", 8)) {
    return "webp";
  }
  if (startsWith(bytes, "GIF87a") || startsWith(bytes, "GIF89a")) {
    return "gif";
  }
  if (startsWith(bytes, "ftyp", 4)) {
    return isAvif(bytes) ? "avif" : undefined;
  }
  const head = decode(bytes.subarray(0, SVG_BYTES_MAX));
  return head !== undefined && /^\s*</.test(head) && /<(?:[\w.-]+:)?svg[\s>/]/.test(head)
    ? "svg"
    : undefined;
}

/** Elements that are no drawing: programs, other documents, and pictures, which are a file format of their own. */
const FOREIGN =
  /<\s*(?:[\w.-]+:)?(?:script|foreignObject|image|feImage|include|iframe|embed|object|audio|video)\b/i;
/** Attributes that run programs. */
const HANDLER = /\son[a-z]+\s*=/i;
/** Addresses outside of the drawing: only `#…` is inside of it. */
const OUTSIDE =
  /(?:\b(?:href|src)\s*=\s*["']\s*(?!["'#\s]))|(?:url\(\s*["']?\s*(?!["'#\s)]))|@import/i;
const ENCODING = /^\s*<\?xml[^>]*\bencoding\s*=\s*["'](?!(?:utf-8|us-ascii)["'])/i;

/**
 * Says why a drawing in SVG is not drawn. What it refuses is what no logo needs; what passes is drawn by a library that opens no
 * address, and only the picture that comes out of it is kept.
 *
 * @returns One sentence, or undefined.
 */
export function findSvgFault(bytes: Uint8Array): string | undefined {
  if (bytes.length > SVG_BYTES_MAX) {
    return "The SVG file is larger than 512 KB: export it as PNG.";
  }
  const text = decode(bytes);
  if (text === undefined || text.includes("\0") || ENCODING.test(text)) {
    return "The SVG file is not in UTF-8.";
  }
  if (/<!ENTITY/i.test(text) || /<!DOCTYPE[^>]*\[/i.test(text)) {
    return "The SVG file defines entities: export it as plain SVG or as PNG.";
  }
  if (/<\?xml-stylesheet/i.test(text) || OUTSIDE.test(text)) {
    return "The SVG file refers to other files: export it with everything inside, or as PNG.";
  }
  return FOREIGN.test(text) || HANDLER.test(text)
    ? "The SVG file holds more than a drawing, such as a program or a photo: export it as PNG."
    : undefined;
}
