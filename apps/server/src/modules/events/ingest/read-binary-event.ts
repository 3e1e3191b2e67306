import { isUtf8 } from "node:buffer";

const PREFIX = "ce-";
/** The attributes that are read. The type of the data is the `Content-Type`. */
const ATTRIBUTES = ["specversion", "id", "source", "type", "subject", "time"] as const;
const QUOTED = /^"((?:[^"\\]|\\.)*)"$/s;
const ENCODED = /%([0-9A-Fa-f]{2})/g;

/**
 * Decodes a header of the HTTP binding (CloudEvents 1.0.2, section 3.1.3.2): removes quotes around it, then percent-decodes it
 * once.
 *
 * @param value - As node reads it: one character for each byte.
 * @returns `undefined` if the percent-encoded bytes are not UTF-8.
 */
export function decodeEventHeader(value: string): string | undefined {
  // The JavaScript SDK encodes nothing, and node sends its characters as Latin-1.
  const sent = Buffer.from(value, "latin1");
  const raw = isUtf8(sent) ? value : Buffer.from(value, "utf8").toString("latin1");
  const quoted = QUOTED.exec(raw);
  const plain = quoted?.[1] === undefined ? raw : quoted[1].replaceAll(/\\(.)/gs, "$1");
  const decoded = plain.replaceAll(ENCODED, (_, digits: string) =>
    String.fromCharCode(Number.parseInt(digits, 16)),
  );
  const bytes = Buffer.from(decoded, "latin1");
  return isUtf8(bytes) ? bytes.toString("utf8") : undefined;
}

/**
 * Reads the attributes of an event in binary mode. Ignores extensions.
 *
 * @param headers - All values of each header, with lower-case names.
 * @returns The name of a header that is given twice or cannot be decoded.
 */
export function readBinaryAttributes(
  headers: Readonly<Record<string, readonly string[] | undefined>>,
): { ok: true; attributes: Record<string, string> } | { ok: false; header: string } {
  const attributes: Record<string, string> = {};
  for (const name of ATTRIBUTES) {
    const header = `${PREFIX}${name}`;
    const [value, ...further] = headers[header] ?? [];
    if (value === undefined) {
      continue;
    }
    const decoded = further.length > 0 ? undefined : decodeEventHeader(value);
    if (decoded === undefined) {
      return { ok: false, header };
    }
    attributes[name] = decoded;
  }
  return { ok: true, attributes };
}
