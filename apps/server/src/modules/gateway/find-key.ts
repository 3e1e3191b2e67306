import type { IncomingMessage } from "node:http";

export const API_KEY_HEADER = "x-api-key";
const BEARER = /^Bearer +(\S+)$/i;

export type KeyInRequest = { text: string; headerNames: string[] };

/** Finds the key and the headers that must not reach the upstream: its own, and any other that holds one of our keys. */
export function findKey(req: IncomingMessage): KeyInRequest | undefined {
  const header = req.headers[API_KEY_HEADER];
  const bearer = BEARER.exec(req.headers.authorization ?? "")?.[1];
  if (typeof header === "string" && header !== "") {
    const alsoBearer = bearer?.startsWith("tp_") === true;
    return {
      text: header,
      headerNames: alsoBearer ? [API_KEY_HEADER, "authorization"] : [API_KEY_HEADER],
    };
  }
  return bearer === undefined ? undefined : { text: bearer, headerNames: ["authorization"] };
}

/** True for a CORS preflight, which carries no key. */
export function isPreflight(req: Pick<IncomingMessage, "headers" | "method">): boolean {
  return (
    req.method === "OPTIONS" &&
    req.headers.origin !== undefined &&
    req.headers["access-control-request-method"] !== undefined
  );
}
