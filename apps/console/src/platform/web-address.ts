/** An address that a link may lead to; undefined for every other text. */
export function toWebAddress(text: string | null | undefined): string | undefined {
  return typeof text === "string" && /^https?:\/\//.test(text) ? text : undefined;
}
