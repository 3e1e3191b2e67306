/**
 * The text of a key: `<prefix>_<kind>_<random><checksum>`, such as
 * `tp_live_8Zk0...` with 32 base62 characters of randomness (190 bits) and 6 of CRC-32.
 *
 * The checksum is not secret. It catches typing errors and garbage before any lookup, and lets secret scanners tell a real key
 * from look-alikes. The separators are underscores, so that a double click selects the whole key.
 */
const ALPHABET = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
const RANDOM_CHARS = 32;
const CHECKSUM_CHARS = 6;
const START_RANDOM_CHARS = 4;

export const KEY_BRAND = "tp";
/** `usr` is the credential of a person's command line. */
export const KEY_KINDS = ["live", "test", "svc", "usr"] as const;
export type KeyKind = (typeof KEY_KINDS)[number];

/** The environments of a tenant's keys. Test keys are metered apart and never billed. */
export const ENVIRONMENTS = ["live", "test"] as const;
export type Environment = (typeof ENVIRONMENTS)[number];

/** Random bytes that {@link formatKey} needs to draw its characters without bias, with a wide margin. */
export const KEY_RANDOM_BYTES = 64;

const CRC_TABLE = Uint32Array.from({ length: 256 }, (_, index) => {
  let value = index;
  for (let bit = 0; bit < 8; bit += 1) {
    value = value & 1 ? (value >>> 1) ^ 0xedb88320 : value >>> 1;
  }
  return value >>> 0;
});

function crc32(text: string): number {
  let crc = 0xffffffff;
  for (let index = 0; index < text.length; index += 1) {
    const slot = (crc ^ text.charCodeAt(index)) & 0xff;
    crc = (crc >>> 8) ^ (CRC_TABLE[slot] ?? 0);
  }
  return (crc ^ 0xffffffff) >>> 0;
}

function checksumOf(body: string): string {
  let rest = crc32(body);
  let text = "";
  for (let index = 0; index < CHECKSUM_CHARS; index += 1) {
    text = ALPHABET.charAt(rest % ALPHABET.length) + text;
    rest = Math.floor(rest / ALPHABET.length);
  }
  return text;
}

function randomPart(randomBytes: Uint8Array): string {
  let text = "";
  // 248 is the largest multiple of 62 in a byte: larger values would favour the first characters.
  for (const byte of randomBytes) {
    if (byte < 248 && text.length < RANDOM_CHARS) {
      text += ALPHABET.charAt(byte % ALPHABET.length);
    }
  }
  return text;
}

/**
 * Writes a new key.
 *
 * @param randomBytes - {@link KEY_RANDOM_BYTES} bytes from a cryptographic source.
 * @returns The whole key, and `start`: its prefix and first four random characters, safe to show and to search by.
 * @throws {RangeError} when the bytes hold too few usable values; with 64 fair bytes the odds are below 1 in 10^29.
 */
export function formatKey(kind: KeyKind, randomBytes: Uint8Array): { key: string; start: string } {
  const random = randomPart(randomBytes);
  if (random.length < RANDOM_CHARS) {
    throw new RangeError("Too few usable random bytes for a key.");
  }
  const body = `${KEY_BRAND}_${kind}_${random}`;
  return {
    key: body + checksumOf(body),
    start: body.slice(0, body.length - RANDOM_CHARS + START_RANDOM_CHARS),
  };
}

/** `foreign` is a text without our prefix. It may be an imported key, so only a lookup can tell. */
export type ParsedKey =
  | { form: "own"; kind: KeyKind }
  | { form: "malformed" }
  | { form: "foreign" };

/** The longest text that can be a key, in UTF-16 units. */
export const KEY_LENGTH_MAX = 256;

function kindOf(text: string): KeyKind | undefined {
  return KEY_KINDS.find((kind) => text.startsWith(`${KEY_BRAND}_${kind}_`));
}

/** Reads the form of a key without a lookup. The work is bounded by {@link KEY_LENGTH_MAX}. */
export function parseKey(text: string): ParsedKey {
  if (text.length === 0 || text.length > KEY_LENGTH_MAX) {
    return { form: "malformed" };
  }
  const kind = kindOf(text);
  if (kind === undefined) {
    return text.startsWith(`${KEY_BRAND}_`) ? { form: "malformed" } : { form: "foreign" };
  }
  const prefixLength = KEY_BRAND.length + kind.length + 2;
  if (text.length !== prefixLength + RANDOM_CHARS + CHECKSUM_CHARS) {
    return { form: "malformed" };
  }
  const split = text.length - CHECKSUM_CHARS;
  return checksumOf(text.slice(0, split)) === text.slice(split)
    ? { form: "own", kind }
    : { form: "malformed" };
}

/**
 * True when a text can be the beginning of a tenant's key. A text that starts like ours but continues differently cannot:
 * {@link parseKey} refuses it before any lookup.
 */
export function canBeginKey(start: string): boolean {
  return (
    !start.startsWith(`${KEY_BRAND}_`) ||
    ENVIRONMENTS.map((environment) => `${KEY_BRAND}_${environment}_`).some(
      (prefix) => start.startsWith(prefix) || prefix.startsWith(start),
    )
  );
}

/**
 * Finds our keys inside other text, for redaction. It matches the shape, not the checksum, and needs no word boundary in front:
 * in JSON, the `n` of an escaped line break would hide the key after it.
 */
export const KEY_IN_TEXT = /tp_(?:live|test|svc|usr)_[0-9A-Za-z]{8,}/g;
