import { isAddress, toCanonicalNetwork } from "../keys/networks.ts";

/**
 * What is kept of a client's address where it is stored or logged. `truncated` keeps its network (/24 of IPv4, /48 of IPv6),
 * `hashed` a pseudonym that is stable but cannot be reversed without the secret.
 */
export const ADDRESS_MODES = ["kept", "truncated", "hashed", "dropped"] as const;
export type AddressMode = (typeof ADDRESS_MODES)[number];

/**
 * What is kept of a path. `templates` keeps its route, documented or learned. `documented` keeps only routes from an OpenAPI
 * document: all other paths become one route.
 */
export const PATH_MODES = ["templates", "documented"] as const;
export type PathMode = (typeof PATH_MODES)[number];

const HASH_LENGTH = 16;

/**
 * Redacts the address of a client.
 *
 * @param digest - Returns a keyed hash as hex. Addresses are few enough to try them all without the key.
 * @returns The empty text for `dropped`, and for an invalid address.
 */
export function redactAddress(
  address: string,
  mode: AddressMode,
  digest: (text: string) => string,
): string {
  if (!isAddress(address)) {
    return "";
  }
  switch (mode) {
    case "kept":
      return address;
    case "truncated":
      return toCanonicalNetwork(`${address}/${address.includes(":") ? "48" : "24"}`) ?? "";
    case "hashed":
      return `addr_${digest(address).slice(0, HASH_LENGTH)}`;
    case "dropped":
      return "";
  }
}

/** A path or a web address without what follows its path. */
export function withoutQuery(text: string): string {
  const end = text.search(/[?#]/);
  return end < 0 ? text : text.slice(0, end);
}

const REDACTED = "[redacted]";
/** White space, quotes, brackets, and the backslash of an escaped quote. */
const NOT_IN_ADDRESS = /[\s"`<>\\]/;

/** The end of the word that contains `start`. */
function endOfWord(text: string, start: number): number {
  let end = start;
  while (end < text.length && !NOT_IN_ADDRESS.test(text.charAt(end))) {
    end += 1;
  }
  return end;
}

/**
 * Removes query strings from running text, such as a log line: what follows a question mark in a word with a slash before it.
 * Takes linear time.
 *
 * Example: `GET https://a.example/b?token=x failed` gives `GET https://a.example/b?[redacted] failed`.
 */
export function redactQueries(text: string): string {
  let redacted = "";
  let done = 0;
  let hasSlash = false;
  for (let at = 0; at < text.length; at += 1) {
    const char = text.charAt(at);
    if (char === "/") {
      hasSlash = true;
    } else if (NOT_IN_ADDRESS.test(char)) {
      hasSlash = false;
    } else if (char === "?" && hasSlash) {
      const end = endOfWord(text, at + 1);
      if (end > at + 1) {
        redacted += `${text.slice(done, at + 1)}${REDACTED}`;
        done = end;
        at = end - 1;
      }
    }
  }
  return redacted + text.slice(done);
}
