import { hkdfSync } from "node:crypto";
import { CompactEncrypt, compactDecrypt } from "jose";

/** Encrypts texts that are kept in the database and must be read again. */
export interface Sealer {
  seal(text: string): Promise<string>;
  /** @throws When it was encrypted with another secret or for another purpose, or changed. */
  open(sealed: string): Promise<string>;
}

const KEY_BYTES = 32;

/**
 * Makes a sealer (JWE, `dir` with A256GCM).
 *
 * @param secret - What the key is derived from, at least 32 characters.
 * @param purpose - What is sealed for one purpose cannot be opened for another.
 */
export function createSealer(secret: string, purpose: string): Sealer {
  const key = new Uint8Array(hkdfSync("sha256", secret, "", `turnpike: ${purpose}`, KEY_BYTES));
  return {
    seal: (text) =>
      new CompactEncrypt(new TextEncoder().encode(text))
        .setProtectedHeader({ alg: "dir", enc: "A256GCM" })
        .encrypt(key),
    async open(sealed) {
      const { plaintext } = await compactDecrypt(sealed, key, {
        keyManagementAlgorithms: ["dir"],
        contentEncryptionAlgorithms: ["A256GCM"],
      });
      return new TextDecoder().decode(plaintext);
    },
  };
}
