import { createHash } from "node:crypto";

/** How many an account gets at once. */
export const RECOVERY_CODES_COUNT = 10;

/** Crockford's base 32: no letter that is taken for a digit. */
const ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz";
/** 80 bits: their hashes cannot be tried out, so they need no slow ones. */
const CODE_LENGTH = 16;
const CODE = /^[0-9a-hjkmnp-tv-z]{16}$/;

/** Makes codes such as `7k2m-x9ve-03qh-tn5d`. */
export function createRecoveryCodes(randomBytes: (count: number) => Uint8Array): string[] {
  return Array.from({ length: RECOVERY_CODES_COUNT }, () => {
    const letters = [...randomBytes(CODE_LENGTH)].map((byte) => ALPHABET.charAt(byte & 31));
    return letters.join("").replaceAll(/(.{4})(?=.)/g, "$1-");
  });
}

/** A code as it was made; case, spaces, dashes and letters for digits do not matter. @returns Undefined for any other text. */
export function parseRecoveryCode(text: string): string | undefined {
  const plain = text
    .toLowerCase()
    .replaceAll(/[\s-]/g, "")
    .replaceAll("o", "0")
    .replaceAll(/[il]/g, "1");
  return CODE.test(plain) ? plain : undefined;
}

/** @param code - From {@link parseRecoveryCode}. @returns In hex. */
export function hashRecoveryCode(accountId: string, code: string): string {
  return createHash("sha256").update(`recovery\n${accountId}\n${code}`).digest("hex");
}
