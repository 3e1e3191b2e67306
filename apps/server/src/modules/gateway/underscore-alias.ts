import { API_KEY_HEADER } from "./find-key.ts";

/** Headers that a call is decided or framed by, or that the upstream is to believe. Only those with a hyphen have aliases. */
const OWN_HEADERS: ReadonlySet<string> = new Set([
  API_KEY_HEADER,
  "content-length",
  "content-type",
  "http2-settings",
  "keep-alive",
  "transfer-encoding",
  "x-real-ip",
  "x-request-id",
]);
const OWN_PREFIXES = ["x-turnpike-", "x-forwarded-", "proxy-"] as const;

/**
 * True for a name such as `X_Turnpike_Tenant`, which upstreams of the CGI kind (PHP, WSGI, Rack) read as
 * `X-Turnpike-Tenant`. Other names with an underscore, such as `session_id`, are the client's own and pass.
 */
export function isUnderscoreAlias(name: string): boolean {
  if (!name.includes("_")) {
    return false;
  }
  const hyphenated = name.toLowerCase().replaceAll("_", "-");
  return (
    OWN_HEADERS.has(hyphenated) || OWN_PREFIXES.some((prefix) => hyphenated.startsWith(prefix))
  );
}
