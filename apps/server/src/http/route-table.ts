/** What a table finds by: a method in capitals, and a path in which a name in braces takes one segment. */
export type Addressed = { readonly method: string; readonly path: string };

export type FoundRoute<Route> =
  | { kind: "found"; route: Route; params: Readonly<Record<string, string>> }
  | { kind: "other_method"; allow: string[] }
  | { kind: "none" };

const NONE: Readonly<Record<string, string>> = Object.freeze({});

type Entry<Route> = { route: Route; segments: string[] };

function paramName(segment: string): string | undefined {
  return segment.startsWith("{") && segment.endsWith("}") ? segment.slice(1, -1) : undefined;
}

function match(
  entry: Entry<unknown>,
  segments: readonly string[],
): Record<string, string> | undefined {
  if (entry.segments.length !== segments.length) {
    return;
  }
  const params: Record<string, string> = {};
  for (const [index, expected] of entry.segments.entries()) {
    const actual = segments[index] ?? "";
    const name = paramName(expected);
    if (name === undefined ? expected !== actual : actual === "") {
      return;
    }
    if (name !== undefined) {
      params[name] = actual;
    }
  }
  return params;
}

/**
 * Finds routes by method and path. A route without names in braces costs one map lookup, which is what the hot path has.
 */
export function createRouteTable<Route extends Addressed>(routes: readonly Route[]) {
  // By path, then by method: joining both for every call would cost more than two lookups.
  const fixed = new Map<string, Map<string, FoundRoute<Route> & { kind: "found" }>>();
  const named: Entry<Route>[] = [];
  for (const route of routes) {
    if (route.path.includes("{")) {
      named.push({ route, segments: route.path.split("/") });
    } else {
      const methods = fixed.get(route.path) ?? new Map();
      fixed.set(route.path, methods.set(route.method, { kind: "found", route, params: NONE }));
    }
  }

  // Programs call the same route again and again: comparing with the last one saves hashing the path.
  let last: { method: string; path: string; exact: FoundRoute<Route> } | undefined;

  return function findRoute(method: string, path: string): FoundRoute<Route> {
    if (last !== undefined && last.path === path && last.method === method) {
      return last.exact;
    }
    // HEAD is answered as GET; Node leaves the body out.
    const asked = method === "HEAD" ? "GET" : method;
    const methods = fixed.get(path);
    const exact = methods?.get(asked);
    if (exact !== undefined) {
      last = { method, path, exact };
      return exact;
    }
    const segments = path.split("/");
    const allow: string[] = [];
    for (const entry of named) {
      const params = match(entry, segments);
      if (params !== undefined && entry.route.method === asked) {
        return { kind: "found", route: entry.route, params };
      }
      if (params !== undefined) {
        allow.push(entry.route.method);
      }
    }
    allow.push(...(methods?.keys() ?? []));
    return allow.length === 0 ? { kind: "none" } : { kind: "other_method", allow };
  };
}
