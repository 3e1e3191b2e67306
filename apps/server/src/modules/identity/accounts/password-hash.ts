import { argon2Sync, timingSafeEqual } from "node:crypto";

/** The cost of a hash: memory in KiB, passes over it, lanes. */
export type PasswordCost = { memoryKib: number; passes: number; parallelism: number };

/** The smallest of the settings that OWASP considers equivalent, so that one thread answers dozens per second. */
export const PASSWORD_COST: PasswordCost = { memoryKib: 19 * 1024, passes: 2, parallelism: 1 };

export const SALT_BYTES = 16;
const HASH_BYTES = 32;
const PHC =
  /^\$argon2id\$v=19\$m=(\d{1,7}),t=(\d{1,3}),p=(\d{1,2})\$([A-Za-z0-9+/]{11,86})\$([A-Za-z0-9+/]{22,86})$/;

type ParsedHash = { cost: PasswordCost; salt: Buffer; hash: Buffer };

/** @returns `undefined` if it is not an Argon2id PHC string. */
function parseHash(phc: string): ParsedHash | undefined {
  const [, memory, passes, parallelism, salt = "", hash = ""] = PHC.exec(phc) ?? [];
  return memory === undefined
    ? undefined
    : {
        cost: {
          memoryKib: Number(memory),
          passes: Number(passes),
          parallelism: Number(parallelism),
        },
        salt: Buffer.from(salt, "base64"),
        hash: Buffer.from(hash, "base64"),
      };
}

function toBase64(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString("base64").replace(/=+$/, "");
}

function derive(password: string, salt: Uint8Array, cost: PasswordCost, bytes: number): Buffer {
  return argon2Sync("argon2id", {
    message: Buffer.from(password, "utf8"),
    nonce: salt,
    parallelism: cost.parallelism,
    tagLength: bytes,
    memory: cost.memoryKib,
    passes: cost.passes,
  });
}

/**
 * Hashes a password. Takes tens of milliseconds: call it off the main thread.
 *
 * @returns A PHC string, such as `$argon2id$v=19$m=19456,t=2,p=1$…$…`.
 */
export function hashPassword(password: string, salt: Uint8Array, cost: PasswordCost): string {
  const { memoryKib, passes, parallelism } = cost;
  const hash = derive(password, salt, cost, HASH_BYTES);
  return `$argon2id$v=19$m=${String(memoryKib)},t=${String(passes)},p=${String(parallelism)}$${toBase64(salt)}$${toBase64(hash)}`;
}

/** Compares a password with a PHC string, at the cost that the string names. False for an invalid string. */
export function isPasswordOf(password: string, phc: string): boolean {
  const parsed = parseHash(phc);
  if (parsed === undefined) {
    return false;
  }
  const { cost, salt, hash } = parsed;
  return timingSafeEqual(derive(password, salt, cost, hash.length), hash);
}

/** True for a hash made at another cost than the current one: it is renewed while the password is at hand. */
export function isOutdatedHash(phc: string, cost: PasswordCost): boolean {
  const found = parseHash(phc)?.cost;
  return (
    found?.memoryKib !== cost.memoryKib ||
    found.passes !== cost.passes ||
    found.parallelism !== cost.parallelism
  );
}
