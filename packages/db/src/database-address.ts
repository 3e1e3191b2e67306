import { readFileSync } from "node:fs";
import type { ConnectionOptions } from "node:tls";

/** A database's address, read once: the two drivers take the same parameters of one for different things. */
export type DatabaseAddress = {
  /** Without the parameters that `ssl` stands for. */
  url: string;
  /** How the connection is encrypted and who the server must be; false for plain text. */
  ssl: false | ConnectionOptions;
};

/** Those of libpq in which it is not left to the server whether the connection is encrypted. */
const TLS_MODES = ["disable", "require", "verify-ca", "verify-full"] as const;
type TlsMode = (typeof TLS_MODES)[number];

const TLS_PARAMETERS = ["ssl", "sslmode", "sslrootcert"];
/** What drivers take `ssl` for. */
const OLD_MODES: Record<string, TlsMode> = { true: "verify-full", false: "disable" };

function findTlsMode({ searchParams }: URL): TlsMode | undefined {
  const old = searchParams.get("ssl");
  const named = searchParams.get("sslmode") ?? (old === null ? null : (OLD_MODES[old] ?? old));
  const byDefault = searchParams.has("sslrootcert") ? "verify-full" : "disable";
  return TLS_MODES.find((mode) => mode === (named ?? byDefault));
}

function isDecodable(part: string): boolean {
  try {
    decodeURIComponent(part);
    return true;
  } catch {
    return false;
  }
}

/** Says what is wrong with an address, in a sentence that repeats nothing of it; undefined when it can be used. */
export function findAddressMistake(address: string): string | undefined {
  const url = URL.canParse(address) ? new URL(address) : undefined;
  const parts = url === undefined ? [] : [url.username, url.password, url.pathname];
  if (url === undefined || !parts.every(isDecodable)) {
    return "No address that can be read. Encode special characters of the password, such as %2F for / and %25 for %.";
  }
  return findTlsMode(url) === undefined
    ? `Its sslmode must be one of ${TLS_MODES.join(", ")}.`
    : undefined;
}

/**
 * Reads an address in which {@link findAddressMistake} finds nothing.
 *
 * `sslrootcert` names a file of certificate authorities, or is `system`; as in libpq, `require` does not ask who the server
 * is unless there is such a file, and a Unix socket is never encrypted.
 *
 * @throws Errors of the file system when that file cannot be read.
 */
export function parseDatabaseAddress(address: string): DatabaseAddress {
  const url = new URL(address);
  const mode = findTlsMode(url);
  const authorities = url.searchParams.get("sslrootcert");
  const isSocket = url.searchParams.get("host")?.startsWith("/") === true;
  for (const name of TLS_PARAMETERS) {
    url.searchParams.delete(name);
  }
  if (mode === "disable" || isSocket) {
    return { url: url.href, ssl: false };
  }
  const isNamed = authorities !== null && authorities !== "system";
  const ca = isNamed ? { ca: readFileSync(authorities, "utf8") } : {};
  if (mode === "require" && !isNamed) {
    return { url: url.href, ssl: { rejectUnauthorized: false } };
  }
  // Without a name to go by, a certificate of an IP address would be compared with `localhost`.
  const host = url.hostname.replace(/^\[(.*)\]$/, "$1");
  return mode === "verify-full"
    ? { url: url.href, ssl: { ...ca, host } }
    : { url: url.href, ssl: { ...ca, checkServerIdentity: () => undefined } };
}
