import { formatKey, KEY_RANDOM_BYTES, type KeyKind } from "@turnpike/domain/keys/key-format";
import { hashKey } from "./hash-key.ts";

export type MintedKey = { key: string; start: string; lastFour: string; hash: Uint8Array };

/** Writes a hash as the directories know it. */
export function toHex(hash: Uint8Array): string {
  return Buffer.from(hash).toString("hex");
}

/** Draws a new key. The caller shows `key` once and stores the rest. */
export function mintKey(kind: KeyKind, randomBytes: (count: number) => Uint8Array): MintedKey {
  const { key, start } = formatKey(kind, randomBytes(KEY_RANDOM_BYTES));
  return { key, start, lastFour: key.slice(-4), hash: Buffer.from(hashKey(key), "hex") };
}
