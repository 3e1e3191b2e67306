import { setImmediate } from "node:timers/promises";
import { listPlaceholderKeys } from "@turnpike/domain/keys/placeholder-keys";
import { hashKey } from "./hash-key.ts";

/** Hashed in one turn of the event loop: one to two milliseconds. */
const HASHES_IN_TURN = 1_000;
/** 52 bits, which a number holds exactly. A random key shares them with a placeholder once in 10^10. */
const PREFIX_DIGITS = 13;

const toPrefix = (hash: string) => Number.parseInt(hash.slice(0, PREFIX_DIGITS), 16);

async function hashPlaceholders(): Promise<Float64Array> {
  const prefixes = new Set<number>();
  let count = 0;
  for (const text of listPlaceholderKeys()) {
    prefixes.add(toPrefix(hashKey(text)));
    count += 1;
    if (count % HASHES_IN_TURN === 0) {
      await setImmediate();
    }
  }
  return Float64Array.from(prefixes).sort();
}

function isIn(sorted: Float64Array, value: number): boolean {
  let low = 0;
  let high = sorted.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    const found = sorted[middle] ?? Number.POSITIVE_INFINITY;
    if (found === value) {
      return true;
    }
    if (found < value) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return false;
}

/** A constant: it is computed when it is first needed, because most processes never need it. */
let placeholders: Promise<Float64Array> | undefined;

/**
 * Finds the hashes of texts that clients send by mistake instead of a key. The first call takes about half a second, in turns with
 * all other work of the thread.
 *
 * @param hashes - SHA-256 in lower-case hexadecimal.
 * @returns Those of `hashes` that no tenant may import; empty when all may be keys.
 */
export async function findPlaceholderHashes(hashes: readonly string[]): Promise<Set<string>> {
  placeholders ??= hashPlaceholders();
  const sorted = await placeholders;
  return new Set(hashes.filter((hash) => isIn(sorted, toPrefix(hash))));
}
