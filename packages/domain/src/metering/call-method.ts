/** Methods that usage distinguishes, from RFC 9110, RFC 5789 and the draft for queries with a body; `OTHER` is any other. */
export const CALL_METHODS = [
  "GET",
  "HEAD",
  "POST",
  "PUT",
  "PATCH",
  "DELETE",
  "OPTIONS",
  "QUERY",
  "OTHER",
] as const;

export type CallMethod = (typeof CALL_METHODS)[number];

const KNOWN: ReadonlyMap<string, CallMethod> = new Map(
  CALL_METHODS.map((method) => [method, method]),
);

/** Finds the method under which a call is counted. @param text - As sent; methods are case-sensitive. */
export function toCallMethod(text: string): CallMethod {
  return KNOWN.get(text) ?? "OTHER";
}
