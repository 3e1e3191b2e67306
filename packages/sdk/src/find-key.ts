/** Longer than any key; what is longer is not sent anywhere. */
export const KEY_LENGTH_MAX = 256;

const API_KEY_HEADER = "x-api-key";
const BEARER = /^Bearer +(\S+)$/i;

export type KeyInRequest = {
  text: string;
  /** Headers that must not reach the handler: the one with the key, and any other with a key of Turnpike's. */
  headerNames: string[];
};

/**
 * Finds the key where the gateway finds it: `X-Api-Key`, else `Authorization: Bearer`. An `Authorization` beside `X-Api-Key`
 * stays, unless it holds a key of Turnpike's.
 *
 * @param header - Gives a header by its lower-case name.
 */
export function findKey(header: (name: string) => string | undefined): KeyInRequest | undefined {
  const own = header(API_KEY_HEADER);
  const bearer = BEARER.exec(header("authorization") ?? "")?.[1];
  if (own !== undefined && own !== "") {
    return {
      text: own,
      headerNames:
        bearer?.startsWith("tp_") === true ? [API_KEY_HEADER, "authorization"] : [API_KEY_HEADER],
    };
  }
  return bearer === undefined ? undefined : { text: bearer, headerNames: ["authorization"] };
}

/** True for a CORS preflight: it has no key, and no body either, which tells it from other uses of the method. */
export function isPreflight({
  method,
  header,
}: {
  method: string;
  header: (name: string) => string | undefined;
}): boolean {
  const hasBody =
    header("transfer-encoding") !== undefined || (header("content-length") ?? "0") !== "0";
  return (
    method === "OPTIONS" &&
    header("origin") !== undefined &&
    header("access-control-request-method") !== undefined &&
    !hasBody
  );
}

/** True for a header by which a caller could claim an identity; some programs read an underscore as a hyphen. */
export function isForgedIdentity(name: string): boolean {
  return name.toLowerCase().replaceAll("_", "-").startsWith("x-turnpike-");
}
