import type { AnswerHead } from "./answer-tap.ts";
import type { HeaderPair } from "./forward-headers.ts";

/** What an answer's tap gets before its first byte, of a flat list of headers. */
export function toAnswerHead(status: number, headers: readonly string[]): AnswerHead {
  const find = (name: string): string => {
    const at = headers.findIndex((text, index) => index % 2 === 0 && text.toLowerCase() === name);
    return at === -1 ? "" : (headers[at + 1] ?? "");
  };
  return {
    status,
    contentType: find("content-type"),
    contentEncoding: find("content-encoding"),
  };
}

/** Adds to the flat list itself, which it returns. */
export function addHeaders(headers: string[], added: readonly HeaderPair[]): string[] {
  for (const [name, value] of added) {
    headers.push(name, value);
  }
  return headers;
}

/** The upstream's reason phrase, byte for byte; none when it holds what a status line may not. */
export function toReasonPhrase(statusMessage: string | undefined): string {
  return statusMessage !== undefined && /^[\t\x20-\x7e\x80-\xff]*$/.test(statusMessage)
    ? statusMessage
    : "";
}
