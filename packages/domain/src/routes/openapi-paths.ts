import { isRecord } from "./json.ts";

/** At most so many paths in a document: more would hardly describe an API, and every path has its own rollups. */
export const OPENAPI_PATHS_MAX = 5_000;
/** At most so many servers are read. */
const SERVERS_MAX = 20;

export type OpenapiPaths =
  | {
      ok: true /** With the base path of their servers in front, as the API knows them. */;
      paths: string[];
    }
  | { ok: false; reason: string };

/** `{version}` and other variables of an address, by their defaults. */
function fillVariables(url: string, variables: unknown): string {
  return url.replaceAll(/\{([^{}]*)\}/g, (whole, name: string) => {
    const variable = isRecord(variables) ? variables[name] : undefined;
    const value = isRecord(variable) ? variable["default"] : undefined;
    return typeof value === "string" ? value : whole;
  });
}

/** The path of an address, absolute or relative to where the document is; without a slash at the end. */
function toBasePath(url: string): string {
  const withoutOrigin = url
    .replace(/^[a-z][a-z0-9+.-]*:\/\/[^/?#]*/i, "")
    .replace(/^\/\/[^/?#]*/, "");
  const path = withoutOrigin.replace(/[?#].*$/s, "").replace(/^\.?(?=\/|$)/, "");
  return `/${path}`.replaceAll(/\/{2,}/g, "/").replace(/\/$/, "");
}

/** The paths of the servers that a document names; an empty one when it names none. */
export function listBasePaths(servers: unknown): string[] {
  if (!Array.isArray(servers) || servers.length === 0) {
    return [""];
  }
  const bases = servers.slice(0, SERVERS_MAX).flatMap((server: unknown) => {
    const url = isRecord(server) ? server["url"] : undefined;
    return typeof url === "string" && isRecord(server)
      ? [toBasePath(fillVariables(url, server["variables"]))]
      : [];
  });
  return [...new Set(bases)];
}

/**
 * Lists the paths that an OpenAPI document of version 3.0 or 3.1 describes, each with the base path of its servers.
 *
 * @param document - Anything, as it was parsed.
 * @returns A reason as a sentence when it is no such document, or describes more than {@link OPENAPI_PATHS_MAX} paths.
 */
export function readOpenapiPaths(document: unknown): OpenapiPaths {
  if (!isRecord(document)) {
    return { ok: false, reason: "It is no OpenAPI document: its top is no object." };
  }
  const version = document["openapi"];
  if (typeof version !== "string" || !/^3\.[01](\.|$)/.test(version)) {
    const found = typeof document["swagger"] === "string" ? "Swagger 2" : "no such version";
    return {
      ok: false,
      reason: `It is no OpenAPI document of version 3.0 or 3.1: it names ${found}.`,
    };
  }
  const items = document["paths"] ?? {};
  if (!isRecord(items)) {
    return { ok: false, reason: "Its `paths` are no object." };
  }
  const common = listBasePaths(document["servers"]);
  const paths = Object.entries(items).flatMap(([path, item]) => {
    const own = isRecord(item) ? item["servers"] : undefined;
    const bases = own === undefined ? common : listBasePaths(own);
    return path.startsWith("/") ? bases.map((base) => base + path) : [];
  });
  return paths.length > OPENAPI_PATHS_MAX
    ? {
        ok: false,
        reason: `It describes more than ${OPENAPI_PATHS_MAX.toLocaleString("en")} paths.`,
      }
    : { ok: true, paths };
}

/** How an upstream is reached, as far as it changes paths. */
export type PathMapping = {
  /** Path in front of every call at the upstream, without a slash at the end; empty for none. */
  basePath: string;
  /** Path that the gateway serves it at. */
  prefix: string;
  stripPrefix: boolean;
};

/**
 * Turns a path as the API knows it into the one that callers use: without what the gateway puts in front, with what it takes
 * away.
 *
 * Example: with the base path `/v1` and the prefix `/maps`, which is taken away, `/v1/cities/{id}` is `/maps/cities/{id}`.
 */
export function toCallersPath(
  path: string,
  { basePath, prefix, stripPrefix }: PathMapping,
): string {
  const isBelow = basePath !== "" && (path === basePath || path.startsWith(`${basePath}/`));
  const below = isBelow ? path.slice(basePath.length) : path;
  return stripPrefix && prefix !== "/" ? prefix + below : below;
}
