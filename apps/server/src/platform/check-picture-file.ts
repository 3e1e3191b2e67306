import { readFileSync } from "node:fs";

/** A picture on every invoice makes each of them as large. */
const PICTURE_BYTES_MAX = 512 * 1024;

const PNG = Buffer.from("89504e470d0a1a0a", "hex");
const JPEG_START = 0xffd8;
/** Frames of a JPEG file (SOF0 to SOF15), without the tables among them. */
const JPEG_FRAMES = new Set([
  0xc0, 0xc1, 0xc2, 0xc3, 0xc5, 0xc6, 0xc7, 0xc9, 0xca, 0xcb, 0xcd, 0xce, 0xcf,
]);
const COMPONENTS_OF_PRINT = 4;

/** How many colours a JPEG file has; undefined when it has no frame. */
function countComponents(bytes: Buffer): number | undefined {
  let at = 2;
  while (at + 9 < bytes.length) {
    const marker = bytes[at + 1] ?? 0;
    if (JPEG_FRAMES.has(marker)) {
      return bytes[at + 9];
    }
    at += 2 + bytes.readUInt16BE(at + 2);
  }
  return;
}

/** Says what is wrong with a picture for documents before anything starts; `undefined` when nothing is. */
export function checkPictureFile(path: string): string | undefined {
  let bytes: Buffer;
  try {
    bytes = readFileSync(path);
  } catch {
    return `The file ${path} cannot be read.`;
  }
  if (bytes.length > PICTURE_BYTES_MAX) {
    return `The file ${path} has more than ${String(PICTURE_BYTES_MAX)} bytes.`;
  }
  if (bytes.subarray(0, PNG.length).equals(PNG)) {
    return;
  }
  if (bytes.length < 4 || bytes.readUInt16BE(0) !== JPEG_START) {
    return `The file ${path} is neither PNG nor JPEG.`;
  }
  const components = countComponents(bytes);
  if (components === undefined) {
    return `The file ${path} is no whole JPEG.`;
  }
  return components === COMPONENTS_OF_PRINT
    ? `The file ${path} has the colours of print (CMYK): save it as RGB.`
    : undefined;
}
