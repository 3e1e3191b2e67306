import { isAmbiguousPath } from "../listener/request-gate.ts";
import type { TokenMetering } from "../tokens/token-rules.ts";

/** Where an upstream describes its paths: a file by its absolute path, or an address. */
export type OpenapiSource = ({ file: string } | { url: string }) & {
  /** How often it is read again. */
  refreshSeconds: number;
};

/** One upstream as the operator configures it. */
export type UpstreamConfig = {
  name: string;
  /** `http://` or `https://`, a host, optionally a port and a base path; no query, no user. */
  url: string;
  /**
   * Where calls with test keys go: an address like `url`, or `same` for `url` itself. Left out: they are refused.
   */
  testUrl?: string | undefined;
  /** Host names this upstream serves, without port; `*.example.com` takes one or more labels. Absent: every host. */
  hosts?: readonly string[] | undefined;
  /** Path prefix this upstream serves, at whole segments: `/v1` takes `/v1` and `/v1/x`, not `/v10`. Default `/`. */
  prefix?: string | undefined;
  /** Removes `prefix` before the request goes on. */
  stripPrefix?: boolean | undefined;
  timeouts: {
    /** From the first packet to an open connection. */
    connectMs: number;
    /** From the last byte of the request to the upstream's status line. */
    headersMs: number;
    /** The longest silence inside an answer, and on a WebSocket. */
    idleMs: number;
  };
  maxRequestBytes: number;
  /** Sends the client's Host instead of the upstream's. */
  preserveHost: boolean;
  /** Calls under way at once; more are refused with 503. Default 512: each holds a socket on both sides. */
  maxConcurrent?: number | undefined;
  /** The largest part of those that one tenant may hold, in percent, 1 to 100; see `judgeShare`. Default 50. */
  tenantSharePercent?: number | undefined;
  /** Left out: routes are learned from paths alone. */
  openapi?: OpenapiSource | undefined;
  /** Left out: its calls cost what calls cost. */
  tokens?: TokenMetering | undefined;
};

/** Where to connect. The path is never part of a URL that is parsed again. */
export type UpstreamTarget = {
  protocol: "http:" | "https:";
  /** Name or address, IPv6 without brackets. */
  host: string;
  port: number;
  /** Empty or `/base`, without a slash at the end. */
  basePath: string;
};

export type Upstream = UpstreamConfig & {
  prefix: string;
  stripPrefix: boolean;
  maxConcurrent: number;
  tenantSharePercent: number;
  target: UpstreamTarget;
  /** `protocol://host[:port]`, what a connection pool is made for. */
  origin: string;
  /** Value of the Host header, without a default port. */
  hostHeader: string;
  /** The one for calls with test keys, which may be this one; `undefined` refuses them. */
  forTests: Upstream | undefined;
};

/** The value of `testUrl` that lets test keys reach the live upstream. */
export const SAME_FOR_TESTS = "same";

/** One upstream at one of the hosts that it serves. */
export type UpstreamBinding = {
  upstream: Upstream;
  /** A name, or a wildcard such as `*.example.com`; `undefined` is any host. */
  host: string | undefined;
};

export type UpstreamRouter = {
  /** In the order of the configuration, then those for tests that have an address of their own. */
  upstreams: readonly Upstream[];
  /** Best match first: names, then wildcards from the longest, then any host; within a host the longest prefix. */
  bindings: readonly UpstreamBinding[];
};

/** Where a call goes, and its request target there. */
export type UpstreamPlace = { upstream: Upstream; rawTarget: string };

export type UpstreamChoice =
  | ({
      kind: "found" /** For a test key; `undefined` refuses it. */;
      forTests: UpstreamPlace | undefined;
    } & UpstreamPlace)
  | { kind: "ambiguous" }
  | { kind: "none" };

const MAX_CONCURRENT_DEFAULT = 512;
/** One tenant may hold half of the permits, and leaves as many for the next one. */
const TENANT_SHARE_PERCENT_DEFAULT = 50;

/**
 * Prepares the upstreams for lookups.
 *
 * @throws {RangeError} Naming the upstream whose URL or prefix cannot be used, or two with the same host and prefix.
 */
export function createUpstreamRouter(configs: readonly UpstreamConfig[]): UpstreamRouter {
  const upstreams = configs.map(toUpstream);
  const taken = new Set<string>();
  for (const upstream of upstreams) {
    for (const host of upstream.hosts ?? ["any host"]) {
      const address = `${host.toLowerCase()} ${upstream.prefix}`;
      if (taken.has(address)) {
        throw new RangeError(`Two upstreams serve ${address}; "${upstream.name}" is the second`);
      }
      taken.add(address);
    }
  }
  const bindings = upstreams
    .flatMap((upstream) => (upstream.hosts ?? [undefined]).map((host) => ({ upstream, host })))
    .sort(
      (a, b) =>
        hostRank(b.host) - hostRank(a.host) || b.upstream.prefix.length - a.upstream.prefix.length,
    );
  const forTests = upstreams.flatMap((upstream) =>
    upstream.forTests === undefined || upstream.forTests === upstream ? [] : [upstream.forTests],
  );
  return { upstreams: [...upstreams, ...forTests], bindings };
}

/** Names of the upstreams that refuse test keys. */
export function listWithoutTests(
  upstreams: readonly Pick<UpstreamConfig, "name" | "testUrl">[] = [],
): string[] {
  return upstreams.filter(({ testUrl }) => testUrl === undefined).map(({ name }) => name);
}

/** An upstream for one host wins over a longer prefix on any host: the host says whose API it is. */
function hostRank(host: string | undefined): number {
  if (host === undefined) {
    return 0;
  }
  return host.startsWith("*.") ? host.length : Number.MAX_SAFE_INTEGER;
}

