/** The types that may be uploaded. None that a browser executes: no HTML, no SVG. */
export const FILE_MEDIA_TYPES = [
  "image/png",
  "image/jpeg",
  "image/webp",
  "application/pdf",
  "application/json",
  "text/csv",
  "text/plain",
] as const;
export type FileMediaType = (typeof FILE_MEDIA_TYPES)[number];

/** The first bytes that identify a type; null stands for any byte. */
type Signature = readonly (number | null)[];

const ascii = (text: string): number[] => Array.from(text, (letter) => letter.charCodeAt(0));

const SIGNATURES: Readonly<Partial<Record<FileMediaType, Signature>>> = {
  "image/png": [0x89, ...ascii("PNG"), 0x0d, 0x0a, 0x1a, 0x0a],
  "image/jpeg": [0xff, 0xd8, 0xff],
  "image/webp": [...ascii("RIFF"), null, null, null, null, ...ascii("WEBP")],
  "application/pdf": ascii("%PDF-"),
};

/** How many bytes of a file its signature needs. */
export const SIGNATURE_BYTES_MAX = 12;

/** Reads a header such as `text/csv; charset=utf-8`. @returns `undefined` for a type that is not on the list. */
export function parseFileMediaType(header: string | undefined): FileMediaType | undefined {
  const name = header?.split(";", 1)[0]?.trim().toLowerCase();
  return FILE_MEDIA_TYPES.find((type) => type === name);
}

/** True for the types whose content is UTF-8 text. */
export function isTextMediaType(type: FileMediaType): boolean {
  return SIGNATURES[type] === undefined;
}

/**
 * Compares the first bytes with the signature of the type.
 *
 * @param head - The first 12 bytes of the file, or all of a shorter one.
 * @returns Always true for text types, which have no signature.
 */
export function hasSignatureOf(type: FileMediaType, head: Uint8Array): boolean {
  const signature = SIGNATURES[type] ?? [];
  return signature.every((byte, index) => byte === null || head[index] === byte);
}
