import { createLocalJWKSet, type JWK } from "jose";
import type { KeyFinder } from "./issuer-keys.ts";

/** Finds keys among those that a provider in this process currently publishes. The list is replaced whenever they change. */
export function createPublishedKeys(publicKeys: () => readonly JWK[]): KeyFinder {
  let known: { keys: readonly JWK[]; find: KeyFinder } | undefined;
  return (header, token) => {
    const keys = publicKeys();
    if (known?.keys !== keys) {
      known = { keys, find: createLocalJWKSet({ keys: [...keys] }) };
    }
    return known.find(header, token);
  };
}
