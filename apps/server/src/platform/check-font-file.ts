import { readFileSync } from "node:fs";

/** Fonts with all Chinese, Japanese and Korean letters have 10 to 20 MB. */
const FONT_BYTES_MAX = 64 * 1024 * 1024;
/** Beginnings of TrueType and OpenType files. A collection (`ttcf`) has several fonts, and none is named here. */
const BEGINNINGS = new Set(["00010000", "74727565", "4f54544f"]);

/** Says what is wrong with a font for documents before anything starts; `undefined` when nothing is. */
export function checkFontFile(path: string): string | undefined {
  let bytes: Buffer;
  try {
    bytes = readFileSync(path);
  } catch {
    return `The file ${path} cannot be read.`;
  }
  if (bytes.length > FONT_BYTES_MAX) {
    return `The file ${path} has more than ${String(FONT_BYTES_MAX)} bytes.`;
  }
  return BEGINNINGS.has(bytes.subarray(0, 4).toString("hex"))
    ? undefined
    : `The file ${path} is no font in TTF or OTF.`;
}
