import { USER_CODE_ALPHABET, USER_CODE_LENGTH } from "@turnpike/contract/device-sign-ins";

/** The largest multiple of the alphabet in a byte: larger values would favour the first letters. */
const FAIR_BELOW = 256 - (256 % USER_CODE_ALPHABET.length);
/** With so many fair bytes the odds to run short are below 1 in 10^30. */
export const USER_CODE_BYTES = 64;

/** Writes a code as it is stored: letters alone. @param bytes - {@link USER_CODE_BYTES} from a cryptographic source. */
export function makeUserCode(bytes: Uint8Array): string {
  return [...bytes]
    .filter((byte) => byte < FAIR_BELOW)
    .slice(0, USER_CODE_LENGTH)
    .map((byte) => USER_CODE_ALPHABET.charAt(byte % USER_CODE_ALPHABET.length))
    .join("");
}

/** With a dash in the middle, as people read it. */
export function showUserCode(code: string): string {
  const half = USER_CODE_LENGTH / 2;
  return `${code.slice(0, half)}-${code.slice(half)}`;
}

/** What a person typed as it is stored; undefined for what no code looks like. */
export function parseUserCode(typed: string): string | undefined {
  const code = typed.toUpperCase().replace(/[\s-]/g, "");
  const isCode =
    code.length === USER_CODE_LENGTH &&
    [...code].every((letter) => USER_CODE_ALPHABET.includes(letter));
  return isCode ? code : undefined;
}
