/** What a table finds by: a method in capitals, and a path in which a name in braces takes one segment. */
export type Addressed = { readonly method: string; readonly path: string };

export type FoundRoute<Route> =
  | { kind: "found"; route: Route; params: Record<string, string> }
  | { kind: "other_method"; allow: string[] }
  | { kind: "none" };

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
 * Finds routes by method and path. Routes without names in braces are one map look-up, which is what the hot path takes.
 */
export function createRouteTable<Route extends Addressed>(routes: readonly Route[]) {
  const fixed = new Map<string, Route>();
  const named: Entry<Route>[] = [];
  for (const route of routes) {
    if (route.path.includes("{")) {
      named.push({ route, segments: route.path.split("/") });
    } else {
      fixed.set(`${route.method} ${route.path}`, route);
    }
  }
  const fixedPaths = new Set([...fixed.keys()].map((slot) => slot.slice(slot.indexOf(" ") + 1)));

  return function findRoute(method: string, path: string): FoundRoute<Route> {
    // HEAD is answered as GET; node leaves the body out.
    const asked = method === "HEAD" ? "GET" : method;
    const exact = fixed.get(`${asked} ${path}`);
    if (exact !== undefined) {
      return { kind: "found", route: exact, params: {} };
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
    if (fixedPaths.has(path)) {
      for (const slot of fixed.keys()) {
        if (slot.endsWith(` ${path}`)) {
          allow.push(slot.slice(0, slot.indexOf(" ")));
        }
      }
    }
    return allow.length === 0 ? { kind: "none" } : { kind: "other_method", allow };
  };
}
