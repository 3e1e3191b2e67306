import { hash } from "node:crypto";

/** The SHA-256 of a key's text as lower-case hex: what is stored and looked up. Keys hold 190 random bits, so no salt. */
export function hashKey(key: string): string {
  return hash("sha256", key, "hex");
}
