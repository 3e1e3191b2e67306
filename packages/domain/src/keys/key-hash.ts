const HEX = /^[0-9a-fA-F]{64}$/;
const BASE64 = /^[A-Za-z0-9+/_-]{43}=?$/;
const DIGITS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/**
 * Reads the SHA-256 of a key's text as 64 hexadecimal digits or in base64 (either alphabet, with or without padding). No other
 * algorithm is allowed: keys are long and random, so a fast hash protects them as well as a slow one and allows lookups.
 *
 * @returns Lower-case hexadecimal; `undefined` for everything else, such as a hash of another length or with a salt.
 */
export function parseKeyHash(text: string): string | undefined {
  if (HEX.test(text)) {
    return text.toLowerCase();
  }
  if (!BASE64.test(text)) {
    return;
  }
  let bits = "";
  for (const letter of text.replace("=", "").replaceAll("-", "+").replaceAll("_", "/")) {
    bits += DIGITS.indexOf(letter).toString(2).padStart(6, "0");
  }
  // 43 letters hold two bits more than a hash; in the canonical spelling these are zero.
  if (!bits.endsWith("00")) {
    return;
  }
  let hex = "";
  for (let at = 0; at < 256; at += 4) {
    hex += Number.parseInt(bits.slice(at, at + 4), 2).toString(16);
  }
  return hex;
}