function toUpstream(config: UpstreamConfig): Upstream {
  const { testUrl } = config;
  const upstream = toOneUpstream(config);
  if (testUrl === SAME_FOR_TESTS) {
    upstream.forTests = upstream;
  } else if (testUrl !== undefined) {
    // Its name cannot be one that the operator gave.
    const name = `${config.name} (test)`;
    const { openapi: _, ...rest } = config;
    const forTests = toOneUpstream({ ...rest, name, url: testUrl });
    forTests.forTests = forTests;
    upstream.forTests = forTests;
  }
  return upstream;
}

function toOneUpstream(config: UpstreamConfig): Upstream {
  const url = URL.canParse(config.url) ? new URL(config.url) : undefined;
  if (url === undefined || (url.protocol !== "http:" && url.protocol !== "https:")) {
    throw new RangeError(
      `Upstream "${config.name}": "${config.url}" is not an http or https address`,
    );
  }
  if (url.search !== "" || url.hash !== "" || url.username !== "" || url.password !== "") {
    throw new RangeError(
      `Upstream "${config.name}": its address must have no query, fragment or user`,
    );
  }
  const prefix = config.prefix ?? "/";
  if (
    !prefix.startsWith("/") ||
    (prefix !== "/" && (prefix.endsWith("/") || isAmbiguousPath(prefix)))
  ) {
    throw new RangeError(
      `Upstream "${config.name}": prefix "${prefix}" must start with a slash and not end with one`,
    );
  }
  return {
    ...config,
    prefix,
    stripPrefix: config.stripPrefix ?? false,
    maxConcurrent: config.maxConcurrent ?? MAX_CONCURRENT_DEFAULT,
    tenantSharePercent: config.tenantSharePercent ?? TENANT_SHARE_PERCENT_DEFAULT,
    hosts: config.hosts?.map((host) => host.toLowerCase()),
    target: {
      protocol: url.protocol,
      host: url.hostname.replace(/^\[|\]$/g, ""),
      port: url.port === "" ? (url.protocol === "https:" ? 443 : 80) : Number(url.port),
      basePath: url.pathname.replace(/\/$/, ""),
    },
    origin: url.origin,
    hostHeader: url.host,
    forTests: undefined,
  };
}

/**
 * Picks the upstream of a call by host (a name before a wildcard, a longer wildcard before a shorter one, any host last),
 * then by the longest path prefix, on the raw target: nothing is decoded or
 * normalised, because the upstream will see these bytes and no others.
 *
 * @param input.host - Value of the Host header, with or without a port.
 * @param input.rawTarget - Request target as sent; passed the gate.
 * @returns `ambiguous` when the path decides and can be read in two ways; such a path passes as sent when nothing
 *   depends on it (`GET //favicon.ico` to a single upstream).
 */
export function pickUpstream(
  router: UpstreamRouter,
  { host, rawTarget }: { host: string; rawTarget: string },
): UpstreamChoice {
  const hostName = toHostName(host);
  let pathDecides = false;
  let chosen: Upstream | undefined;
  for (const { upstream, host: servedHost } of router.bindings) {
    if (!isServed(servedHost, hostName)) {
      continue;
    }
    pathDecides ||= upstream.prefix !== "/";
    if (chosen === undefined && hasPrefix(rawTarget, upstream.prefix)) {
      chosen = upstream;
    }
  }
  // Callers may reach only what is below the base path, and a dot segment in any spelling would leave it.
  pathDecides ||=
    chosen !== undefined &&
    (chosen.tokens !== undefined ||
      chosen.target.basePath !== "" ||
      (chosen.forTests?.target.basePath ?? "") !== "");
  if (pathDecides && isAmbiguousPath(rawTarget)) {
    return { kind: "ambiguous" };
  }
  return chosen === undefined
    ? { kind: "none" }
    : { kind: "found", ...toPlace(chosen, rawTarget), forTests: toTestPlace(chosen, rawTarget) };
}

function toPlace(upstream: Upstream, rawTarget: string): UpstreamPlace {
  return { upstream, rawTarget: toUpstreamTarget(upstream, rawTarget) };
}

function toTestPlace({ forTests }: Upstream, rawTarget: string): UpstreamPlace | undefined {
  return forTests === undefined ? undefined : toPlace(forTests, rawTarget);
}

function toUpstreamTarget(upstream: Upstream, rawTarget: string): string {
  const { basePath } = upstream.target;
  if (!upstream.stripPrefix || upstream.prefix === "/") {
    return basePath + rawTarget;
  }
  const rest = rawTarget.slice(upstream.prefix.length);
  return rest.startsWith("/") ? basePath + rest : `${basePath}/${rest}`;
}

function hasPrefix(rawTarget: string, prefix: string): boolean {
  if (prefix === "/") {
    return true;
  }
  if (!rawTarget.startsWith(prefix)) {
    return false;
  }
  const next = rawTarget.charAt(prefix.length);
  return next === "" || next === "/" || next === "?";
}

function isServed(servedHost: string | undefined, hostName: string): boolean {
  if (servedHost === undefined) {
    return true;
  }
  return servedHost.startsWith("*.")
    ? hostName.length > servedHost.length - 1 && hostName.endsWith(servedHost.slice(1))
    : hostName === servedHost;
}

/** `API.Example.com.:3001` gives `api.example.com`; `[::1]:80` gives `[::1]`. */
function toHostName(host: string): string {
  const afterLiteral = host.startsWith("[") ? host.indexOf("]") : 0;
  const colon = host.indexOf(":", afterLiteral);
  const name = (colon < 0 ? host : host.slice(0, colon)).toLowerCase();
  return name.endsWith(".") ? name.slice(0, -1) : name;
}
