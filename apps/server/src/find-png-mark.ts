import { inflateSync } from "node:zlib";

const PREFIX = "data:image/png;base64,";
const SIGNATURE = Buffer.from("\x89PNG\r\n\x1a\n", "latin1");
/** A square of 2,896 pixels in four bytes each. */
const PIXEL_BYTES_MAX = 32 * 1024 * 1024;

/** The packed pixels of a PNG; undefined for what is none, or is cut off. */
function findPixels(png: Buffer): Buffer | undefined {
  if (!png.subarray(0, SIGNATURE.length).equals(SIGNATURE)) {
    return undefined;
  }
  const parts: Buffer[] = [];
  for (let at = SIGNATURE.length; at + 12 <= png.length; ) {
    const end = at + 12 + png.readUInt32BE(at);
    const type = png.subarray(at + 4, at + 8).toString("latin1");
    if (type === "IEND") {
      return Buffer.concat(parts);
    }
    if (type === "IDAT") {
      parts.push(png.subarray(at + 8, end - 4));
    }
    at = end;
  }
  return undefined;
}

/**
 * The mark of the brand where a PDF can show it: a PNG that is whole. SVG and WebP have no place in a PDF, and a damaged picture
 * would keep every document from being drawn, where a browser just shows less of it.
 *
 * @returns The same `data:` address, or null.
 */
export function findPngMark(mark: string | undefined): string | null {
  if (mark?.startsWith(PREFIX) !== true) {
    return null;
  }
  const pixels = findPixels(Buffer.from(mark.slice(PREFIX.length), "base64"));
  try {
    return pixels !== undefined &&
      inflateSync(pixels, { maxOutputLength: PIXEL_BYTES_MAX }).length > 0
      ? mark
      : null;
  } catch {
    return null;
  }
}
