import { readFileSync } from "node:fs";
import type { ConnectionOptions } from "node:tls";
import { acceptAnyOf, type DatabaseHost } from "./primary-host.ts";

/** A database's address, read once: the two drivers take the same parameters of one for different things. */
export type DatabaseAddress = {
  /** The address of the first host, without the parameters that `ssl` replaces. */
  url: string;
  /** Every host that it names, in its order. */
  hosts: readonly DatabaseHost[];
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

/** Those of libpq that mean the server that takes writes: Turnpike can use no other. */
const TARGET_SESSIONS = ["read-write", "primary"];
const TARGET_PARAMETER = "target_session_attrs";
const PORT_DEFAULT = 5432;
const HOSTS_MAX = 10;
const AUTHORITY = /^([a-z]+:\/\/(?:[^/?#]*@)?)([^/?#@]*)(.*)$/s;

/** Makes an address of each host of one that may name several, as libpq has them: `h1:5432,h2:5433`. */
function splitHosts(address: string): string[] {
  const [, before = "", hosts = "", after = ""] = AUTHORITY.exec(address) ?? [];
  return hosts.includes(",") ? hosts.split(",").map((host) => before + host + after) : [address];
}

function toHost({ hostname, port }: URL): DatabaseHost {
  return {
    host: hostname.replace(/^\[(.*)\]$/, "$1"),
    port: port === "" ? PORT_DEFAULT : Number(port),
  };
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
  const addresses = splitHosts(address);
  const [first = address] = addresses;
  const url = addresses.every((one) => URL.canParse(one)) ? new URL(first) : undefined;
  const parts = url === undefined ? [] : [url.username, url.password, url.pathname];
  if (url === undefined || !parts.every(isDecodable)) {
    return "No address that can be read. Encode special characters of the password, such as %2F for / and %25 for %.";
  }
  if (addresses.length > HOSTS_MAX || addresses.some((one) => new URL(one).hostname === "")) {
    return `Its hosts are separated by commas, each with its port, at most ${String(HOSTS_MAX)}: h1:5432,h2:5432.`;
  }
  const session = url.searchParams.get(TARGET_PARAMETER);
  if (session !== null && !TARGET_SESSIONS.includes(session)) {
    return `Its ${TARGET_PARAMETER} must be ${TARGET_SESSIONS.join(" or ")}.`;
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
  const addresses = splitHosts(address);
  const url = new URL(addresses[0] ?? address);
  const hosts = addresses.map((one) => toHost(new URL(one)));
  url.searchParams.delete(TARGET_PARAMETER);
  const mode = findTlsMode(url);
  const authorities = url.searchParams.get("sslrootcert");
  const isSocket = url.searchParams.get("host")?.startsWith("/") === true;
  for (const name of TLS_PARAMETERS) {
    url.searchParams.delete(name);
  }
  if (mode === "disable" || isSocket) {
    return { url: url.href, hosts, ssl: false };
  }
  const isNamed = authorities !== null && authorities !== "system";
  const ca = isNamed ? { ca: readFileSync(authorities, "utf8") } : {};
  if (mode === "require" && !isNamed) {
    return { url: url.href, hosts, ssl: { rejectUnauthorized: false } };
  }
  // Without a name to go by, a certificate of an IP address would be compared with `localhost`.
  const host = url.hostname.replace(/^\[(.*)\]$/, "$1");
  if (mode === "verify-full") {
    const named = hosts.length === 1 ? { host } : acceptAnyOf(hosts);
    return { url: url.href, hosts, ssl: { ...ca, ...named } };
  }
  return { url: url.href, hosts, ssl: { ...ca, checkServerIdentity: () => undefined } };
}

/** The hosts of an address for a message, without its user and password. */
export function describeAddress(address: string): string {
  const urls = splitHosts(address).map((one) => new URL(one));
  return `${urls.map(({ host }) => host).join(", ")}${urls[0]?.pathname ?? ""}`;
}

/** The address of one of its hosts alone. @param url - As {@link parseDatabaseAddress} gives it. */
export function toAddressOf(url: string, { host, port }: DatabaseHost): string {
  const one = new URL(url);
  one.hostname = host.includes(":") ? `[${host}]` : host;
  one.port = String(port);
  return one.href;
}
